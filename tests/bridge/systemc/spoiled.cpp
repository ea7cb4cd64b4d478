// What a monitor on sc_lv pins has to see: X on one bit of a code and on a control pin, which are a
// difference of their own with the lane or the pin; an answer that is lost, one that changes while
// it waits, a wrong bit, a configuration word that is none, and pins on which nothing ever happens.
// Without any of these everything agrees.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;

/// Copies the wires of a quantizer to wires that know X, and spoils one bit in one answer.
class Spoiler : public sc_module {
 public:
  enum class Spoils : std::uint8_t {
    kNothing,
    kCode,
    kValid,
    kLost,
    kChange,
    kBit,
    kWord,
    kSilent
  };

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
    spoil_input(from_.s_axis_tvalid.read() && from_.s_axis_tready.read());
    spoil(from_.m_axis_tvalid.read(), from_.m_axis_tready.read());
  }

  void spoil_input(bool is_taken) {
    if (spoils_ == Spoils::kSilent) to_.s_axis_tvalid.write(sc_dt::SC_LOGIC_0);
    if (!is_taken || ++blocks_ != 6 || spoils_ != Spoils::kWord) return;
    to_.s_axis_tuser.write(sc_dt::sc_lv<32>(~0U));
  }

  void spoil(bool is_valid, bool is_ready) {
    if (spoils_ == Spoils::kSilent) {
      to_.m_axis_tvalid.write(sc_dt::SC_LOGIC_0);
      to_.rnd_ready_o.write(sc_dt::SC_LOGIC_0);
    }
    const bool waits = is_valid && !is_ready;
    waited_ = waits ? waited_ + 1 : 0;
    if (spoils_ == Spoils::kChange && waited_ == 2 && !is_changed_) {
      is_changed_ = true;
      flip(0);
    }
    if (!is_valid || !is_ready || ++answers_ != 6) return;
    if (spoils_ == Spoils::kValid) to_.m_axis_tvalid.write(sc_dt::SC_LOGIC_X);
    if (spoils_ == Spoils::kLost) to_.m_axis_tvalid.write(sc_dt::SC_LOGIC_0);
    if (spoils_ == Spoils::kBit) flip(7 * 8);
    if (spoils_ != Spoils::kCode) return;
    sc_dt::sc_lv<256> data = from_.m_axis_tdata.read();
    data[3 * 8 + 1] = sc_dt::SC_LOGIC_X;
    to_.m_axis_tdata.write(data);
  }

  void flip(int bit) {
    sc_dt::sc_lv<256> data = from_.m_axis_tdata.read();
    data[bit] = data[bit].to_bool() ? sc_dt::SC_LOGIC_0 : sc_dt::SC_LOGIC_1;
    to_.m_axis_tdata.write(data);
  }

  const QuantizerWires<>& from_;
  QuantizerWires<Shape<>, FourState>& to_;
  Spoils spoils_;
  int blocks_ = 0;
  int answers_ = 0;
  int waited_ = 0;
  bool is_changed_ = false;
};

/// A monitor and a checker behind a spoiler.
struct Watched {
  Watched(const std::string& name, const VectorFile& vectors, const QuantizerWires<>& from,
          sc_clock& clock, Spoiler::Spoils spoils)
      : wires(name + "_"),
        spoiler((name + "_spoiler").c_str(), from, wires, clock, spoils),
        checker(name, vectors.build(32)),
        monitor((name + "_monitor").c_str(), checker) {
    wires.bind(monitor, clock);
    checker.expect(vectors);
  }
  QuantizerWires<Shape<>, FourState> wires;
  Spoiler spoiler;
  QuantizerChecker checker;
  QuantizerMonitor<Shape<>, FourState> monitor;
};

/// Is there a difference of this kind in this block, whose text has the part?
bool has(const Watched& watched, Difference difference, std::uint64_t block,
         const std::string& part) {
  const std::vector<Mismatch>& all = watched.checker.mismatches();
  return !watched.checker.passed() &&
         std::any_of(all.begin(), all.end(), [&](const Mismatch& each) {
           return each.difference == difference && each.block == block &&
                  each.text.find(part) != std::string::npos;
         });
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 2) return 2;
  const VectorFile vectors = read_vectors(argv[1]);
  sc_clock clock("clk_i", 10, SC_NS);
  QuantizerWires<> wires;
  mx_quantizer<> dut("dut");
  QuantizerSource<> source("source", vectors, {3, 20, 20});
  wires.bind(dut, clock);
  wires.bind(source, clock);
  using Spoils = Spoiler::Spoils;
  Watched clean("clean", vectors, wires, clock, Spoils::kNothing);
  Watched code("code", vectors, wires, clock, Spoils::kCode);
  Watched valid("valid", vectors, wires, clock, Spoils::kValid);
  Watched lost("lost", vectors, wires, clock, Spoils::kLost);
  Watched change("change", vectors, wires, clock, Spoils::kChange);
  Watched bit("bit", vectors, wires, clock, Spoils::kBit);
  Watched word("word", vectors, wires, clock, Spoils::kWord);
  Watched silent("silent", vectors, wires, clock, Spoils::kSilent);
  sc_start();
  for (Watched* each : {&clean, &code, &valid, &lost, &change, &bit, &word, &silent}) {
    each->checker.finish();
    std::cout << each->checker.report();
  }
  const auto count = std::to_string(vectors.vectors.size());
  const bool is_right =
      clean.checker.passed() && has(code, Difference::kUnknown, 5, "code[3]") &&
      code.checker.mismatches().size() == 1 &&
      has(valid, Difference::kUnknown, 5, "m_axis_tvalid") &&
      has(lost, Difference::kLost, vectors.vectors.size() - 1, "1 of " + count + " blocks") &&
      has(lost, Difference::kLost, 5, "those to the next block") &&
      change.checker.mismatches().front().difference == Difference::kProtocol &&
      has(change, Difference::kProtocol, change.checker.mismatches().front().block, "changed") &&
      has(bit, Difference::kValue, 5, "code[7]") && bit.checker.mismatches().size() == 1 &&
      has(word, Difference::kIllegal, 5, "tuser ffffffff: 07ffffff is no configuration word") &&
      word.checker.mismatches().size() == 1 &&
      has(silent, Difference::kLost, 0, "0 of " + count + " vectors") &&
      silent.checker.counts().compared == 0;
  std::cout << (is_right ? "PASS" : "FAIL") << '\n';
  return is_right ? 0 : 1;
}
