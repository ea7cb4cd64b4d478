// SPDX-License-Identifier: Apache-2.0
// The search for deviations: what it finds, and where it says that nothing explains the answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "golden/deviation/candidates.hpp"
#include "golden/deviation/deviating_device.hpp"
#include "golden/deviation/evidence.hpp"
#include "golden/deviation/search.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

using Fields = std::set<std::string>;

/// An answer that a device gives if it deviates in all of `needs` and in none of `forbids`.
struct MadeAnswer {
  Fields needs, forbids;
};

DeviationCandidate candidate(const std::string& field, const std::string& subject) {
  return {{field, "", "on"}, field, subject};
}
DeviationCandidate candidate(const std::string& field) { return candidate(field, field); }

/// Answers and candidates made by hand.
struct Made {
  std::vector<MadeAnswer> wrong, right;
  std::vector<DeviationCandidate> candidates = {candidate("a"), candidate("b"), candidate("c")};
  Fields without_concern = {};

  [[nodiscard]] Evidence evidence() const {
    Evidence made{.wrong = wrong.size(), .right = right.size(), .device = {}, .concerns = {}};
    made.device = [this](const std::vector<Deviation>& deviations) -> Gives {
      Fields fields;
      for (const Deviation& each : deviations) fields.insert(each.field);
      return [this, fields](std::size_t i) {
        const MadeAnswer& at = i < wrong.size() ? wrong[i] : right[i - wrong.size()];
        return std::ranges::includes(fields, at.needs) &&
               std::ranges::none_of(at.forbids, [&](const auto& f) { return fields.contains(f); });
      };
    };
    made.concerns = [this](const Deviation& deviation, std::size_t) {
      return !without_concern.contains(deviation.field);
    };
    return made;
  }
  [[nodiscard]] std::vector<DeviationMatch> singles() const {
    return single_matches(evidence(), candidates);
  }
  [[nodiscard]] std::vector<DeviationMatch> pairs() const {
    return pair_matches(evidence(), candidates, std::vector<bool>(wrong.size()));
  }
};

std::vector<MadeAnswer> several(std::size_t count, const MadeAnswer& answer) {
  return std::vector<MadeAnswer>(count, answer);
}

const MadeAnswer kNeedsA = {{"a"}, {}};
const MadeAnswer kNeedsBoth = {{"a", "b"}, {}};
const MadeAnswer kNeedsNobody = {{"nobody"}, {}};

TEST(DeviationSearch, NoEvidenceHasNoCause) {
  EXPECT_TRUE(Made{}.singles().empty());
  EXPECT_TRUE(Made{}.pairs().empty());
  const Made all_right{{}, several(100, {{}, {}})};
  EXPECT_TRUE(all_right.singles().empty());
  EXPECT_TRUE(all_right.pairs().empty());
}

TEST(DeviationSearch, OneRecordHasSingleCausesAndNoPair) {
  const Made one{{kNeedsA}, {}};
  ASSERT_EQ(one.singles().size(), 1U);
  EXPECT_EQ(one.singles()[0].text, "as with a");
  EXPECT_EQ(one.singles()[0].explained, std::vector<bool>{true});
  const Made both{{kNeedsBoth}, {}};
  EXPECT_TRUE(both.singles().empty());
  EXPECT_TRUE(both.pairs().empty());
}

/// Control: the same right answer that rules a cause out, without what it forbids.
TEST(DeviationSearch, ARightAnswerRulesOut) {
  for (const auto& wrong : {several(3, kNeedsA), several(3, kNeedsBoth)}) {
    const auto count = [&](const std::vector<MadeAnswer>& right) {
      const Made made{wrong, right};
      return made.singles().size() + made.pairs().size();
    };
    EXPECT_GT(count({}), 0U);
    EXPECT_GT(count(several(50, {{}, {"nobody"}})), 0U);
    EXPECT_EQ(count({{{}, {"a"}}}), 0U);
  }
}

