// Shrinking: simpler words are simpler, nothing that is needed is lost, and limits hold.
#include <gtest/gtest.h>

#include <set>

#include "golden/points/random_configs.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "sim/shrink/shrink_run.hpp"
#include "sim/shrink/simpler.hpp"
#include "tests/sim/sim_fixture.hpp"
#include "tests/support/sample.hpp"

namespace mx::sim {
namespace {

/// The longest way down from a word.
std::size_t steps_from(const Slot& slot, std::uint64_t word) {
  std::size_t steps = 0;
  for (std::vector<std::uint64_t> words = simpler_words(slot, word); !words.empty(); ++steps) {
    EXPECT_EQ(words.back() & ~slot.mask, 0U);
    word = words.back();
    words = simpler_words(slot, word);
  }
  EXPECT_EQ(word, slot.rest);
  return steps;
}

/// Property: from every word, whichever simpler one is taken, the way ends at rest. By default from
/// one in eight of those of formats of 13 to 16 bits.
TEST(SimplerWords, EveryWayEndsAtRest) {
  for (const ElementFormat& format : all_formats()) {
    const Slot slot{&format, format.code_mask(), 0};
    std::size_t most = 0;
    if (format.bits <= 16) {
      const bool all = format.bits <= 12 || mx::test::runs_whole();
      for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
        if (!all && mx::test::random_number(code) % 8 != 0) continue;
        most = std::max(most, steps_from(slot, code));
      }
    } else {
      for (std::uint32_t i = 0; i < 2000; ++i) {
        const PhiloxBlock words = philox4x32({i, 0, 0, 0x51A7}, 1);
        const std::uint64_t code = words[0] | std::uint64_t{words[1]} << 32;
        most = std::max(most, steps_from(slot, code & format.code_mask()));
      }
    }
    EXPECT_GT(most, 0U) << format.name;
    EXPECT_LT(most, 5000U) << format.name;
  }
  const Slot keep{nullptr, kAllLanes, kAllLanes};
  EXPECT_EQ(steps_from(keep, 0), 32U);
}

/// Zero, one, and a value's powers of two stand among the simpler words; at rest there is none.
TEST(SimplerWords, AreTheOnesOfTheLaw) {
  const Slot slot{&formats::fp32, formats::fp32.code_mask(), 0};
  EXPECT_TRUE(simpler_words(slot, 0).empty());
  EXPECT_EQ(simpler_words(slot, 0x3F800000), std::vector<std::uint64_t>{0});
  const std::vector<std::uint64_t> words = simpler_words(slot, 0xC0490FDB);
  const std::set<std::uint64_t> set(words.begin(), words.end());
  for (const std::uint64_t each :
       {0x00000000U, 0x3F800000U, 0xC0000000U, 0xBFC90FDBU, 0x40490FDBU}) {
    EXPECT_TRUE(set.contains(each)) << std::hex << each;
  }
  // Bits beside the code of a 16-bit source go first.
  const Slot bus{&formats::bf16, 0xFFFFFFFF, 0};
  const std::vector<std::uint64_t> beside = simpler_words(bus, 0xABCD3F80);
  EXPECT_NE(std::ranges::find(beside, 0x3F80U), beside.end());
}

/// A case of questions with one word each.
Case plain_case(std::size_t questions, std::uint64_t word) {
  Case failure;
  failure.configs = {test::told(0)};
  failure.questions.assign(questions, {0, {word}});
  return failure;
}

ShrinkOptions plain_options(std::function<bool(const Case&)> fails) {
  ShrinkOptions options;
  options.fails = std::move(fails);
  options.slots = [](const golden::Configuration&) { return std::vector<Slot>(1); };
  options.refusal = [](const golden::Configuration&) { return std::string(); };
  return options;
}

/// Property: what the failure needs stays, whatever the order: three questions with words above 4,
/// a stall in cycle 7 and a reset in cycle 5.
TEST(Shrinking, KeepsWhatTheFailureNeeds) {
  Case start = plain_case(500, 0xFF);
  start.output_stall.kind = Stall::kAt;
  start.reset.kind = ResetPlan::Kind::kAt;
  for (std::uint64_t cycle = 0; cycle < 100; ++cycle) {
    start.output_stall.cycles.push_back(cycle);
    start.reset.cycles.push_back(cycle);
  }
  start.input_stall = Stall::kHeavy;
  const auto needs = [](const Case& c) {
    const auto is_large = [](const Question& q) { return q.words[0] > 4; };
    return std::ranges::count_if(c.questions, is_large) >= 3 &&
           std::ranges::binary_search(c.output_stall.cycles, 7U) &&
           std::ranges::binary_search(c.reset.cycles, 5U);
  };
  const Shrunk shrunk = shrink(start, plain_options(needs));
  EXPECT_TRUE(shrunk.is_minimal);
  ASSERT_EQ(shrunk.failure.questions.size(), 3U);
  for (const Question& question : shrunk.failure.questions) {
    EXPECT_EQ(std::popcount(question.words[0]), 1);
  }
  EXPECT_EQ(shrunk.failure.output_stall.cycles, std::vector<std::uint64_t>{7});
  EXPECT_EQ(shrunk.failure.reset.cycles, std::vector<std::uint64_t>{5});
  EXPECT_EQ(shrunk.failure.input_stall, StallPlan());
  EXPECT_LT(shrunk.tries, 500U);
}

TEST(Shrinking, StopsAtItsLimitsAndSaysSo) {
  ShrinkOptions options =
      plain_options([](const Case& c) { return !c.questions.empty() && c.questions[0].words[0]; });
  options.most_tries = 3;
  const Shrunk few = shrink(plain_case(500, 0xFF), options);
  EXPECT_FALSE(few.is_minimal);
  EXPECT_EQ(few.tries, 3U);
  EXPECT_TRUE(options.fails(few.failure));
  options.most_tries = 1000;
  options.deadline = std::chrono::steady_clock::now();
  EXPECT_FALSE(shrink(plain_case(500, 0xFF), options).is_minimal);
}

/// Property: what is left fails and each single simpler word in it does not: found minimal is
/// minimal.
TEST(Shrinking, NoSingleFurtherStepFails) {
  const DutFactory make = test::reference_with(find_fault("sticky_cut_short"));
  RunOptions options;
  options.stop_after = 1;
  const RunResult result = run(test::smoke(), make, options);
  const SmallStream small = shrink_stream(test::smoke(), result, options, make, {}).value();
  const Case& failure = small.shrunk.failure;
  const std::vector<Slot> slots = stream_slots(failure.configs[0]);
  std::size_t steps = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (const std::uint64_t word : simpler_words(slots[i], failure.questions[0].words[i])) {
      Case next = failure;
      next.questions[0].words[i] = word;
      EXPECT_FALSE(run_case(next, small.setting).has_failed()) << i << " " << word;
      ++steps;
    }
  }
  EXPECT_GT(steps, 0U);
}

