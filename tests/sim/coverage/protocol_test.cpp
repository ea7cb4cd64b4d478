// Coverage of the protocol: the schedules of runs hit every bin that the device can reach, nothing
// contradicts what is proved unreachable, and a schedule that leaves something out is seen to.
#include <gtest/gtest.h>

#include "sim/coverage/protocol_coverage.hpp"
#include "sim/dut/reference.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/report/run.hpp"
#include "tests/sim/coverage/coverage_kit.hpp"

namespace mx::sim {
namespace {

SuiteSource make_suite(ExtraPolicies extras) {
  return SuiteSource([&] {
    SuiteOptions options;
    options.configs = Selection{
        {find_block_format("mxfp4")->element},
        {Rounding::kTiesToEven, Rounding::kToOdd},
        {ScaleRule::kFloor},
        {formats::fp32}}.configurations(8);
    options.extras = extras;
    options.size = SuiteSize::kFull;
    options.elements = 64;
    return options;
  }());
}

/// Without drawn policies, for what has to be run often.
const SuiteSource& plain_suite() {
  static const SuiteSource source = make_suite(ExtraPolicies::kAbsent);
  return source;
}
const SuiteSource& full_suite() {
  static const SuiteSource source = make_suite(ExtraPolicies::kPresent);
  return source;
}

golden::Covergroup protocol_of(const DutFactory& make, const Schedule& schedule,
                               std::uint64_t seed = 0, unsigned threads = 1,
                               const SuiteSource& source = plain_suite()) {
  RunOptions options;
  options.schedule = schedule;
  options.seed = seed;
  options.threads = threads;
  options.judge = Judge::kReference;
  options.segment_blocks = 512;
  const RunResult result = run(source, make, options);
  EXPECT_EQ(result.exit_code(), 0);
  return result.protocol->group("device");
}

std::uint64_t hits(const golden::Covergroup& group, std::string_view point, std::string_view bin) {
  const auto p = std::ranges::find(group.points, point, &golden::Coverpoint::name);
  if (p == group.points.end()) return 0;
  const auto b = std::ranges::find(p->bins, bin, &golden::Bin::name);
  EXPECT_NE(b, p->bins.end()) << point << ' ' << bin;
  return b == p->bins.end() ? 0 : b->hits;
}

/// The device that the test is of, by its name.
class ProtocolCoverageOf : public ::testing::TestWithParam<std::string_view> {
 protected:
  static std::unique_ptr<Dut> make() {
    if (GetParam() == "rtl") return make_rtl_dut();
    return std::make_unique<ReferenceDut>();
  }
};

/// Property: the full suite under mixed schedules closes the protocol: every handshake, stall
/// length, bubble, fill, reset at each fill, shape of a block that is reachable at all.
TEST_P(ProtocolCoverageOf, IsClosedByTheFullSuite) {
  const golden::Covergroup group = protocol_of(&make, {}, 0, 2, full_suite());
  EXPECT_TRUE(group.score().complete()) << wrong_bins(group);
  EXPECT_GT(group.score().bins, 100U);
  EXPECT_EQ(group.score().unreachable, 7U);
  // The deepest fill that the device states is real.
  EXPECT_GT(hits(group, "fill", "8"), 0U);
}

/// Property: a device refuses a block only while it shows an answer, and holds no more than it
/// says, whatever the schedule.
TEST_P(ProtocolCoverageOf, NoScheduleContradictsWhatIsProved) {
  for (const Stall stall : {Stall::kNone, Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    for (const char* reset : {"none", "sweep", "random"}) {
      const golden::Covergroup group =
          protocol_of(&make, {.stall = stall, .reset = ResetPlan::parse(reset)}, 1);
      ASSERT_EQ(group.score().contradicted, 0U) << token_of(stall) << ' ' << reset;
    }
  }
}

/// Control: without stalls and resets the bins that need them stay open, and no others.
TEST_P(ProtocolCoverageOf, WithoutStallsAndResetsBinsStayOpen) {
  const golden::Covergroup group =
      protocol_of(&make, {.stall = Stall::kNone, .reset = ResetPlan::parse("none")});
  EXPECT_FALSE(group.score().complete());
  for (const char* bin : {"1", "2-3", "4-15", "16+"}) {
    EXPECT_EQ(hits(group, "input_stall", bin), 0U) << bin;
    EXPECT_EQ(hits(group, "output_stall", bin), 0U) << bin;
  }
  for (const char* bin : {"block", "answer", "both"}) {
    EXPECT_EQ(hits(group, "reset_while", bin), 0U) << bin;
  }
  EXPECT_GT(hits(group, "row", "16+"), 0U);
  EXPECT_EQ(hits(group, "handshake", "in 10 out 10"), 0U);
}

/// Counts do not depend on threads.
TEST_P(ProtocolCoverageOf, IsTheSameOnAnyNumberOfThreads) {
  const golden::Covergroup one = protocol_of(&make, {});
  const golden::Covergroup four = protocol_of(&make, {}, 0, 4);
  EXPECT_EQ(one.points, four.points);
  EXPECT_EQ(one.samples, four.samples);
}

INSTANTIATE_TEST_SUITE_P(All, ProtocolCoverageOf, ::testing::Values("reference", "rtl"),
                         [](const auto& each) { return std::string(each.param); });

/// Cycles by hand: lengths, rows, bubbles and fill are what the cycles were.
TEST(ProtocolCoverageByHand, CountsWhatTheCyclesWere) {
  ProtocolCoverage coverage(4, 2);
  BlockIn block;
  block.config = 0;
  coverage.start();
  coverage.sample(ResetCycle{.edges = 2, .offering = true, .in_flight = 3, .answer_waits = true});
  coverage.sample(Cycle{.offer = nullptr, .takes = true, .in_flight = 0});
  coverage.sample(Cycle{.offer = &block, .takes = true, .in_flight = 0});
  coverage.sample(Cycle{.offer = &block, .takes = false, .shows = true, .in_flight = 1});
  coverage.sample(Cycle{.offer = &block, .takes = false, .shows = true, .in_flight = 1});
  block.config = 1;
  block.keep = 0x5;
  coverage.sample(
      Cycle{.offer = &block, .takes = true, .shows = true, .ready = true, .in_flight = 1});
  coverage.sample(Cycle{.takes = true, .in_flight = 1});
  coverage.sample(Cycle{.takes = true, .shows = true, .ready = true, .in_flight = 1});
  coverage.sample_drain();
  const golden::Covergroup group = coverage.group("hand");
  EXPECT_EQ(hits(group, "reset_pulse", "2 edges, valid 1"), 1U);
  EXPECT_EQ(hits(group, "reset_fill", "3"), 1U);
  EXPECT_EQ(hits(group, "reset_while", "answer"), 1U);
  EXPECT_EQ(hits(group, "input_stall", "1"), 1U);
  EXPECT_EQ(hits(group, "input_stall", "0"), 1U);
  EXPECT_EQ(hits(group, "input_wait", "2-3"), 1U);
  EXPECT_EQ(hits(group, "output_stall", "2-3"), 1U);
  EXPECT_EQ(hits(group, "output_stall", "0"), 1U);
  EXPECT_EQ(hits(group, "bubble", "1"), 1U);
  EXPECT_EQ(hits(group, "row", "1"), 2U);
  EXPECT_EQ(hits(group, "fill", "0"), 2U);
  EXPECT_EQ(hits(group, "configuration", "other"), 1U);
  EXPECT_EQ(hits(group, "kept_lanes", "with_holes"), 1U);
  EXPECT_EQ(hits(group, "kept_lanes", "32"), 1U);
  EXPECT_EQ(hits(group, "handshake", "in 10 out 10"), 2U);
  EXPECT_EQ(hits(group, "idle", "after_last"), 1U);
  EXPECT_EQ(group.samples, 7U);
}

/// Control: what a device of a stated depth cannot do is a contradiction if it does.
TEST(ProtocolCoverageByHand, ADeviceThatBeliesItsDepthContradicts) {
  ProtocolCoverage coverage(4, 1);
  coverage.sample(Cycle{.in_flight = 5});
  // Refused without an answer, and filled beyond the depth.
  EXPECT_EQ(coverage.group("hand").score().contradicted, 2U);
}

/// Of a device that promises nothing only what the harness drives is measured.
TEST(ProtocolCoverageByHand, WithoutPromisesOnlyTheHarnessIsMeasured) {
  ProtocolCoverage coverage({}, 1);
  coverage.sample(Cycle{.in_flight = 5});
  const golden::Covergroup group = coverage.group("hand");
  EXPECT_EQ(group.score().contradicted, 0U);
  for (const char* point : {"handshake", "fill", "input_wait", "bubble"}) {
    EXPECT_EQ(std::ranges::find(group.points, point, &golden::Coverpoint::name),
              group.points.end());
  }
}

}  // namespace
}  // namespace mx::sim
