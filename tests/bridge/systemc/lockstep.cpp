// The pin-level module beside the RTL by `verilator --sc`, on the same pins: every output in every
// cycle, under stalls and resets, for builds that differ in every parameter that it has.
//
//   bridge_systemc_lockstep [CYCLES [SEED]]; with BREAK a parameter of the module is another than
//   the RTL's, and the comparison must fail.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vmx_sc_narrow.h"
#include "Vmx_sc_short.h"
#include "Vmx_sc_whole.h"
#include "Vmx_sc_wires.h"
#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;

/// Words of configurations that the RTL can be told, policies of every kind among them.
class Words {
 public:
  Words(Draw& draw, const Build& build) : draw_(draw), models_(build) {}
  std::uint32_t next() {
    for (;;) {
      std::uint32_t word = draw_.next() % 6 | (draw_.next() % 10) << 3 | (draw_.next() % 5) << 7;
      const std::uint32_t source =
          models_.build().in_width == 32 ? draw_.next() % 3 : 1 + draw_.next() % 2;
      word |= source << 10;
      if (draw_.happens(50)) word |= draw_.next() & 0x07FFF000;
      if (models_.find(word) != nullptr) return word;
    }
  }

 private:
  Draw& draw_;
  WordModels models_;
};

/// What was seen, so that an empty class fails.
struct Seen {
  std::uint64_t cycles = 0, answers = 0, resets = 0, full = 0, short_blocks = 0, waits = 0;
  std::uint64_t differences = 0;
};

template <class Ports, class Rtl>
class Pair : public sc_module {
 public:
  Pair(sc_module_name name, QuantizerOptions options, const Build& build, std::uint64_t seed)
      : sc_module(name),
        rtl("rtl"),
        model("model", options),
        rtl_wires("rtl_"),
        model_wires("model_"),
        build_(build),
        draw_(seed),
        words_(draw_, build) {
    rtl_wires.bind(rtl, clk);
    // The inputs are the same signals.
    model.clk_i(clk);
    model.rst_ni(rtl_wires.rst_ni);
    model.s_axis_tdata(rtl_wires.s_axis_tdata);
    model.s_axis_tkeep(rtl_wires.s_axis_tkeep);
    model.s_axis_tlast(rtl_wires.s_axis_tlast);
    model.s_axis_tuser(rtl_wires.s_axis_tuser);
    model.s_axis_tvalid(rtl_wires.s_axis_tvalid);
    model.rnd_i(rtl_wires.rnd_i);
    model.m_axis_tready(rtl_wires.m_axis_tready);
    model.s_axis_tready(model_wires.s_axis_tready);
    model.rnd_ready_o(model_wires.rnd_ready_o);
    model.m_axis_tdata(model_wires.m_axis_tdata);
    model.m_axis_tkeep(model_wires.m_axis_tkeep);
    model.m_axis_tlast(model_wires.m_axis_tlast);
    model.m_axis_tuser(model_wires.m_axis_tuser);
    model.m_axis_tvalid(model_wires.m_axis_tvalid);
    SC_HAS_PROCESS(Pair);
    SC_THREAD(run);
  }

  sc_signal<bool> clk{"clk"};
  Rtl rtl;
  mx_quantizer<Ports::kLanes, Ports::kInWidth, Ports::kSrBits> model;
  QuantizerWires<Ports> rtl_wires;
  QuantizerWires<Ports> model_wires;
  Seen seen;

 private:
  void run() {
    rtl_wires.rst_ni.write(true);
    drive();
    settle();
    reset(2);
    for (;;) {
      if (draw_.next() % 600 == 0) reset(draw_.next() % 4);
      if (draw_.next() % 300 == 0) choose_stalls();
      drive();
      settle();
      compare();
      taken_ = rtl_wires.s_axis_tvalid.read() && rtl_wires.s_axis_tready.read();
      random_taken_ = rtl_wires.rnd_ready_o.read();
      rising();
    }
  }

  void settle() { wait(4, SC_NS); }
  void rising() {
    clk.write(true);
    wait(5, SC_NS);
    clk.write(false);
    wait(1, SC_NS);
  }

  // With 0 edges a pulse between two of them; sometimes while something is offered.
  void reset(unsigned edges) {
    ++seen.resets;
    rtl_wires.rst_ni.write(false);
    offered_ = false;
    beat_ = 0;
    settle();
    compare();
    for (unsigned i = 0; i < edges; ++i) {
      rising();
      drive();
      settle();
      compare();
    }
    rtl_wires.rst_ni.write(true);
    offered_ = false;
    beat_ = 0;
    // Release and edge never meet.
    settle();
  }

  void choose_stalls() {
    static constexpr std::array<unsigned, 4> kPercent = {0, 10, 50, 90};
    input_stall_ = kPercent[draw_.next() % 4];
    output_stall_ = kPercent[draw_.next() % 4];
  }

