// A run's verdict and digest: independent of stalls, resets, threads and shards; counts that add
// up.
#include "sim/report/run.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

RunResult run_smoke(const RunOptions& options, const Fault* fault = nullptr) {
  return run(test::smoke(), test::reference_with(fault), options);
}

TEST(Run, AllCountsAgree) {
  const RunResult result = run_smoke({});
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_EQ(result.declared, test::smoke().size());
  EXPECT_EQ(result.drive.offered, result.declared);
  EXPECT_EQ(result.drive.collected, result.declared);
  EXPECT_EQ(result.checked(), result.declared);
  EXPECT_GT(result.drive.resets, 100U);
  EXPECT_GT(result.stalled_segments, 5U);
  EXPECT_EQ(result.digest.size(), 64U);
}

TEST(Run, OutputDoesNotDependOnStallsOrResets) {
  const std::string digest = run_smoke(test::plain_options()).digest;
  for (const Stall stall : {Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    for (const char* reset : {"none", "sweep", "random", "1,2,3,50,51"}) {
      RunOptions options;
      options.last = 4096;
      options.schedule.stall = stall;
      options.schedule.reset = ResetPlan::parse(reset);
      RunOptions plain = test::plain_options();
      plain.last = 4096;
      EXPECT_EQ(run_smoke(options).digest, run_smoke(plain).digest) << token_of(stall) << reset;
    }
  }
  EXPECT_EQ(run_smoke({}).digest, digest);
}

TEST(Run, OutputDoesNotDependOnThreads) {
  RunOptions options;
  const std::string one = run_smoke(options).digest;
  options.threads = 3;
  EXPECT_EQ(run_smoke(options).digest, one);
}

TEST(Run, ShardsCoverEveryBlockOnce) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 7; ++i) {
    RunOptions options = test::plain_options();
    options.shard = i;
    options.shards = 7;
    const RunResult result = run_smoke(options);
    EXPECT_EQ(result.exit_code(), 0);
    sum += result.checked();
  }
  EXPECT_EQ(sum, test::smoke().size());
}

TEST(Run, RangesAreCut) {
  RunOptions options = test::plain_options();
  options.first = 2000;
  options.last = 2100;
  EXPECT_EQ(run_smoke(options).checked(), 100U);
  options.first = test::smoke().size() + 5;
  options.last = ~std::uint64_t{0};
  EXPECT_THROW(run_smoke(options), StimulusError);
}

TEST(Run, NothingToRunIsAFailure) {
  const test::GivenBlocks empty({});
  EXPECT_THROW(static_cast<void>(run(empty, test::reference_with(), {})), StimulusError);
  const RunResult nothing;
  EXPECT_EQ(nothing.exit_code(), 3);
}

TEST(Run, MismatchesAreTheFirstOnesWhateverTheThreads) {
  RunOptions options = test::plain_options();
  options.keep_mismatches = 3;
  const Fault* const fault = find_fault("minus_zero_lost");
  const RunResult one = run_smoke(options, fault);
  options.threads = 2;
  const RunResult two = run_smoke(options, fault);
  EXPECT_EQ(one.exit_code(), 1);
  ASSERT_EQ(one.mismatches.size(), 3U);
  ASSERT_EQ(two.mismatches.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.mismatches[i].index, two.mismatches[i].index);
  }
  EXPECT_EQ(one.tallies.total().bad_blocks, two.tallies.total().bad_blocks);
}

TEST(Run, StopsEarlyWhenAsked) {
  RunOptions options = test::plain_options();
  options.stop_after = 1;
  const RunResult result = run_smoke(options, find_fault("last_lost"));
  EXPECT_EQ(result.exit_code(), 1);
  EXPECT_LT(result.checked(), test::smoke().size());
  EXPECT_TRUE(result.digest.empty());
}