TEST(DeviationSearch, APairExplainsThreeAndHalfOfAll) {
  const auto pairs = [](std::size_t explained, std::size_t others) {
    Made made{several(explained, kNeedsBoth), {}};
    for (const MadeAnswer& each : several(others, kNeedsNobody)) made.wrong.push_back(each);
    return made.pairs().size();
  };
  EXPECT_EQ(pairs(2, 0), 0U);
  EXPECT_EQ(pairs(3, 0), 1U);
  EXPECT_EQ(pairs(3, 3), 1U);
  EXPECT_EQ(pairs(3, 4), 0U);
  EXPECT_EQ(pairs(50, 50), 1U);
  EXPECT_EQ(pairs(49, 50), 0U);
}

TEST(DeviationSearch, APairSaysHowManyNeedBoth) {
  Made made{several(4, kNeedsBoth), {}};
  made.wrong.push_back(kNeedsA);
  const std::vector<DeviationMatch> found = made.pairs();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "as with a and b; 4 of them need both");
  EXPECT_EQ(found[0].deviations, (std::vector<Deviation>{{"a", "", "on"}, {"b", "", "on"}}));
}

/// Property: the order of candidates makes no pair appear or disappear.
TEST(DeviationSearch, TheOrderOfAPairDoesNotMatter) {
  Made made{several(5, kNeedsBoth), several(5, {{}, {"c"}})};
  std::ranges::sort(made.candidates, {}, &DeviationCandidate::text);
  std::size_t orders = 0;
  do {
    const std::vector<DeviationMatch> found = made.pairs();
    ASSERT_EQ(found.size(), 1U);
    const Fields fields = {found[0].deviations[0].field, found[0].deviations[1].field};
    EXPECT_EQ(fields, (Fields{"a", "b"}));
    ++orders;
  } while (std::ranges::next_permutation(made.candidates, {}, &DeviationCandidate::text).found);
  EXPECT_EQ(orders, 6U);
}

TEST(DeviationSearch, APairConcernsTwoThings) {
  Made made{several(5, kNeedsBoth), {}};
  made.candidates = {candidate("a", "same"), candidate("b", "same")};
  EXPECT_TRUE(made.pairs().empty()) << "a device has one of these";
  made.candidates = {candidate("a"), candidate("b")};
  EXPECT_EQ(made.pairs().size(), 1U);
  made.without_concern = {"b"};
  EXPECT_TRUE(made.pairs().empty()) << "one of the two changes nothing";
}

TEST(DeviationSearch, WhatIsKnownNeedsNoPair) {
  const Made made{several(5, kNeedsBoth), {}};
  const auto pairs = [&](std::vector<bool> known) {
    return pair_matches(made.evidence(), made.candidates, known).size();
  };
  EXPECT_EQ(pairs({true, true, false, false, false}), 1U);
  EXPECT_EQ(pairs({true, true, true, false, false}), 0U);
}

TEST(DeviationSearch, TheSmallestSetThatSuffices) {
  const std::vector<Deviation> all = {{"a", "", "on"}, {"b", "", "on"}, {"c", "", "on"}};
  const auto smallest = [&](const Fields& needs) {
    Fields found;
    for (const Deviation& each : sufficient(all, [&](std::span<const Deviation> some) {
           Fields fields;
           for (const Deviation& one : some) fields.insert(one.field);
           return std::ranges::includes(fields, needs);
         })) {
      found.insert(each.field);
    }
    return found;
  };
  EXPECT_EQ(smallest({"b"}), Fields{"b"});
  EXPECT_EQ(smallest({"a", "c"}), (Fields{"a", "c"}));
  EXPECT_EQ(smallest({"a", "b", "c"}), (Fields{"a", "b", "c"}));
  EXPECT_EQ(smallest({}), Fields{"a"}) << "the first that suffices";
  EXPECT_TRUE(sufficient({}, [](std::span<const Deviation>) { return true; }).empty());
}

TEST(Deviations, AreEveryOtherValueOfAField) {
  for (const PolicyField& field : policy_fields()) {
    const std::string from = field.read({});
    const std::vector<Deviation> found = deviations_from(field, from);
    const std::size_t values = field.name == "random_bits" ? 32 : field.values().size();
    EXPECT_EQ(found.size(), values - 1) << field.name;
    for (const Deviation& each : found) {
      Policies policies;
      EXPECT_TRUE(apply(each, policies)) << field.name << ' ' << each.to;
      EXPECT_EQ(field.read(policies), each.to);
      const Policies changed = policies;
      EXPECT_FALSE(apply(each, policies)) << "it has another first value now";
      EXPECT_EQ(policies, changed);
    }
  }
}

