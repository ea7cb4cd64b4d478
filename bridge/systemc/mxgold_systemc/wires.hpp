// The signals between a quantizer, its source and its monitor, under the names of the ports.
#pragma once

#include <string>
#include <systemc>

#include "mxgold_systemc/pins.hpp"

namespace mxgold {

/// `Pins`: TwoState, as mx_quantizer and Verilator's models have them, or FourState.
template <class Ports = Shape<>, class Pins = TwoState>
struct QuantizerWires {
  template <int Bits>
  using Pin = typename Pins::template Pin<Bits>;

  /// Names of the signals begin with `prefix`, "" for none.
  explicit QuantizerWires(const std::string& prefix = "")
      : rst_ni((prefix + "rst_ni").c_str()),
        s_axis_tdata((prefix + "s_axis_tdata").c_str()),
        s_axis_tkeep((prefix + "s_axis_tkeep").c_str()),
        s_axis_tlast((prefix + "s_axis_tlast").c_str()),
        s_axis_tuser((prefix + "s_axis_tuser").c_str()),
        s_axis_tvalid((prefix + "s_axis_tvalid").c_str()),
        s_axis_tready((prefix + "s_axis_tready").c_str()),
        rnd_i((prefix + "rnd_i").c_str()),
        rnd_ready_o((prefix + "rnd_ready_o").c_str()),
        m_axis_tdata((prefix + "m_axis_tdata").c_str()),
        m_axis_tkeep((prefix + "m_axis_tkeep").c_str()),
        m_axis_tlast((prefix + "m_axis_tlast").c_str()),
        m_axis_tuser((prefix + "m_axis_tuser").c_str()),
        m_axis_tvalid((prefix + "m_axis_tvalid").c_str()),
        m_axis_tready((prefix + "m_axis_tready").c_str()) {}

  sc_core::sc_signal<bool> rst_ni;
  sc_core::sc_signal<Pin<Ports::kData>> s_axis_tdata;
  sc_core::sc_signal<Pin<Ports::kInKeep>> s_axis_tkeep;
  sc_core::sc_signal<Pin<1>> s_axis_tlast;
  sc_core::sc_signal<Pin<32>> s_axis_tuser;
  sc_core::sc_signal<Pin<1>> s_axis_tvalid;
  sc_core::sc_signal<Pin<1>> s_axis_tready;
  sc_core::sc_signal<Pin<Ports::kRandom>> rnd_i;
  sc_core::sc_signal<Pin<1>> rnd_ready_o;
  sc_core::sc_signal<Pin<Ports::kCodes>> m_axis_tdata;
  sc_core::sc_signal<Pin<Ports::kLanes>> m_axis_tkeep;
  sc_core::sc_signal<Pin<1>> m_axis_tlast;
  sc_core::sc_signal<Pin<16>> m_axis_tuser;
  sc_core::sc_signal<Pin<1>> m_axis_tvalid;
  sc_core::sc_signal<Pin<1>> m_axis_tready;

  /// Binds every port of a module that has them: mx_quantizer, one made by `verilator --sc`,
  /// QuantizerSource, QuantizerMonitor.
  template <class Module, class Clock>
  void bind(Module& module, Clock& clock) {
    module.clk_i(clock);
    module.rst_ni(rst_ni);
    module.s_axis_tdata(s_axis_tdata);
    module.s_axis_tkeep(s_axis_tkeep);
    module.s_axis_tlast(s_axis_tlast);
    module.s_axis_tuser(s_axis_tuser);
    module.s_axis_tvalid(s_axis_tvalid);
    module.s_axis_tready(s_axis_tready);
    module.rnd_i(rnd_i);
    module.rnd_ready_o(rnd_ready_o);
    module.m_axis_tdata(m_axis_tdata);
    module.m_axis_tkeep(m_axis_tkeep);
    module.m_axis_tlast(m_axis_tlast);
    module.m_axis_tuser(m_axis_tuser);
    module.m_axis_tvalid(m_axis_tvalid);
    module.m_axis_tready(m_axis_tready);
  }

  /// Every signal into a VCD.
  void trace(sc_core::sc_trace_file* file) const {
    sc_trace(file, rst_ni, rst_ni.name());
    sc_trace(file, s_axis_tdata, s_axis_tdata.name());
    sc_trace(file, s_axis_tkeep, s_axis_tkeep.name());
    sc_trace(file, s_axis_tlast, s_axis_tlast.name());
    sc_trace(file, s_axis_tuser, s_axis_tuser.name());
    sc_trace(file, s_axis_tvalid, s_axis_tvalid.name());
    sc_trace(file, s_axis_tready, s_axis_tready.name());
    sc_trace(file, rnd_i, rnd_i.name());
    sc_trace(file, rnd_ready_o, rnd_ready_o.name());
    sc_trace(file, m_axis_tdata, m_axis_tdata.name());
    sc_trace(file, m_axis_tkeep, m_axis_tkeep.name());
    sc_trace(file, m_axis_tlast, m_axis_tlast.name());
    sc_trace(file, m_axis_tuser, m_axis_tuser.name());
    sc_trace(file, m_axis_tvalid, m_axis_tvalid.name());
    sc_trace(file, m_axis_tready, m_axis_tready.name());
  }
};

}  // namespace mxgold