  template <int Bits>
  typename TwoState::Pin<Bits> noise() {
    PinBits<Bits> bits;
    for (std::uint32_t& word : bits.value) word = draw_.next();
    if (Bits % 32 != 0) bits.value.back() &= (std::uint32_t{1} << (Bits % 32)) - 1;
    typename TwoState::Pin<Bits> pin{};
    write_pin(bits.value.data(), pin);
    return pin;
  }

  void drive() {
    if (offered_ && taken_) {
      beat_ =
          rtl_wires.s_axis_tlast.read() ? 0 : (beat_ + 1) % static_cast<unsigned>(build_.beats());
      offered_ = false;
    }
    // A word stays until it is taken (spec R5.5).
    if (random_taken_) rtl_wires.rnd_i.write(noise<Ports::kRandom>());
    rtl_wires.m_axis_tready.write(!draw_.happens(output_stall_));
    if (offered_) return;
    offered_ = rtl_wires.rst_ni.read() && !draw_.happens(input_stall_);
    rtl_wires.s_axis_tvalid.write(offered_);
    rtl_wires.s_axis_tdata.write(noise<Ports::kData>());
    rtl_wires.s_axis_tkeep.write(noise<Ports::kInKeep>());
    rtl_wires.s_axis_tuser.write(draw_.next());
    rtl_wires.s_axis_tlast.write(draw_.happens(20));
    if (offered_) beat();
  }

  void beat() {
    if (beat_ == 0) word_ = words_.next();
    // Later beats' words are ignored.
    rtl_wires.s_axis_tuser.write(beat_ == 0 ? word_ | (draw_.next() & 0xF8000000) : draw_.next());
    PinBits<Ports::kData> data;
    PinBits<Ports::kInKeep> keep;
    const bool all = draw_.happens(50);
    seen.short_blocks += all ? 0U : 1U;
    const unsigned bytes = Ports::kInWidth / 8;
    const std::uint32_t source = word_ >> 10 & 3;
    const unsigned width = source == 0 ? 32 : 16;
    if (beat_ == 0) {
      kind_ = draw_.next() % 8;
      exponent_ = draw_.next();
    }
    for (unsigned i = 0; i < static_cast<unsigned>(Ports::kLanes); ++i) {
      put_field(data.value.data(), i, Ports::kInWidth, code(source, width));
      const bool is_kept = all || draw_.happens(60);
      put_field(keep.value.data(), i, bytes, is_kept ? (1U << bytes) - 1 : 0);
    }
    TwoState::Pin<Ports::kData> data_pin{};
    TwoState::Pin<Ports::kInKeep> keep_pin{};
    write_pin(data.value.data(), data_pin);
    write_pin(keep.value.data(), keep_pin);
    rtl_wires.s_axis_tdata.write(data_pin);
    rtl_wires.s_axis_tkeep.write(keep_pin);
  }

  std::uint32_t code(std::uint32_t source, unsigned width) {
    const std::uint32_t noise = draw_.next();
    const std::uint32_t high = noise & ~(~std::uint32_t{0} >> (32 - width));
    const unsigned man = source == 0 ? 23 : source == 1 ? 7 : 10;
    const std::uint32_t top = (1U << (width - 1 - man)) - 1;
    std::uint32_t exponent = noise >> 3;
    if (kind_ < 5) exponent = exponent_ + draw_.next() % (2 + 5 * kind_);
    if (kind_ == 5) exponent = draw_.next() % 3;
    if (kind_ == 6) exponent = top - draw_.next() % 3;
    exponent &= top;
    if (exponent == top && draw_.happens(90) && kind_ != 6) --exponent;
    std::uint32_t man_bits = draw_.next() & ((1U << man) - 1);
    if (draw_.happens(20)) man_bits &= ~((1U << (man - 2)) - 1);
    if (draw_.happens(5)) return high;
    return high | (draw_.next() & 1U) << (width - 1) | exponent << man | man_bits;
  }

  template <class T>
  void same(const char* pin, const sc_signal<T>& rtl_pin, const sc_signal<T>& model_pin) {
    if (rtl_pin.read() == model_pin.read()) return;
    if (++seen.differences > 5) return;
    std::fprintf(stderr, "%s: %s, cycle %llu: RTL and model differ\n", name(), pin,
                 static_cast<unsigned long long>(seen.cycles));
    rtl_pin.print(std::cerr);
    std::cerr << '\n';
    model_pin.print(std::cerr);
    std::cerr << '\n';
  }

