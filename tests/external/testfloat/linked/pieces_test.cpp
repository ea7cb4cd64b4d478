// The judge of mulAdd in pieces, with a machine that we break: what it has to see needs no third
// party.
#include "tests/external/testfloat/linked/pieces.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reference/format/table.hpp"

namespace mx::external {
namespace {

constexpr std::uint64_t kCases = 10'000;

/// A machine that answers as mxgold does, but for what is broken about it.
struct Defects {
  std::uint64_t ends_after = kCases;  ///< it announces kCases
  std::uint64_t wrong_code = kCases;  ///< number of a case whose code is wrong, to odd, before
  std::uint64_t wrong_flag = kCases;  ///< ... whose underflow is wrong
  bool says_none = false;             ///< it says that it never looks at the rule of tininess
};

class Fake : public FusedMachine {
 public:
  Fake(const TestfloatFunction& function, const Defects& defects)
      : function_(function), defects_(defects) {}

  [[nodiscard]] std::uint64_t announced() const override { return kCases; }

  [[nodiscard]] std::size_t make(std::span<FusedOperands> room) override {
    first_ = at_;
    std::size_t made = 0;
    for (; made < room.size() && at_ < defects_.ends_after; ++made, ++at_) {
      for (std::uint64_t& operand : room[made]) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        operand = state_ >> 48;
      }
    }
    return made;
  }

  [[nodiscard]] std::string place() const override { return std::to_string(state_); }

  [[nodiscard]] bool leap(std::uint64_t cases, std::string_view place) override {
    state_ = std::stoull(std::string(place));
    at_ = cases;
    return cases <= kCases;
  }

  void take(std::span<const FusedOperands> cases) override {
    asked_.assign(cases.begin(), cases.end());
  }

  void answer(const Way& way, std::span<TestfloatAnswer> answers) override {
    const auto [rounding, tininess] = way;
    const TestfloatModel model(function_, rounding, tininess, OutOfRange::kIndefinite, false);
    const bool is_broken = rounding == Rounding::kToOdd && tininess == Tininess::kBeforeRounding;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Encoded ours = model(asked_[i]);
      answers[i] = {ours.code, testfloat_flags(ours.flags)};
      if (is_broken && first_ + i == defects_.wrong_code) answers[i].code ^= 0x8000U;
      if (is_broken && first_ + i == defects_.wrong_flag) answers[i].flags ^= 2U;
    }
    answered_[way.tininess == Tininess::kBeforeRounding] += answers.size();
  }

  [[nodiscard]] bool has_tininess_read(std::size_t) const override { return !defects_.says_none; }

  /// Under the rule: how many in all.
  [[nodiscard]] std::uint64_t answered(Tininess rule) const {
    return answered_[rule == Tininess::kBeforeRounding];
  }

 private:
  const TestfloatFunction& function_;
  Defects defects_;
  std::uint64_t at_ = 0;
  std::uint64_t first_ = 0;  ///< of the cases that were made last
  std::uint64_t state_ = 1;
  std::vector<FusedOperands> asked_;
  std::array<std::uint64_t, 2> answered_{};
};

TestfloatFunction fused() {
  return {.name = "f16_mulAdd",
          .operation = ArithmeticOperation::kFma,
          .wrong = ArithmeticOperation::kFma,
          .format = &formats::fp16,
          .has_tininess = true};
}

/// What comes out when `skipped` cases go by and the rest are judged in pieces of `piece`.
struct Outcome {
  Verdict verdict{"pieces"};
  int code = 0;
  std::string said;
};

Outcome judged(const Defects& defects, std::uint64_t skipped = 0, std::uint64_t piece = kCases,
               Options options = {}) {
  const TestfloatFunction function = fused();
  Fake machine(function, defects);
  PieceJudge judge(machine, testfloat_shards(function, options), options);
  judge.skip(skipped);
  std::ostringstream out;
  for (std::uint64_t at = skipped; at < kCases && !judge.is_over(); at += piece) {
    judge.judge(std::min(piece, kCases - at), out);
  }
  Outcome outcome;
  outcome.verdict.wrong = options.wrong;
  judge.add_to(outcome.verdict);
  outcome.code = outcome.verdict.finish();
  outcome.said = out.str();
  return outcome;
}

TEST(Pieces, AMachineThatAnswersAsWeDoAgreesInAllTwelveShards) {
  const Outcome outcome = judged({});
  EXPECT_EQ(outcome.code, kAgreed);
  EXPECT_EQ(outcome.verdict.cases, 12 * kCases);
  EXPECT_NE(outcome.said.find("f16_mulAdd odd before 0..10000: 10000 of 10000 compared, 0 differ"),
            std::string::npos);
}

