// Watches the pins of a quantizer and tells a listener of beats, random words and resets.
#pragma once

#include <string>
#include <systemc>

#include "mxgold_systemc/checker.hpp"
#include "mxgold_systemc/pins.hpp"

namespace mxgold {

/// Samples what stands on the wires just before each rising edge. `Pins` as in QuantizerWires; with
/// FourState, X and Z are told apart from values.
template <class Ports = Shape<>, class Pins = TwoState>
class QuantizerMonitor : public sc_core::sc_module {
 public:
  template <int Bits>
  using In = sc_core::sc_in<typename Pins::template Pin<Bits>>;

  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  In<Ports::kData> s_axis_tdata{"s_axis_tdata"};
  In<Ports::kInKeep> s_axis_tkeep{"s_axis_tkeep"};
  In<1> s_axis_tlast{"s_axis_tlast"};
  In<32> s_axis_tuser{"s_axis_tuser"};
  In<1> s_axis_tvalid{"s_axis_tvalid"};
  In<1> s_axis_tready{"s_axis_tready"};
  In<Ports::kRandom> rnd_i{"rnd_i"};
  In<1> rnd_ready_o{"rnd_ready_o"};
  In<Ports::kCodes> m_axis_tdata{"m_axis_tdata"};
  In<Ports::kLanes> m_axis_tkeep{"m_axis_tkeep"};
  In<1> m_axis_tlast{"m_axis_tlast"};
  In<16> m_axis_tuser{"m_axis_tuser"};
  In<1> m_axis_tvalid{"m_axis_tvalid"};
  In<1> m_axis_tready{"m_axis_tready"};

  QuantizerMonitor(sc_core::sc_module_name name, BeatListener& listener)
      : sc_module(name), listener_(listener) {
    SC_HAS_PROCESS(QuantizerMonitor);
    SC_METHOD(on_edge);
    sensitive << clk_i.pos();
    dont_initialize();
    SC_METHOD(on_reset);
    sensitive << rst_ni.neg();
    dont_initialize();
  }

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  void on_reset() {
    listener_.on_reset();
    waits_ = false;
    was_reset_ = true;
  }

  template <class Port>
  bool flag(const Port& port) {
    PinBits<1> bit;
    read_pin(port.read(), bit);
    if (!bit.is_known()) listener_.on_unknown(port.name());
    return bit.value[0] != 0;
  }

  void on_edge() {
    // Before the first reset the valid bits of RTL are whatever they are.
    if (!rst_ni.read() || !was_reset_) return;
    ++cycles_;
    if (flag(s_axis_tvalid) && flag(s_axis_tready)) see_in();
    if (flag(rnd_ready_o)) see_random();
    see_out();
  }

  void see_in() {
    PinBits<Ports::kData> data;
    PinBits<Ports::kInKeep> keep;
    PinBits<32> tuser;
    read_pin(s_axis_tdata.read(), data);
    read_pin(s_axis_tkeep.read(), keep);
    read_pin(s_axis_tuser.read(), tuser);
    BeatIn beat;
    for (unsigned i = 0; i < Ports::kLanes; ++i) {
      beat.source[i] = get_field(data.value.data(), i, Ports::kInWidth);
      beat.keep |= get_field(keep.value.data(), i * (Ports::kInWidth / 8), 1) << i;
    }
    beat.tuser = tuser.value[0];
    beat.last = flag(s_axis_tlast);
    listener_.on_in(beat);
  }

  void see_random() {
    PinBits<Ports::kRandom> bits;
    read_pin(rnd_i.read(), bits);
    BeatRandom random{};
    for (unsigned i = 0; i < Ports::kLanes; ++i) {
      random[i] = get_field(bits.value.data(), i, Ports::kSrBits);
    }
    listener_.on_random(random);
  }

  void see_out() {
    const bool is_valid = flag(m_axis_tvalid);
    const bool is_ready = flag(m_axis_tready);
    if (!is_valid) {
      if (waits_) listener_.on_broken("m_axis_tvalid fell before m_axis_tready");
      waits_ = false;
      return;
    }
    PinBits<Ports::kCodes> data;
    PinBits<Ports::kLanes> keep;
    PinBits<16> user;
    PinBits<1> last;
    read_pin(m_axis_tdata.read(), data);
    read_pin(m_axis_tkeep.read(), keep);
    read_pin(m_axis_tuser.read(), user);
    read_pin(m_axis_tlast.read(), last);
    if (waits_ && (data.value != data_.value || keep.value != keep_.value ||
                   user.value != user_.value || last.value != last_.value)) {
      listener_.on_broken("the payload changed before m_axis_tready");
    }
    waits_ = !is_ready;
    data_ = data;
    keep_ = keep;
    user_ = user;
    last_ = last;
    if (!is_ready) return;
    BeatOut beat;
    std::string unknown;
    const auto require = [&](bool is_known, const std::string& what) {
      if (!is_known) unknown += (unknown.empty() ? "" : ", ") + what;
    };
    for (unsigned i = 0; i < Ports::kLanes; ++i) {
      beat.codes[i] = static_cast<std::uint8_t>(get_field(data.value.data(), i, 8));
      require(get_field(data.unknown.data(), i, 8) == 0, "code[" + std::to_string(i) + "]");
    }
    require(keep.is_known(), "m_axis_tkeep");
    require(user.is_known(), "m_axis_tuser");
    require(last.is_known(), "m_axis_tlast");
    beat.keep = keep.value[0];
    beat.user = static_cast<std::uint16_t>(user.value[0]);
    beat.last = last.value[0] != 0;
    listener_.on_out(beat, unknown);
  }

  BeatListener& listener_;
  std::uint64_t cycles_ = 0;
  bool was_reset_ = false;
  bool waits_ = false;
  PinBits<Ports::kCodes> data_;
  PinBits<Ports::kLanes> keep_;
  PinBits<16> user_;
  PinBits<1> last_;
};

}  // namespace mxgold