/// Property: the listed stalls and resets are those of the named plans, cycle for cycle.
TEST(ListedCycles, AreTheCyclesOfThePlan) {
  const StreamSetting setting{test::reference_with(), Compare::kStrict, {}, 5, 3};
  for (const Stall stall : {Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    Case failure;
    failure.input_stall = failure.output_stall = stall;
    failure.reset.kind = ResetPlan::Kind::kRandom;
    const Case listed = with_listed_cycles(failure, setting, 1000);
    StallSchedule named(stall, 5, StreamUse::kOutputStall, 3);
    StallSchedule at(listed.output_stall, 5, StreamUse::kOutputStall, 3);
    ResetSchedule resets(failure.reset, 5, 3), again(listed.reset, 5, 3);
    std::size_t stalls = 0, count = 0;
    for (std::uint64_t cycle = 0; cycle < 1000; ++cycle) {
      const bool is_stalled = named.next(), is_reset = resets.due(cycle);
      ASSERT_EQ(at.next(), is_stalled) << cycle;
      ASSERT_EQ(again.due(cycle), is_reset) << cycle;
      stalls += is_stalled ? 1U : 0U;
      count += is_reset ? 1U : 0U;
    }
    EXPECT_GT(stalls, 10U);
    EXPECT_GT(count, 2U);
    EXPECT_NE(listed.input_stall.cycles, listed.output_stall.cycles);
  }
}

/// A pass is no failure: there is nothing to shrink.
TEST(Shrinking, OfAPassIsNothing) {
  RunOptions options;
  const test::GivenBlocks source(std::vector<BlockIn>(4));
  const RunResult result = run(source, test::reference_with(), options);
  EXPECT_FALSE(shrink_stream(source, result, options, test::reference_with(), {}));
}

}  // namespace
}  // namespace mx::sim
