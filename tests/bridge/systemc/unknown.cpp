// Benches on sc_lv: X on one bit of a code, and on a control pin, is a difference of its own that
// names the lane or the pin; without it everything agrees.
#include <cstdio>
#include <cstring>
#include <iostream>

#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;

/// Copies the wires of a quantizer to wires that know X, and spoils one bit in one answer.
class Spoiler : public sc_module {
 public:
  enum class Spoils : std::uint8_t { kNothing, kCode, kValid };

  Spoiler(sc_module_name name, const QuantizerWires<>& from, QuantizerWires<Shape<>, FourState>& to,
          sc_clock& clock, Spoils spoils)
      : sc_module(name), from_(from), to_(to), spoils_(spoils) {
    SC_HAS_PROCESS(Spoiler);
    SC_METHOD(copy);
    // Half a cycle before the edge that samples them.
    sensitive << clock.negedge_event();
  }

 private:
  template <int Bits, class From, class To>
  static void copy_pin(const From& from, To& to) {
    PinBits<Bits> bits;
    read_pin(from.read(), bits);
    FourState::Pin<Bits> pin{};
    write_pin(bits.value.data(), pin);
    to.write(pin);
  }

  void copy() {
    to_.rst_ni.write(from_.rst_ni.read());
    copy_pin<1024>(from_.s_axis_tdata, to_.s_axis_tdata);
    copy_pin<128>(from_.s_axis_tkeep, to_.s_axis_tkeep);
    copy_pin<1>(from_.s_axis_tlast, to_.s_axis_tlast);
    copy_pin<32>(from_.s_axis_tuser, to_.s_axis_tuser);
    copy_pin<1>(from_.s_axis_tvalid, to_.s_axis_tvalid);
    copy_pin<1>(from_.s_axis_tready, to_.s_axis_tready);
    copy_pin<256>(from_.rnd_i, to_.rnd_i);
    copy_pin<1>(from_.rnd_ready_o, to_.rnd_ready_o);
    copy_pin<256>(from_.m_axis_tdata, to_.m_axis_tdata);
    copy_pin<32>(from_.m_axis_tkeep, to_.m_axis_tkeep);
    copy_pin<1>(from_.m_axis_tlast, to_.m_axis_tlast);
    copy_pin<16>(from_.m_axis_tuser, to_.m_axis_tuser);
    copy_pin<1>(from_.m_axis_tvalid, to_.m_axis_tvalid);
    copy_pin<1>(from_.m_axis_tready, to_.m_axis_tready);
    const bool is_answer = from_.m_axis_tvalid.read() && from_.m_axis_tready.read();
    if (!is_answer || ++answers_ != 6) return;
    if (spoils_ == Spoils::kValid) to_.m_axis_tvalid.write(sc_dt::SC_LOGIC_X);
    if (spoils_ != Spoils::kCode) return;
    sc_dt::sc_lv<256> data = from_.m_axis_tdata.read();
    data[3 * 8 + 1] = sc_dt::SC_LOGIC_X;
    to_.m_axis_tdata.write(data);
  }

  const QuantizerWires<>& from_;
  QuantizerWires<Shape<>, FourState>& to_;
  Spoils spoils_;
  int answers_ = 0;
};

bool has(const QuantizerChecker& checker, Difference difference, std::uint64_t block,
         const std::string& text) {
  for (const Mismatch& each : checker.mismatches()) {
    if (each.difference == difference && each.block == block &&
        each.text.find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 2) return 2;
  VectorFile vectors = read_vectors(argv[1]);
  sc_clock clock("clk_i", 10, SC_NS);
  QuantizerWires<> wires;
  mx_quantizer<> dut("dut");
  int running = 1;
  QuantizerSource<> source("source", vectors, {3, 20, 20}, [&running] {
    if (--running == 0) sc_stop();
  });
  wires.bind(dut, clock);
  wires.bind(source, clock);
  QuantizerWires<Shape<>, FourState> clean_wires("clean_");
  QuantizerWires<Shape<>, FourState> code_wires("code_");
  QuantizerWires<Shape<>, FourState> valid_wires("valid_");
  Spoiler clean("clean", wires, clean_wires, clock, Spoiler::Spoils::kNothing);
  Spoiler code("code", wires, code_wires, clock, Spoiler::Spoils::kCode);
  Spoiler valid("valid", wires, valid_wires, clock, Spoiler::Spoils::kValid);
  QuantizerChecker clean_checker("clean", vectors.build(32));
  QuantizerChecker code_checker("code", vectors.build(32));
  QuantizerChecker valid_checker("valid", vectors.build(32));
  QuantizerMonitor<Shape<>, FourState> clean_monitor("clean_monitor", clean_checker);
  QuantizerMonitor<Shape<>, FourState> code_monitor("code_monitor", code_checker);
  QuantizerMonitor<Shape<>, FourState> valid_monitor("valid_monitor", valid_checker);
  clean_wires.bind(clean_monitor, clock);
  code_wires.bind(code_monitor, clock);
  valid_wires.bind(valid_monitor, clock);
  clean_checker.expect(vectors);
  sc_start();
  for (QuantizerChecker* each : {&clean_checker, &code_checker, &valid_checker}) {
    each->finish();
    std::cout << each->report();
  }
  const bool is_right = clean_checker.passed() && !code_checker.passed() &&
                        !valid_checker.passed() &&
                        has(code_checker, Difference::kUnknown, 5, "code[3]") &&
                        code_checker.mismatches().size() == 1 &&
                        has(valid_checker, Difference::kUnknown, 5, "m_axis_tvalid");
  std::cout << (is_right ? "PASS" : "FAIL") << '\n';
  return is_right ? 0 : 1;
}