// A device that takes blocks and never answers, but keeps its own time.
class Silent : public Dut {
 public:
  [[nodiscard]] std::string_view name() const override { return "silent"; }
  void configure(const Setup& setup) override { static_cast<void>(setup); }
  void reset(const Reset& reset) override { static_cast<void>(reset); }
  void tick(const Drive& drive, Observed& observed) override {
    static_cast<void>(drive);
    observed.ready = true;
    observed.valid = false;
  }
  [[nodiscard]] std::uint64_t patience() const override { return 0; }
};

TEST(Run, TimeLimitEndsASilentDevice) {
  RunOptions options = test::plain_options();
  options.time_limit = std::chrono::seconds(1);
  options.last = 100;
  const RunResult result = run(
      test::smoke(), [] { return std::make_unique<Silent>(); }, options);
  EXPECT_EQ(result.exit_code(), 4);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].what.find("time limit"), std::string::npos);
}

// The driver looks at the clock now and then; a short run is held to its limit all the same.
TEST(Run, TimeLimitsOfFractionsAct) {
  RunOptions options = test::plain_options();
  options.last = 1;
  options.time_limit = std::chrono::nanoseconds(1);
  EXPECT_EQ(run(test::smoke(), test::reference_with(), options).exit_code(), 4);
  options.time_limit = std::chrono::minutes(1);
  EXPECT_EQ(run(test::smoke(), test::reference_with(), options).exit_code(), 0);
}

TEST(Run, ConfigurationThatThereIsNotIsNoVerdict) {
  BlockIn block;
  block.config = 1;
  const test::GivenBlocks source({block});
  EXPECT_THROW(static_cast<void>(run(source, test::reference_with(), {})), std::out_of_range);
}

// A device that is offered what it refuses says so; it never computes something else.
TEST(Run, ReferenceRefusesBlocksThatAreNoBeats) {
  const ReferenceDut dut;
  const auto refusal = [&](const char* format, const ElementFormat& source) {
    return dut.refusal({source, *find_block_format(format), {}, {}});
  };
  EXPECT_EQ(refusal("mxfp8_e4m3", formats::fp32), "");
  EXPECT_EQ(refusal("mxint8", formats::bf16), "");
  EXPECT_NE(refusal("nvfp4", formats::fp32), "") << "blocks of 16";
  EXPECT_NE(refusal("fp8_e4m3_fp32_row", formats::fp32), "") << "blocks as long as an axis";
  EXPECT_NE(refusal("mxfp8_e4m3", formats::fp64), "") << "64-bit words";
}

// Blocks under one profile and blocks under none take turns; only the former have open words.
TEST(Run, ProfilesMaskTheirOwnBlocksOnly) {
  BlockIn block;
  block.source[0] = 0x43800000;  // 256: scale 1
  block.source[7] = 0x3B900000;  // 0x1.2p-8: intel-fp8et is open here
  BlockIn other = block;
  other.config = 1;
  const Configurations configs{test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3"),
                               test::told(0)};
  const auto answers = [&](std::size_t wrong_block, std::size_t wrong_lane) {
    std::vector<BlockOut> out(2);
    ReferenceModel model(configs);
    model.answer(block, out[0]);
    model.answer(other, out[1]);
    if (wrong_block < 2) out[wrong_block].codes[wrong_lane] ^= 1;
    return out;
  };
  const auto exit_of = [&](std::size_t wrong_block, std::size_t wrong_lane) {
    // The source expects something else than what the reference gives.
    const test::GivenBlocks source({block, other}, answers(wrong_block, wrong_lane), configs);
    return run(source, test::reference_with(), test::plain_options()).exit_code();
  };
  EXPECT_EQ(exit_of(2, 0), 0);
  EXPECT_EQ(exit_of(0, 7), 0) << "an open code may be anything";
  EXPECT_EQ(exit_of(0, 6), 1) << "its neighbour may not";
  EXPECT_EQ(exit_of(1, 7), 1) << "under mxgold-default nothing is open";
}

TEST(Run, ConstructionFailureOfADeviceIsReported) {
  const DutFactory none = []() -> std::unique_ptr<Dut> { throw DutError("no device here"); };
  EXPECT_THROW(static_cast<void>(run(test::smoke(), none, {})), DutError);
}

}  // namespace
}  // namespace mx::sim
