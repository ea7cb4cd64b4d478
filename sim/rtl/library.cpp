// A build of rtl/mx_quantizer in a library of its own: compiled when it is first asked for, with
// what sim/rtl/load.cpp puts beside it; part of no other program.
#include <verilated.h>

#include <memory>
#include <string>

#include "Vmx_quantizer.h"
#include "sim/dut/rtl_pins.hpp"
#ifdef MX_WAVES
#include <verilated_fst_c.h>
#endif

namespace {

using mx::sim::RtlPins;

struct Model {
  Model(int seed, int fault) {
    const std::string choice = "+mx_fault=" + std::to_string(fault);
    const char* arguments[] = {"rtl", choice.c_str()};
    context.commandArgs(2, arguments);
    context.randReset(2);
    context.randSeed(seed);
#ifdef MX_WAVES
    context.traceEverOn(true);
#endif
    model = std::make_unique<Vmx_quantizer>(&context);
  }
  VerilatedContext context;
  std::unique_ptr<Vmx_quantizer> model;
#ifdef MX_WAVES
  VerilatedFstC waves;
#endif
};

Model& of(void* model) { return *static_cast<Model*>(model); }

void eval(void* handle, RtlPins& pins) {
  Vmx_quantizer& m = *of(handle).model;
  m.clk_i = pins.clk_i;
  m.rst_ni = pins.rst_ni;
  m.s_axis_tvalid = pins.s_axis_tvalid;
  m.s_axis_tlast = pins.s_axis_tlast;
  m.s_axis_tuser = pins.s_axis_tuser;
  m.m_axis_tready = pins.m_axis_tready;
  for (std::size_t i = 0; i < pins.s_axis_tdata.size(); ++i)
    m.s_axis_tdata[i] = pins.s_axis_tdata[i];
  for (std::size_t i = 0; i < pins.s_axis_tkeep.size(); ++i)
    m.s_axis_tkeep[i] = pins.s_axis_tkeep[i];
  for (std::size_t i = 0; i < pins.rnd_i.size(); ++i) m.rnd_i[i] = pins.rnd_i[i];
  m.eval();
  pins.s_axis_tready = m.s_axis_tready;
  pins.m_axis_tvalid = m.m_axis_tvalid;
  pins.m_axis_tlast = m.m_axis_tlast;
  pins.m_axis_tuser = m.m_axis_tuser;
  pins.m_axis_tkeep = m.m_axis_tkeep;
  pins.rnd_ready_o = m.rnd_ready_o;
  for (std::size_t i = 0; i < pins.m_axis_tdata.size(); ++i)
    pins.m_axis_tdata[i] = m.m_axis_tdata[i];
}

}  // namespace

extern "C" const mx::sim::RtlFunctions mx_rtl_functions = {
    [](int seed, int fault) -> void* { return new Model(seed, fault); },
    [](void* model) { delete &of(model); },
    eval,
#ifdef MX_WAVES
    [](void* model, const char* path) {
      of(model).model->trace(&of(model).waves, 99);
      of(model).waves.open(path);
    },
    [](void* model, std::uint64_t time) { of(model).waves.dump(time); },
    [](void* model) { of(model).waves.close(); },
#else
    nullptr,
    nullptr,
    nullptr,
#endif
};
