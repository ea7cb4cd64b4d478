// The VPI module: registers the system functions when the simulator loads it.
#include <vpi_user.h>

#include <memory>

#include "bridge/vpi/run.hpp"

// Icarus's own: with which status it ends.
#pragma weak vpip_set_return_value

namespace {

using mx::bridge::vpi::Bench;
using mx::bridge::vpi::Call;

/// What a registered function is told: itself, and the handles of the simulation.
struct Registered {
  const Call* call = nullptr;
  std::shared_ptr<Bench> bench;
};

const Registered& registered(PLI_BYTE8* data) {
  return *static_cast<const Registered*>(static_cast<void*>(data));
}

/// Nothing runs where a call is wrong, and no script takes that for a pass.
PLI_INT32 check(PLI_BYTE8* data) {
  const Call& call = *registered(data).call;
  const std::string why = mx::bridge::vpi::problem_of(call);
  if (why.empty()) return 0;
  mx::bridge::vpi::complain(call, why);
  if (vpip_set_return_value != nullptr) vpip_set_return_value(1);
  vpi_control(vpiFinish, 1);
  return 0;
}

PLI_INT32 run(PLI_BYTE8* data) {
  mx::bridge::vpi::run(*registered(data).call, *registered(data).bench);
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
