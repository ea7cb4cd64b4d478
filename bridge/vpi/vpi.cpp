// The VPI module: registers the system functions when the simulator loads it.
#include <vpi_user.h>

#include <exception>
#include <memory>
#include <string>

#include "bridge/vpi/calls.hpp"

namespace {

using mx::bridge::vpi::Arguments;
using mx::bridge::vpi::Bench;
using mx::bridge::vpi::Call;

/// What a registered function is told: itself, and the handles of the simulation.
struct Registered {
  const Call* call = nullptr;
  std::shared_ptr<Bench> bench;
};

void complain(const char* name, const std::string& what) {
  std::string format = "%s: %s\n";
  vpi_printf(format.data(), name, what.c_str());
}

PLI_INT32 check(PLI_BYTE8* data) {
  const Call& call = *static_cast<const Registered*>(static_cast<void*>(data))->call;
  if (const std::size_t given = Arguments().size(); given != call.arguments) {
    complain(call.name,
             std::to_string(given) + " arguments, but it takes " + std::to_string(call.arguments));
    vpi_control(vpiFinish, 1);
  }
  return 0;
}

PLI_INT32 run(PLI_BYTE8* data) {
  const Registered& self = *static_cast<const Registered*>(static_cast<void*>(data));
  // Nothing that is thrown gets into the simulator.
  try {
    const Arguments arguments;
    int result = 0;
    try {
      result = self.call->body(*self.bench, arguments);
    } catch (const std::exception& error) {
      complain(self.call->name, error.what());
    }
    for (std::size_t i = self.call->first_result; result == 0 && i < self.call->last_result; ++i) {
      arguments.set_unknown(i);
    }
    arguments.give(result);
  } catch (...) {
    complain(self.call->name, "the arguments cannot be read");
  }
  return 0;
}

void register_calls() {
  const auto bench = std::make_shared<Bench>();
  for (const Call& call : mx::bridge::vpi::calls()) {
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the simulator keeps it until the end
    auto* const registered = new Registered{&call, bench};
    s_vpi_systf_data data{};
    data.type = vpiSysFunc;
    data.sysfunctype = vpiIntFunc;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): VPI has no const
    data.tfname = const_cast<PLI_BYTE8*>(call.name);
    data.calltf = run;
    data.compiletf = check;
    data.user_data = static_cast<PLI_BYTE8*>(static_cast<void*>(registered));
    vpi_register_systf(&data);
  }
}

}  // namespace

// IEEE 1800 section 38.37.2: what the simulator calls, ended by a null.
extern "C" {
__attribute__((visibility("default"))) void (*vlog_startup_routines[])() = {register_calls,
                                                                            nullptr};
}
