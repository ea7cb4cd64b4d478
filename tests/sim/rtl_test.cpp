// The Verilated quantizer through the harness, with the assertions of its checkers on.
#include <gtest/gtest.h>
#include <verilated.h>

#include "Vmx_quantizer_checked.h"
#include "sim/dut/verilated.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

std::string why(const RunResult& result) {
  return result.failures.empty() ? "" : result.failures[0].what;
}

TEST(Rtl, SmokeMatchesTheReferenceBitForBit) {
  const RunResult rtl = run(test::smoke(), make_rtl_dut, {});
  EXPECT_EQ(rtl.exit_code(), 0) << why(rtl);
  const RunResult reference = run(test::smoke(), test::reference_with(), {});
  EXPECT_EQ(rtl.digest, reference.digest);
}

TEST(Rtl, OutputDoesNotDependOnStallsOrResets) {
  RunOptions plain = test::plain_options();
  plain.last = 8192;
  const std::string digest = run(test::smoke(), make_rtl_dut, plain).digest;
  for (const Stall stall : {Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    for (const char* reset : {"none", "sweep", "random"}) {
      RunOptions options;
      options.last = 8192;
      options.schedule.stall = stall;
      options.schedule.reset = ResetPlan::parse(reset);
      const RunResult result = run(test::smoke(), make_rtl_dut, options);
      EXPECT_EQ(result.exit_code(), 0) << token_of(stall) << ' ' << reset << ": " << why(result);
      EXPECT_EQ(result.digest, digest) << token_of(stall) << ' ' << reset;
    }
  }
}

// State that the reset does not clear starts at random values; another seed, other values.
TEST(Rtl, InitialStateDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RunOptions options;
    options.seed = seed;
    options.last = 4096;
    const RunResult result = run(test::smoke(), make_rtl_dut, options);
    EXPECT_EQ(result.exit_code(), 0) << "seed " << seed << ": " << why(result);
  }
}

TEST(Rtl, TakesOneBlockEachCycle) {
  RunOptions options = test::plain_options();
  options.last = 2048;
  const RunResult result = run(test::smoke(), make_rtl_dut, options);
  ASSERT_EQ(result.exit_code(), 0) << why(result);
  constexpr std::uint64_t kDrain = 24 + 8;  // cycles of the left-over check
  EXPECT_LE(result.drive.cycles, 2048U + 8U + kDrain);
}

TEST(RtlChecked, AssertionsHoldUnderStallsAndResets) {
  for (const char* stall : {"mix", "heavy", "random"}) {
    RunOptions options;
    options.schedule.stall = parse_stall(stall);
    options.last = 32768;
    const RunResult result = run(test::smoke(), make_checked_rtl_dut, options);
    EXPECT_EQ(result.exit_code(), 0) << why(result);
  }
}

// The assertions are alive: an illegal configuration code is one of the things they forbid. No
// configuration has such a word, so the model gets it at its ports.
TEST(RtlChecked, IllegalCodeIsCaught) {
  VerilatedContext context;
  Vmx_quantizer_checked model(&context);
  const auto run = [&](std::uint32_t word, int cycles) {
    model.s_axis_tuser = word;
    for (int cycle = 0; cycle < cycles; ++cycle) {
      for (const bool clock : {false, true}) {
        model.clk_i = clock;
        model.eval();
      }
    }
  };
  model.s_axis_tvalid = 0;
  model.m_axis_tready = 1;
  model.rst_ni = 1;
  run(0, 1);
  model.rst_ni = 0;  // its edge arms the assertions
  run(0, 4);
  model.rst_ni = 1;
  model.s_axis_tvalid = 1;
  run(0, 20);
  EXPECT_THROW(run(6, 20), DutError);
}

/// Flips a field and says how the refusal names it.
struct Untold {
  const char* name;
  void (*change)(QuantizerConfig&);
};

TEST(Rtl, RefusesByNameWhatItCannotBeTold) {
  const std::unique_ptr<Dut> dut = make_rtl_dut();
  const QuantizerConfig base = std::get<QuantizerConfig>(test::told(0).what);
  EXPECT_EQ(dut->refusal(base), "");
  for (const auto& [name, change] : {
           Untold{"src_daz_block", [](auto& c) { c.block.src_daz_block = BlockFlush::kFlush; }},
           Untold{"dst_ftz",
                  [](auto& c) { c.element.dst_ftz = ResultSubnormals::kFlushAfterRounding; }},
           Untold{"staging", [](auto& c) { c.element.staging = Staging::kViaBf16; }},
           Untold{"random bits",
                  [](auto& c) {
                    c.element.rounding = Rounding::kStochasticA;
                    c.element.random_bits = 16;
                  }},
           Untold{"stochastic_a with 8",
                  [](auto& c) {
                    c.element.rounding = Rounding::kStochasticB;
                    c.element.random_bits = 8;
                  }},
           Untold{"blocks of 32", [](auto& c) { c.format.block_size = 16; }},
       }) {
    QuantizerConfig config = base;
    change(config);
    const std::string why = dut->refusal(config);
    EXPECT_NE(why.find(name), std::string::npos) << name << ": '" << why << "'";
    const Configurations configs{{config, {}}};
    EXPECT_THROW(make_rtl_dut()->configure({configs, 0}), UnsupportedError) << name;
  }
}

}  // namespace
}  // namespace mx::sim