TEST(Pieces, OneWrongCodeIsOneMismatchOfItsPiece) {
  const Outcome outcome = judged({.wrong_code = 9'000}, 0, 5'000);
  EXPECT_EQ(outcome.code, kMismatch);
  EXPECT_EQ(outcome.verdict.mismatches, 1U);
  EXPECT_NE(outcome.said.find("odd before 0..5000: 5000 of 10000 compared, 0 differ"),
            std::string::npos);
  EXPECT_NE(outcome.said.find("odd before 5000..10000: 5000 of 10000 compared, 1 differ"),
            std::string::npos);
}

TEST(Pieces, OneWrongFlagIsAMismatch) {
  EXPECT_EQ(judged({.wrong_flag = 77}).verdict.mismatches, 1U);
}

// What neither machine looks at the rule of tininess for is asked under one of the two rules: by
// mxgold what lies below the smallest normal number hangs on it, whatever the other machine says.
TEST(Pieces, TheSecondRuleIsAskedOfWhatHangsOnIt) {
  const TestfloatFunction function = fused();
  const ElementFormat& format = *function.format;
  Fake cases(function, {});
  std::vector<FusedOperands> all(kCases);
  ASSERT_EQ(cases.make(all), kCases);
  FusedExact exact = fused_room(kCases);
  fuse_each(format, all, exact);
  std::vector<std::uint64_t> tiny;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const Unpacked& x = exact.otherwise[i].value;
    if (x.cls == ValueClass::kFinite && x.exponent < format.emin()) tiny.push_back(i);
  }
  ASSERT_GT(tiny.size(), 20U);
  Fake machine(function, {.says_none = true});
  PieceJudge judge(machine, testfloat_shards(function, {}), {});
  std::ostringstream out;
  judge.judge(kCases, out);
  Verdict verdict{"pieces"};
  judge.add_to(verdict);
  EXPECT_EQ(verdict.cases, 12 * kCases);
  EXPECT_EQ(machine.answered(Tininess::kAfterRounding), 6 * kCases);
  EXPECT_EQ(machine.answered(Tininess::kBeforeRounding), 6 * tiny.size());
  EXPECT_EQ(judge.times().hanging, tiny.size());
}

// Whatever differs under one rule is asked under the other, and counts there too.
TEST(Pieces, WhatDiffersIsAskedUnderBothRules) {
  Options options;
  options.wrong = true;
  const Outcome some = judged({.says_none = true}, 0, kCases, options);
  const Outcome all = judged({}, 0, kCases, options);
  EXPECT_GT(some.verdict.mismatches, 0U);
  EXPECT_EQ(some.said, all.said);
}

TEST(Pieces, WhatGoesByIsNotJudged) {
  const Outcome outcome = judged({.wrong_code = 4'999}, 5'000);
  EXPECT_EQ(outcome.code, kAgreed);
  EXPECT_EQ(outcome.verdict.cases, 12 * 5'000U);
  EXPECT_EQ(judged({.wrong_code = 5'000}, 5'000).verdict.mismatches, 1U);
}

TEST(Pieces, ALeapComesToTheSameCases) {
  const TestfloatFunction function = fused();
  Fake whole(function, {});
  PieceJudge all(whole, testfloat_shards(function, {}), {});
  std::ostringstream out;
  all.judge(6'000, out);
  const std::string line = "f16_mulAdd place 6000 ";
  const std::size_t at = out.str().find(line);
  ASSERT_NE(at, std::string::npos);
  std::string place = out.str().substr(at + line.size());
  place.pop_back();
  Fake rest(function, {.wrong_code = 6'000});
  PieceJudge judge(rest, testfloat_shards(function, {}), {});
  judge.skip(6'000, place);
  judge.judge(kCases - 6'000, out);
  Verdict verdict{"pieces"};
  judge.add_to(verdict);
  EXPECT_EQ(verdict.cases, 12 * 4'000U);
  EXPECT_EQ(verdict.mismatches, 1U);
  std::vector<FusedOperands> made(1), leapt(1);
  Fake again(function, {});
  EXPECT_TRUE(again.leap(6'000, place));
  ASSERT_EQ(whole.make(made), again.make(leapt));
  EXPECT_EQ(made, leapt);
}

TEST(Pieces, NoLeapToNoPlace) {
  const TestfloatFunction function = fused();
  Fake machine(function, {});
  PieceJudge judge(machine, testfloat_shards(function, {}), {});
  judge.skip(kCases + 1, "1");
  EXPECT_TRUE(judge.is_over());
  Verdict verdict{"pieces"};
  judge.add_to(verdict);
  EXPECT_EQ(verdict.mismatches, 12U);
}

TEST(Pieces, AGeneratorThatEndsEarlyIsAMismatchOfEveryShard) {
  const Outcome outcome = judged({.ends_after = kCases - 1});
  EXPECT_EQ(outcome.code, kMismatch);
  EXPECT_EQ(outcome.verdict.mismatches, 12U);
}

TEST(Pieces, AGeneratorThatEndsBeforeTheFirstCaseIsAMismatch) {
  EXPECT_EQ(judged({.ends_after = 100}, 5'000).code, kMismatch);
}

TEST(Pieces, AGeneratorThatGoesOnAfterItsEndIsAMismatch) {
  EXPECT_EQ(judged({.ends_after = kCases + 1}).verdict.mismatches, 12U);
}

TEST(Pieces, NothingComparedIsAFailure) { EXPECT_EQ(judged({}, kCases).code, kNothingCompared); }

TEST(Pieces, AWrongRoundingIsSeenInEveryShard) {
  Options options;
  options.wrong = true;
  const Outcome outcome = judged({}, 0, kCases, options);
  EXPECT_EQ(outcome.code, kMismatch);
  EXPECT_EQ(outcome.verdict.unnoticed, 0U);
}

}  // namespace
}  // namespace mx::external
