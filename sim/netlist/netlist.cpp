#include "sim/netlist/netlist.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "sim/dut/dut.hpp"

namespace mx::sim {
namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw DutError(fmt::format("the library of the netlist has no {}", name));
  }
}

}  // namespace

std::string NetlistBuild::name() const { return fmt::format("{}x{}", lanes, block); }

NetlistLibrary::NetlistLibrary(const std::string& path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw DutError(fmt::format("{}: {}", path, dlerror()));
  find(handle_, "mx_netlist_make", make_);
  find(handle_, "mx_netlist_eval", eval_);
  find(handle_, "mx_netlist_port", port_);
  find(handle_, "mx_netlist_free", free_);
}

NetlistLibrary::~NetlistLibrary() { dlclose(handle_); }

Netlist::Netlist(const NetlistLibrary& library, int seed)
    : library_(library), netlist_(library.make_(seed)) {}

Netlist::~Netlist() { library_.free_(netlist_); }

void Netlist::eval() {
  if (library_.eval_(netlist_) == 0) throw DutError("the netlist does not settle");
}

std::uint8_t* Netlist::port(const char* name) const {
  void* const port = library_.port_(netlist_, name);
  if (port == nullptr) throw DutError(fmt::format("the netlist has no port {}", name));
  return static_cast<std::uint8_t*>(port);
}

const char* netlist_library_source() {
  return R"(// Written by mxgold mutate.
#include <verilated.h>

#include <cstring>
#include <memory>

#include "Vmutants.h"

namespace {
struct Netlist {
  explicit Netlist(int seed) {
    context.randReset(2);
    context.randSeed(seed);
    model = std::make_unique<Vmutants>(&context);
  }
  VerilatedContext context;
  std::unique_ptr<Vmutants> model;
};
struct Unsettled {};
}  // namespace

void vl_finish(const char*, int, const char*) { throw Unsettled(); }
void vl_stop(const char*, int, const char*) { throw Unsettled(); }
void vl_fatal(const char*, int, const char*, const char*) { throw Unsettled(); }

extern "C" {
void* mx_netlist_make(int seed) { return new Netlist(seed); }
int mx_netlist_eval(void* netlist) {
  try {
    static_cast<Netlist*>(netlist)->model->eval();
    return 1;
  } catch (const Unsettled&) {
    return 0;
  }
}
void* mx_netlist_port(void* netlist, const char* name) {
#define MX_PORT(port) \
  if (std::strcmp(name, #port) == 0) return &static_cast<Netlist*>(netlist)->model->port;
  MX_PORT(clk_i)
  MX_PORT(rst_ni)
  MX_PORT(mutsel)
  MX_PORT(s_axis_tdata)
  MX_PORT(s_axis_tkeep)
  MX_PORT(s_axis_tlast)
  MX_PORT(s_axis_tuser)
  MX_PORT(s_axis_tvalid)
  MX_PORT(s_axis_tready)
  MX_PORT(rnd_i)
  MX_PORT(rnd_ready_o)
  MX_PORT(m_axis_tdata)
  MX_PORT(m_axis_tkeep)
  MX_PORT(m_axis_tlast)
  MX_PORT(m_axis_tuser)
  MX_PORT(m_axis_tvalid)
  MX_PORT(m_axis_tready)
  return nullptr;
}
void mx_netlist_free(void* netlist) { delete static_cast<Netlist*>(netlist); }
}
)";
}

}  // namespace mx::sim