/// A device that swaps two roundings, whichever of them is said first.
TEST(Deviations, OfOneFieldDoNotFollowEachOther) {
  VectorHeader header;
  header.op = Operation::kCvt;
  header.configs = {conversion(formats::fp32, formats::e4m3fn, Rounding::kTowardZero)};
  RecordBatch expected(header.shape(), 1), actual(header.shape(), 1);
  expected.word(Field::kSource, 0) = actual.word(Field::kSource, 0) = 0x3F880000;  // 1.0625: a tie
  ReferenceAnswerer(header).answer(expected, 0, 1);
  VectorHeader other = header;
  other.configs = {conversion(formats::fp32, formats::e4m3fn, Rounding::kTiesToAway)};
  ReferenceAnswerer(other).answer(actual, 0, 1);
  const OpenAnswer open;
  const Deviation away = {"rounding", "toward_zero", "ties_to_away"};
  const Deviation back = {"rounding", "ties_to_away", "toward_zero"};
  EXPECT_FALSE(same_answers(expected, actual));
  EXPECT_TRUE(DeviatingDevice(header, {away, back}).gives(expected, actual, 0, open));
  EXPECT_TRUE(DeviatingDevice(header, {back, away}).gives(expected, actual, 0, open));
  EXPECT_FALSE(DeviatingDevice(header, {back}).gives(expected, actual, 0, open)) << "control";
}

/// Records as evidence: a stochastic device with another number of random bits and another rounding
/// is explained by the two, in either order, and by nothing where the right answers forbid it.
TEST(Deviations, OfRandomBitsAreFoundAloneAndBesideARounding) {
  VectorHeader header;
  header.op = Operation::kCvt;
  header.configs = {conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA)};
  header.random_words = RandomWords::kPresent;
  header.count = 64;
  for (const Rounding rounding : {Rounding::kStochasticA, Rounding::kStochasticB}) {
    VectorHeader other = header;
    ConversionConfig& what = std::get<ConversionConfig>(other.configs[0].what);
    what.policy.rounding = rounding;
    what.policy.random_bits = 3;
    RecordBatch expected(header.shape(), 64);
    for (std::size_t i = 0; i < 64; ++i) {
      expected.word(Field::kSource, i) = 0x3F800000 + i * 0x5A5A5;
      expected.word(Field::kRandom, i) = i * 37 & 0xFF;
    }
    RecordBatch actual = expected;
    ReferenceAnswerer(header).answer(expected, 0, 64);
    ReferenceAnswerer(other).answer(actual, 0, 64);
    const OpenAnswer open;
    std::vector<AnswerAt> wrong, right;
    for (std::size_t i = 0; i < 64; ++i) {
      const bool is_right = expected.word(Field::kCode, i) == actual.word(Field::kCode, i);
      (is_right ? right : wrong).push_back({expected, actual, i, open, i});
    }
    ASSERT_GT(wrong.size(), 5U);
    ASSERT_GT(right.size(), 5U);
    const Evidence evidence = evidence_of(header, wrong, right);
    std::vector<DeviationCandidate> candidates = candidates_for(header, wrong);
    for (int order = 0; order < 2; ++order) {
      std::vector<DeviationMatch> found = single_matches(evidence, candidates);
      std::ranges::move(pair_matches(evidence, candidates, std::vector<bool>(wrong.size())),
                        std::back_inserter(found));
      const auto says = [&](const DeviationMatch& each) {
        const bool is_pair = rounding == Rounding::kStochasticB;
        return each.text.find("random_bits 3 for 8") != std::string::npos &&
               (each.deviations.size() == 2) == is_pair &&
               (each.text.find("rounding stochastic_b") != std::string::npos) == is_pair &&
               std::ranges::count(each.explained, true) == std::ssize(wrong);
      };
      EXPECT_TRUE(std::ranges::any_of(found, says)) << order;
      std::ranges::reverse(candidates);
    }
  }
}

}  // namespace
}  // namespace mx::golden
