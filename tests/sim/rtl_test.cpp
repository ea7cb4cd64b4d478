// The Verilated quantizer through the harness, with the assertions of its checkers on.
#include <gtest/gtest.h>

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
  constexpr std::uint64_t kDrain = 24;  // cycles of the left-over check
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

// The assertions are alive: an illegal configuration code is one of the things they forbid.
TEST(RtlChecked, IllegalCodeIsCaught) {
  const std::unique_ptr<Dut> dut = make_checked_rtl_dut();
  dut->configure({});
  dut->reset(1000);
  Observed observed;
  BlockIn block;
  for (int cycle = 0; cycle < 20; ++cycle) dut->tick({&block, true}, observed);
  BlockIn illegal;
  illegal.config_word = 6;
  const auto provoke = [&] {
    for (int cycle = 0; cycle < 20; ++cycle) dut->tick({&illegal, true}, observed);
  };
  EXPECT_THROW(provoke(), DutError);
}

TEST(Rtl, RefusesASetupItWasNotBuiltFor) {
  mx::sim::Setup setup;
  setup.context.random_bits = 16;
  EXPECT_THROW(make_rtl_dut()->configure(setup), UnsupportedError);
}

}  // namespace
}  // namespace mx::sim
