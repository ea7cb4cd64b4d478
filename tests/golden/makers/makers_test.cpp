// SPDX-License-Identifier: Apache-2.0
// Who made a log: silence is no explanation, pairs whatever their order, words read otherwise, and
// the input that decides. Expected codes are those of IEEE 754 and OCP OFP8, worked by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "golden/questions/identification.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test {
namespace {

ImplementationLog log_in(const std::string& text) {
  static FormatCatalog catalog;
  return parse_log("log.txt", text, catalog);
}

Identification found_in(const std::string& text) { return identify(log_in(text)); }

bool is_named(const std::vector<HypothesisClass>& classes, const std::string& name) {
  return std::ranges::any_of(classes, [&](const HypothesisClass& each) {
    return std::ranges::any_of(each.members,
                               [&](const Hypothesis& one) { return one.name() == name; });
  });
}

const Ruling& ruling_on(const Identification& found, const std::string& name) {
  const auto at = std::ranges::find_if(
      found.profiles, [&](const Ruling& each) { return each.hypothesis.name() == name; });
  EXPECT_NE(at, found.profiles.end()) << name;
  return *at;
}

// A carry into the exponent of a NaN gives -0 and Inf. microxcaling's source says nothing of NaN:
// of the records that tell, it specifies none.
TEST(Makers, ASilentProfileIsNoExplanation) {
  const std::string right = "fp32 bf16\n3f800000 3f80\n";
  const Identification found = found_in(right + "7fff8c22 8000\n7f800001 7f80\n");
  EXPECT_TRUE(found.classes.empty() && found.deviations.empty() && found.readings.empty());
  EXPECT_EQ(found.compared, 3U);
  EXPECT_EQ(found.telling, 2U);
  const Ruling& silent = ruling_on(found, "microxcaling-1.1.0/py-f32");
  EXPECT_TRUE(silent.agrees());
  EXPECT_TRUE(silent.is_silent);
  EXPECT_FALSE(silent.explains());
  // A structure has the carry (structures_test.cpp).
  EXPECT_FALSE(found.structures.empty());
  // Control: the same profile explains what it specifies, and what others do not do.
  for (const char* const more : {"", "3f808000 3f81\n"}) {
    EXPECT_FALSE(ruling_on(found_in(right + more), "microxcaling-1.1.0/py-f32").is_silent) << more;
  }
}

TEST(Makers, BlocksOfWhichOnlyOpenPartsTellAreNoExplanation) {
  // OCP MX leaves the scale of zeros open, and 01 is what nobody gives.
  const std::string right = "fp32 mxfp4\n3f800000 40000000 | 7e | 4 6\n";
  for (const bool is_silent : {true, false}) {
    const std::string more = is_silent ? "00000000 00000000 | 01 | 0 0\n" : "";
    bool is_found = false;
    for (const Ruling& each : rule_on_profiles(log_in(right + more))) {
      if (each.hypothesis.name() != "ocp-mx-1.0") continue;
      is_found = true;
      EXPECT_TRUE(each.agrees());
      EXPECT_EQ(each.is_silent, is_silent);
      EXPECT_EQ(each.explains(), !is_silent);
    }
    EXPECT_TRUE(is_found);
  }
}

// N = 20 random bits: 1.96875 goes up to 2 from 2^18 on.
TEST(Makers, PairsWhateverTheirOrder) {
  const Identification found = found_in(
      "fp32 ue5m3 random\n3ffc0000 3ffff 7f\n3ffc0000 40000 80\n3ff80000 7ffff 7f\n"
      "3ff80000 80000 80\n");
  EXPECT_EQ(found.changed_policies, 2);
  EXPECT_TRUE(
      is_named(found.deviations, "mxgold-default with random_bits=20 rounding=stochastic_a"));
  // Control: at 2^18 - 1 nothing goes up.
  EXPECT_FALSE(found_in("fp32 ue5m3 random\n3ffc0000 3ffff 80\n3ffc0000 40000 7f\n"
                        "3ff80000 7ffff 80\n3ff80000 80000 7f\n")
                   .explains());
}

struct Reread {
  const char* log;
  const char* text;
  const char* profile;
};

// Words that mean what a profile gives, if they are read otherwise.
TEST(Makers, OtherReadingsOfWords) {
  for (const Reread& each :
       {// OCP's bits kept where FNUZ was asked for: each is half the value.
        Reread{"e4m3fn e4m3fnuz\n7e 7e\n40 40\n80 80\n7f 7f\n",
               "codes of e4m3fn (bias 7), not e4m3fnuz (bias 8)", "mxgold-default"},
        {"fp32 e4m3fnuz\n3f800000 38\n40000000 40\nbf800000 b8\n",
         "codes of e4m3fn (bias 7), not e4m3fnuz (bias 8)", "te"},
        {"e4m3fnuz fp32\n40 40000000\n38 3f800000\n80 80000000\n",
         "inputs of e4m3fn (bias 7), not e4m3fnuz (bias 8)", "mxgold-default"},
        {"fp32 e4m3fn values\n3f800000 3f000000\n40000000 3f800000\n40400000 3fc00000\n",
         "values of codes of e4m3fnuz (bias 8), not e4m3fn (bias 7)", "te"},
        {"bf16 e4m3fn\n3c00 38\n4000 40\nbc00 b8\n",
         "inputs of fp16 (bias 15), not bf16 (bias 127)", "te"},
        {"fp32 bf16\n0000803f 3f80\n0000c03f 3fc0\n000040c0 c040\n",
         "inputs with their bytes in the other order", "mxgold-default"},
        {"fp32 bf16\n3f800000 803f\n3fc00000 c03f\nc0400000 40c0\n",
         "outputs with their bytes in the other order", "mxgold-default"},
        {"fp32 e2m1fn\n3f800000 4\n40000000 2\n40400000 7\n40c00000 5\n",
         "every two codes exchanged (the other nibble first)", "mxgold-default"},
        {"fp32 mxfp4\n3f800000 40000000 40400000 40c00000 | 7f | 4 2 7 5\n"
         "40e00000 3f800000 | 7f | 2 7\n80000000 3f800000 | 7d | 6 8\n",
         "every two codes exchanged (the other nibble first)", "mxgold-default"},
        {"fp32 mxfp8_e4m3\n43800000 3f800000 | 78 | 78 58\n"
         "43000000 3f800000 | 77 | 78 5c\n3ff80000 80000000 | 70 | 7b 80\n",
         "codes of mxfp8_e5m2, not of mxfp8_e4m3", "mxgold-default"}}) {
    const Identification found = found_in(each.log);
    EXPECT_TRUE(found.classes.empty() && found.deviations.empty()) << each.log;
    const auto at = std::ranges::find_if(
        found.readings, [&](const ReadLog& read) { return read.reading.text() == each.text; });
    if (at == found.readings.end()) {
      for (const ReadLog& read : found.readings) ADD_FAILURE() << each.log << read.reading.text();
      EXPECT_TRUE(false) << each.log << each.text;
      continue;
    }
    EXPECT_TRUE(is_named(at->classes, each.profile)) << each.log;
    EXPECT_TRUE(found.explains());
  }
}

// Controls: what is right is read as it is written; one record, half a pair and nonsense are not
// read otherwise.
TEST(Makers, WhatIsNotReadOtherwise) {
  for (const char* const log :
       {"fp32 e4m3fn\n3f800000 38\n40000000 40\n", "fp32 e4m3fn\n3f800000 40\n",
        "fp32 e2m1fn\n3f800000 4\n40000000 2\n40400000 7\n",
        "fp32 e2m1fn\n3f800000 7\n40000000 0\n", "fp32 e4m3fn\n3f800000 40\n40000000 41\n"}) {
    EXPECT_TRUE(found_in(log).readings.empty()) << log;
  }
}

/// Property: whatever is answered to the next input, fewer groups are left.
TEST(Makers, TheNextInputDecides) {
  const std::string log = "fp32 e4m3fn\n3f880000 38\n";
  const Identification found = found_in(log);
  ASSERT_TRUE(found.next);
  ASSERT_GT(found.next->sides.size(), 1U);
  std::size_t left = 0;
  for (const NextInput::Side& side : found.next->sides) {
    ImplementationLog longer = log_in(log);
    longer.records.push_back({.input = found.next->input, .answer = side.answer, .line = 3});
    const std::size_t classes = identify(longer).classes.size();
    EXPECT_LT(classes, found.classes.size());
    EXPECT_GT(classes, 0U);
    left += classes;
  }
  EXPECT_GE(left, found.classes.size());
}

// Contradictions are counted among the first records; what explains a log explains the last, too.
TEST(Makers, LongLogs) {
  const Surface s = surface("fp32", "e2m1fn");
  const Subject truth = subject("mxgold-default", s);
  for (const std::uint64_t count :
       {kCountedRecords - 1, kCountedRecords, kCountedRecords + 1, 2 * kCountedRecords + 1}) {
    // A tie that goes up to the even code, and that ggml takes down.
    ImplementationLog log = log_of(
        s, truth, std::vector<BlockInput>(count, BlockInput{.lanes = {0x3FE00000}}));  // 1.75 -> 4
    for (const bool is_last_wrong : {false, true}) {
      if (is_last_wrong) log.records.back().answer.codes[0] ^= 1;
      const Identification found = identify(log);
      EXPECT_EQ(is_named(found.classes, "mxgold-default"), !is_last_wrong) << count;
      EXPECT_EQ(ruling_on(found, "ggml").contradicted, std::min(count, kCountedRecords)) << count;
      const Ruling& maker = ruling_on(found, "mxgold-default");
      EXPECT_EQ(maker.contradicted, is_last_wrong ? 1U : 0U);
      if (is_last_wrong) {
        EXPECT_EQ(maker.first.value().record, count - 1);
      }
      EXPECT_EQ(found.compared, count);
      EXPECT_EQ(found.searched, is_last_wrong ? count : std::min(count, kCountedRecords));
    }
  }
}

TEST(Makers, TheAnswerIsFiveLines) {
  for (const char* const log :
       {"fp32 e4m3fn\n3f880000 38\n", "fp32 bf16\n7fff8c22 8000\n3f800000 3f80\n7f800001 7f80\n",
        "e4m3fn e4m3fnuz\n7e 7e\n40 40\n80 80\n7f 7f\n",
        "fp32 mxfp4\n3f800000 40000000 | 7e | 4 6\n"}) {
    const Answer answer = identified(log_in(log), 1, Spelling::kOptions, {"a note"});
    const std::string first = answer.text.substr(0, answer.text.find("\n\n"));
    EXPECT_EQ(std::ranges::count(first, '\n'), 5) << answer.text;
    std::size_t at = 0;
    for (const char* const word :
         {"who: ", "\ncompared: ", "\ntelling: ", "\nnext: ", "\nmore: --verbose\n", "a note"}) {
      EXPECT_GE(first.find(word), at) << first;
      at = first.find(word);
      EXPECT_NE(at, std::string::npos) << first << word;
    }
  }
}

}  // namespace
}  // namespace mx::golden::test