  void compare() {
    ++seen.cycles;
    const bool in_reset = !rtl_wires.rst_ni.read();
    same("m_axis_tvalid", rtl_wires.m_axis_tvalid, model_wires.m_axis_tvalid);
    same("s_axis_tready", rtl_wires.s_axis_tready, model_wires.s_axis_tready);
    same("rnd_ready_o", rtl_wires.rnd_ready_o, model_wires.rnd_ready_o);
    seen.full += rtl_wires.s_axis_tready.read() ? 0U : 1U;
    if (in_reset || !rtl_wires.m_axis_tvalid.read()) return;
    ++seen.answers;
    seen.waits += rtl_wires.m_axis_tready.read() ? 0U : 1U;
    same("m_axis_tdata", rtl_wires.m_axis_tdata, model_wires.m_axis_tdata);
    same("m_axis_tkeep", rtl_wires.m_axis_tkeep, model_wires.m_axis_tkeep);
    same("m_axis_tuser", rtl_wires.m_axis_tuser, model_wires.m_axis_tuser);
    same("m_axis_tlast", rtl_wires.m_axis_tlast, model_wires.m_axis_tlast);
  }

  Build build_;
  Draw draw_;
  Words words_;
  bool offered_ = false;
  bool taken_ = false;
  bool random_taken_ = true;
  unsigned beat_ = 0;
  unsigned input_stall_ = 0;
  unsigned output_stall_ = 0;
  std::uint32_t word_ = 0;
  std::uint32_t kind_ = 0;
  std::uint32_t exponent_ = 0;
};

int judge(const char* name, const Seen& seen) {
  std::printf(
      "%s: %llu cycles, %llu with an answer, %llu waiting, %llu not ready, %llu resets, "
      "%llu beats with lanes left out, %llu differences\n",
      name, static_cast<unsigned long long>(seen.cycles),
      static_cast<unsigned long long>(seen.answers), static_cast<unsigned long long>(seen.waits),
      static_cast<unsigned long long>(seen.full), static_cast<unsigned long long>(seen.resets),
      static_cast<unsigned long long>(seen.short_blocks),
      static_cast<unsigned long long>(seen.differences));
  const bool is_empty = seen.answers < 100 || seen.waits < 100 || seen.full < 100 ||
                        seen.resets < 3 || seen.short_blocks < 100;
  if (is_empty) std::printf("%s: a class is empty\n", name);
  return seen.differences != 0 || is_empty ? 1 : 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const bool is_broken = argc > 1 && std::strcmp(argv[1], "BREAK") == 0;
  const int cycles = argc > 1 && !is_broken ? std::atoi(argv[1]) : 20000;
  const auto seed = argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1;
  QuantizerOptions whole_options;
  if (is_broken) whole_options.policy_mask = 0x7FFF & ~1U;
  Pair<Shape<>, Vmx_sc_whole> whole("whole", whole_options, Build{}, seed);
  // Lanes 8, PipeLane 2, OutSkid 1, SrBits 5, SrVariant 1.
  QuantizerOptions narrow_options;
  narrow_options.sr_variant = 1;
  narrow_options.pipe_lane = is_broken ? 1 : 2;
  narrow_options.out_skid = 1;
  Build narrow_build;
  narrow_build.lanes = 8;
  narrow_build.sr_bits = 5;
  narrow_build.sr_variant = 1;
  Pair<Shape<8, 32, 5>, Vmx_sc_narrow> narrow("narrow", narrow_options, narrow_build, seed + 1);
  // Lanes 16, BlockSize 16, 16-bit sources, PipeLane 1, SrVariant 2, Subnormals 0.
  QuantizerOptions short_options;
  short_options.block_size = 16;
  short_options.sr_variant = 2;
  short_options.subnormals = is_broken ? 1 : 0;
  short_options.pipe_lane = 1;
  Build short_build;
  short_build.lanes = short_build.block_size = 16;
  short_build.in_width = 16;
  short_build.sr_variant = 2;
  short_build.subnormals = 0;
  Pair<Shape<16, 16, 8>, Vmx_sc_short> shorter("shorter", short_options, short_build, seed + 2);
  // Lanes 4, BlockSize 64, PipeLane 0, SrBits 12, some policies.
  QuantizerOptions wires_options;
  wires_options.block_size = 64;
  wires_options.pipe_lane = 0;
  wires_options.policy_mask = 0x2AAA;
  Build wires_build;
  wires_build.lanes = 4;
  wires_build.block_size = 64;
  wires_build.sr_bits = 12;
  wires_build.policy_mask = 0x2AAA;
  Pair<Shape<4, 32, 12>, Vmx_sc_wires> wires("wires", wires_options, wires_build, seed + 3);

  sc_start(10.0 * cycles, SC_NS);
  const int found = judge("whole", whole.seen) + judge("narrow", narrow.seen) +
                    judge("shorter", shorter.seen) + judge("wires", wires.seen);
  if (is_broken) {
    const bool all = whole.seen.differences != 0 && narrow.seen.differences != 0 &&
                     shorter.seen.differences != 0;
    std::printf("%s\n", all ? "every defect was seen" : "a defect was not seen");
    return all ? 0 : 1;
  }
  std::printf("%s\n", found == 0 ? "PASS" : "FAIL");
  return found == 0 ? 0 : 1;
}
