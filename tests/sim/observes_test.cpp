// A device with a clock that gives only part of an answer: the rest is not compared, and counted.
#include "sim/block/observes.hpp"

#include <gtest/gtest.h>

#include "sim/coverage/stream_coverage.hpp"
#include "sim/judge/explain.hpp"
#include "sim/report/report.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

constexpr Observes kNone{false, false, false, false, false};

/// The reference without one part of its answers, which it says or does not say.
class PartialDut : public ReferenceDut {
 public:
  PartialDut(const Observes& given, const Observes& said) : given_(given), said_(said) {}
  [[nodiscard]] Observes observes() const override { return said_; }
  void tick(const Drive& drive, mx::sim::Observed& observed) override {
    ReferenceDut::tick(drive, observed);
    BlockOut garbage;
    garbage.codes.fill(0xA5);
    garbage.status = 0xA5A5;
    garbage.keep = 0xA5A5A5A5;
    garbage.last = !observed.block.last;
    observed.block = given_.completed(observed.block, garbage);
  }

 private:
  Observes given_, said_;
};

RunResult run_partial(const Observes& given, const Observes& said, const Observes& asked = {}) {
  RunOptions options;
  options.last = 8192;
  options.compare = Compare::kNormative;
  options.observed = asked;
  return run(
      smoke(), [=] { return std::make_unique<PartialDut>(given, said); }, options);
}

/// Each part left out.
std::vector<Observes> each_without_one() {
  std::vector<Observes> list(5);
  list[0].scale = false;
  list[1].codes = false;
  list[2].flags = false;
  list[3].keep = false;
  list[4].last = false;
  return list;
}

/// Property: a part that the device says it does not give may be anything, and counts; the same
/// garbage in a part that it says it gives is wrong.
TEST(Observes, WhatIsNotGivenIsNotCompared) {
  const Tally whole = run_partial({}, {}).tallies.total();
  for (const Observes& given : each_without_one()) {
    const RunResult said = run_partial(given, given);
    EXPECT_EQ(said.exit_code(), 0) << given.text();
    const Tally total = said.tallies.total();
    const auto is_word = given.scale && given.codes && given.flags;
    EXPECT_EQ(total.unobserved != 0, !is_word) << given.text();
    EXPECT_EQ(total.words + total.unobserved + total.dont_care, whole.words + whole.dont_care)
        << given.text();
    // The user says it in the device's place.
    EXPECT_EQ(run_partial(given, {}, given).exit_code(), 0) << given.text();
    const RunResult unsaid = run_partial(given, {});
    EXPECT_NE(unsaid.exit_code(), 0) << given.text();
    EXPECT_GT(unsaid.tallies.total().bad_blocks, 6000U) << given.text();
  }
}

/// Control: what is given is compared beside what is not.
TEST(Observes, WhatIsGivenIsCompared) {
  for (const char* token : {"bias_in_scale", "clamped_bit_missing", "minus_zero_lost"}) {
    const Fault* const fault = find_fault(token);
    RunOptions options;
    options.observed = kNone;
    options.observed.scale = options.observed.flags = options.observed.codes = true;
    const auto bad_blocks = [&](bool Observes::*part) {
      RunOptions without = options;
      without.observed.*part = false;
      return run(smoke(), reference_with(fault), without).tallies.total().bad_blocks;
    };
    const std::string_view name = token;
    EXPECT_EQ(bad_blocks(&Observes::flags) == 0, name == "clamped_bit_missing");
    EXPECT_EQ(bad_blocks(&Observes::codes) == 0, name == "minus_zero_lost");
    EXPECT_EQ(bad_blocks(&Observes::scale) == 0, name == "bias_in_scale");
  }
}

/// What does not count is printed with the rest, so it is named.
TEST(Observes, AnExplanationSaysWhatDoesNotCount) {
  const auto said = [](const Observes& observed) {
    RunOptions options;
    options.observed = observed;
    options.stop_after = 1;
    const RunResult result = run(smoke(), reference_with(find_fault("minus_zero_lost")), options);
    ReferenceModel model(result.configs);
    return explain(result.mismatches.at(0), model);
  };
  EXPECT_EQ(said({}).find("not compared"), std::string::npos);
  Observes some;
  some.scale = some.flags = some.last = false;
  EXPECT_NE(said(some).find("not compared: scale, status, last\n"), std::string::npos)
      << said(some);
}

TEST(Observes, NothingOfABlockLeftIsNothingCompared) {
  Observes keep = kNone;
  keep.keep = true;
  EXPECT_EQ(run_partial({}, keep).exit_code(), 3);
}

TEST(Observes, BlocksThatChangePlacesAreSeenWithoutFlags) {
  RunOptions options;
  options.observed.flags = false;
  const RunResult result = run(smoke(), reference_with(find_fault("reorder")), options);
  ASSERT_FALSE(result.failures.empty());
  EXPECT_NE(result.failures[0].what.find("changed places"), std::string::npos);
}

TEST(Observes, NamesComeBack) {
  for (const Observes& each : each_without_one()) {
    std::vector<std::string> names;
    std::istringstream text(each.text());
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
    EXPECT_EQ(*parse_observes(names), each);
  }
  const std::vector<std::string> all{"all"}, keep{"keep", "last"}, wrong{"scale", "flag"};
  EXPECT_EQ(*parse_observes(all), Observes{});
  EXPECT_FALSE(parse_observes(keep));
  EXPECT_FALSE(parse_observes(wrong));
  EXPECT_FALSE(parse_observes({}));
}

/// Property: what is not observed covers nothing.
TEST(Observes, UnobservedPartsCoverNothing) {
  StreamCoverage coverage(smoke().configs(), 0, 1);
  ReferenceModel model(smoke().configs());
  std::vector<BlockIn> blocks(smoke().size());
  smoke().fill(0, blocks);
  for (const BlockIn& block : blocks) {
    if (block.config != 0) continue;
    BlockOut expected;
    model.answer(block, expected);
    BlockOpen open = model.open(block, expected);
    open.observed.flags = false;
    coverage.sample(block, expected, open);
  }
  std::uint64_t flags = 0, codes = 0;
  const golden::Covergroup group = coverage.groups().front();
  for (const golden::Coverpoint& point : group.points) {
    for (const golden::Bin& bin : point.bins) {
      if (point.name == "flags") flags += bin.hits;
      if (point.name == "code") codes += bin.hits;
    }
  }
  EXPECT_EQ(flags, 0U);
  EXPECT_GT(codes, 0U);
}

}  // namespace
}  // namespace mx::sim::test
