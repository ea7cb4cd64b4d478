// mxgold_systemc_dut: the pin-level module of mxgold_systemc.h for `mxgold run --dut systemc`. A
// process holds one SystemC kernel, which elaborates once, so every device has its own.
//
// Reads requests (pin_messages.hpp) from standard input until it ends, writes to standard output.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "mxgold_systemc.h"
#include "sim/systemc/pin_messages.hpp"

namespace {

using mx::sim::PinRequest;
using mx::sim::RtlPins;
using namespace sc_core;

class Pins : public sc_module {
 public:
  Pins(sc_module_name name, int output) : sc_module(name), output_(output), dut_("dut") {
    wires_.bind(dut_, clock_);
    SC_HAS_PROCESS(Pins);
    SC_THREAD(run);
  }

 private:
  // The inputs that are there, without waiting for more than one request.
  bool next(PinRequest& request) {
    while (filled_ - taken_ < sizeof request) {
      std::memmove(buffer_.data(), buffer_.data() + taken_, filled_ - taken_);
      filled_ -= taken_;
      taken_ = 0;
      const ssize_t got = ::read(STDIN_FILENO, buffer_.data() + filled_, buffer_.size() - filled_);
      if (got <= 0) return false;
      filled_ += static_cast<std::size_t>(got);
    }
    std::memcpy(&request, buffer_.data() + taken_, sizeof request);
    taken_ += sizeof request;
    return true;
  }

  void run() {
    PinRequest request;
    while (next(request)) {
      drive(request.pins);
      // Every delta cycle of the change.
      wait(1, SC_NS);
      if (request.answers == 0) continue;
      RtlPins pins = request.pins;
      sample(pins);
      if (::write(output_, &pins, sizeof pins) != static_cast<ssize_t>(sizeof pins)) break;
    }
    sc_stop();
  }

  template <std::size_t Words, int Bits>
  static void put(const std::array<std::uint32_t, Words>& words,
                  sc_signal<sc_dt::sc_bv<Bits>>& wire) {
    sc_dt::sc_bv<Bits> value;
    mxgold::write_pin(words.data(), value);
    wire.write(value);
  }

  void drive(const RtlPins& pins) {
    clock_.write(pins.clk_i != 0);
    wires_.rst_ni.write(pins.rst_ni != 0);
    wires_.s_axis_tvalid.write(pins.s_axis_tvalid != 0);
    wires_.s_axis_tlast.write(pins.s_axis_tlast != 0);
    wires_.s_axis_tuser.write(pins.s_axis_tuser);
    wires_.m_axis_tready.write(pins.m_axis_tready != 0);
    put(pins.s_axis_tdata, wires_.s_axis_tdata);
    put(pins.s_axis_tkeep, wires_.s_axis_tkeep);
    put(pins.rnd_i, wires_.rnd_i);
  }

  void sample(RtlPins& pins) const {
    pins.s_axis_tready = wires_.s_axis_tready.read() ? 1 : 0;
    pins.rnd_ready_o = wires_.rnd_ready_o.read() ? 1 : 0;
    pins.m_axis_tvalid = wires_.m_axis_tvalid.read() ? 1 : 0;
    pins.m_axis_tlast = wires_.m_axis_tlast.read() ? 1 : 0;
    pins.m_axis_tuser = static_cast<std::uint16_t>(wires_.m_axis_tuser.read());
    pins.m_axis_tkeep = wires_.m_axis_tkeep.read();
    mxgold::PinBits<256> codes;
    mxgold::read_pin(wires_.m_axis_tdata.read(), codes);
    pins.m_axis_tdata = codes.value;
  }

  int output_;
  sc_signal<bool> clock_{"clk_i"};
  mxgold::QuantizerWires<> wires_;
  mxgold::mx_quantizer<> dut_;
  std::array<char, 64 * sizeof(PinRequest)> buffer_{};
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace

int sc_main(int, char**) {
  // Whatever SystemC prints belongs to people.
  const int output = ::dup(STDOUT_FILENO);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  sc_report_handler::set_actions("/OSCI/SystemC", SC_INFO, SC_DO_NOTHING);
  sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
  const std::string greeting = std::string(mx::sim::kPinGreeting) + " " +
                               std::to_string(sizeof(PinRequest)) + " " +
                               std::to_string(sizeof(RtlPins)) + "\n";
  Pins pins("pins", output);
  if (::write(output, greeting.data(), greeting.size()) != static_cast<ssize_t>(greeting.size())) {
    return 1;
  }
  sc_start();
  return 0;
}
