// What waivers name: every word of an input is found where it is and nowhere else, and every name
// of a change takes its values and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "golden/deviation/input.hpp"
#include "golden/deviation/names.hpp"
#include "golden/structure/structure.hpp"
#include "reference/policy/fields.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

InputPredicate holds(std::vector<std::string> words) { return {std::move(words), {}, {}}; }
InputPredicate scaled(CodeRange range) { return {{}, {}, range}; }
const InputPredicate kOperandScale = {{}, CodeRange{0, 1}, {}};
const InputPredicate kBoth = {{"all_zero"}, {}, CodeRange{0, 1}};

/// The words that a conversion of one code has.
std::set<std::string> words_of(const ElementFormat& source, std::uint64_t code) {
  GoldenSet set;
  set.header.op = Operation::kCvt;
  set.header.configs = {conversion(source, formats::e4m3fn)};
  RecordBatch batch(set.header.shape(), 1);
  batch.word(Field::kSource, 0) = code;
  InputKinds kinds(set.header);
  std::set<std::string> words;
  for (const std::string& word : input_words(Operation::kCvt)) {
    if (kinds.has(batch, 0, holds({word}))) words.insert(word);
  }
  return words;
}

TEST(InputKinds, NameEveryKindOfValue) {
  using Words = std::set<std::string>;
  const std::vector<std::pair<std::uint64_t, Words>> expected = {
      {0x0000, {"zero", "+zero"}},
      {0x8000, {"zero", "-zero"}},
      {0x0001, {"min_subnormal", "+min_subnormal", "subnormal", "+subnormal"}},
      {0x8002, {"subnormal", "-subnormal"}},
      {0x03FF, {"max_subnormal", "+max_subnormal", "subnormal", "+subnormal"}},
      {0x0400, {"min_normal", "+min_normal", "normal", "+normal"}},
      {0xBC00, {"normal", "-normal"}},
      {0x7BFF, {"max_normal", "+max_normal", "normal", "+normal"}},
      {0xFC00, {"infinity", "-infinity"}},
      {0x7E00, {"quiet_nan", "+quiet_nan", "nan", "+nan"}},
      {0xFD00, {"signaling_nan", "-signaling_nan", "nan", "-nan"}}};
  std::set<std::string> seen;
  for (const auto& [code, words] : expected) {
    EXPECT_EQ(words_of(formats::fp16, code), words) << std::hex << code;
    for (const std::string& word : words)
      seen.insert(word[0] == '+' || word[0] == '-' ? word.substr(1) : word);
  }
  EXPECT_EQ(seen.size(), 11U) << "a kind without an example";
}

/// A block with one code in a lane, zeros elsewhere.
struct Block {
  Block() {
    header.op = Operation::kBlock;
    header.configs = {block(formats::fp16, "mxfp4")};
    header.lanes = 32;
    batch = RecordBatch(header.shape(), 1);
  }
  [[nodiscard]] bool has(const InputPredicate& predicate) {
    return InputKinds(header).has(batch, 0, predicate);
  }
  VectorHeader header;
  RecordBatch batch;
};

TEST(InputKinds, NameShapesOfBlocksAndScales) {
  Block block;
  EXPECT_TRUE(block.has(holds({"all_zero"})));
  EXPECT_TRUE(block.has(holds({"all_zero", "zero", "+zero"})));
  EXPECT_FALSE(block.has(holds({"all_zero", "-zero"}))) << "all have to be there";
  block.batch.of(Field::kSource, 0)[7] = 1;
  EXPECT_TRUE(block.has(holds({"all_subnormal"})));
  EXPECT_FALSE(block.has(holds({"all_zero"})));
  block.batch.of(Field::kSource, 0)[7] = 0x3C00;
  EXPECT_TRUE(block.has(holds({"one_lane"})));
  block.batch.of(Field::kSource, 0)[31] = 0x3C00;
  EXPECT_TRUE(block.has(holds({"ordinary"})));
  EXPECT_FALSE(block.has(holds({"one_lane"})));
  block.batch.of(Field::kSource, 0)[31] = 0x7C00;
  EXPECT_TRUE(block.has(holds({"infinity", "normal"})));
  EXPECT_FALSE(block.has(holds({"ordinary"}))) << "a block with an infinity has no shape";
  block.batch.word(Field::kScale, 0) = 0x10;
  EXPECT_TRUE(block.has(scaled({0x10, 0x10})));
  EXPECT_TRUE(block.has(scaled({0, 0x10})));
  EXPECT_FALSE(block.has(scaled({0, 0x0F})));
  EXPECT_FALSE(block.has(scaled({0x11, 0xFF})));
}

// Lanes beyond a short block's elements hold nothing.
TEST(InputKinds, LanesThatTakeNoPartHoldNothing) {
  Block block;
  block.header.lengths = Lengths::kVary;
  block.batch = RecordBatch(block.header.shape(), 1);
  block.batch.word(Field::kElements, 0) = 2;
  std::ranges::fill(block.batch.of(Field::kSource, 0), 0x3C00);
  EXPECT_FALSE(block.has(holds({"zero"})));
  block.batch.of(Field::kSource, 0)[2] = 0x7C00;
  EXPECT_FALSE(block.has(holds({"infinity"})));
}

TEST(InputKinds, WhatIsUnknownIsSaidWithWhatIsKnown) {
  const auto says = [](const InputPredicate& predicate, Operation op, const char* words) {
    const std::string problem = problem_of(predicate, op);
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
  };
  says(holds({"subnormals"}), Operation::kBlock, "where.has: 'subnormals': give words of zero");
  says(holds({"all_zero"}), Operation::kCvt, "where.has: 'all_zero'");
  says(kOperandScale, Operation::kBlock, "say expected_scale");
  says(scaled({0, 1}), Operation::kDequantize, "say scale");
  says(scaled({0, 1}), Operation::kArith, "leave it out");
  EXPECT_EQ(problem_of(kBoth, Operation::kBlock), "");
  EXPECT_EQ(problem_of(kOperandScale, Operation::kDequantize), "");
}

TEST(Deviations, TakeTheirValuesAndNoOthers) {
  const std::vector<Deviation> right = {
      {"rounding", "", "ties_to_away"},  {"rounding", "ties_to_even", "ties_to_away"},
      {"source_subnormals", "", "half"}, {"source_specials", "", "numbers"},
      {"scale_bottom", "", "-128"},      {"scale_top", "", "+126"},
      {"scale_offset", "", "-1"},        {"shown_scale_offset", "", "1"},
      {"scale_codes", "FF", "FE"},       {"codes", "7f", "7e"},
      {"flags_missing", "", "08"},       {"flags_set", "", "40"}};
  std::set<std::string> names;
  for (const Deviation& each : right) {
    EXPECT_EQ(problem_of(each, Operation::kBlock), "") << each.field;
    names.insert(each.field);
  }
  for (const std::string& name : deviation_names(Operation::kBlock)) {
    EXPECT_TRUE(find_policy_field(name) != nullptr || names.contains(name) ||
                !structure_values(name).empty())
        << name;
  }
  const std::vector<std::pair<Deviation, const char*>> wrong = {
      {{"roundng", "", "x"}, "as has a member 'roundng'; known for block: rounding, "},
      {{"rounding", "", "away"}, "as.rounding: 'away': give one of "},
      {{"rounding", "even", "ties_to_away"}, "as.rounding: 'even': give one of "},
      {{"scale_bottom", "", "low"}, "as.scale_bottom: 'low': give an integer"},
      {{"scale_bottom", "1", "2"}, "give an integer"},
      {{"scale_bottom", "", "99999999"}, "give an integer"},
      {{"scale_codes", "", "FE"}, "give an object of hexadecimal codes"},
      {{"flags_missing", "", "0"}, "give hexadecimal bits"},
      {{"source_subnormals", "", "double"}, "give one of as_specified, leading_one"}};
  for (const auto& [change, words] : wrong) {
    const std::string problem = problem_of(change, Operation::kBlock);
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
  }
  EXPECT_EQ(problem_of({"operation", "", "minimum_number"}, Operation::kArith), "");
  EXPECT_EQ(problem_of({"out_of_range", "", "indefinite"}, Operation::kArith), "");
  EXPECT_NE(problem_of({"operation", "", "least"}, Operation::kArith), "");
  EXPECT_NE(problem_of({"out_of_range", "", "wrap"}, Operation::kArith), "");
  EXPECT_NE(problem_of({"operation", "", "minimum"}, Operation::kBlock), "");
  EXPECT_NE(problem_of({"rule", "", "floor"}, Operation::kCvt), "");
  EXPECT_NE(problem_of({"scale_bottom", "", "1"}, Operation::kDequantize), "");
  EXPECT_NE(problem_of({"rounding", "", "ties_to_away"}, Operation::kDot), "");
  EXPECT_EQ(problem_of({"unit", "", "a100_f16"}, Operation::kMma), "");
  EXPECT_EQ(problem_of({"fraction_bits", "", "24"}, Operation::kMma), "");
  EXPECT_NE(problem_of({"zero_exponent", "", "low"}, Operation::kMma), "");
  EXPECT_NE(problem_of({"unit", "", "a100"}, Operation::kMma), "");
  EXPECT_NE(problem_of({"unit", "h100_f16", "a100_f16"}, Operation::kMma), "");
  EXPECT_NE(problem_of({"unit", "", "a100_f16"}, Operation::kDot), "");
  EXPECT_NE(problem_of({"flags_set", "", "40"}, Operation::kMma), "");
}

TEST(Deviations, AreWrittenAsTheyAreRead) {
  EXPECT_EQ(as_text(std::vector<Deviation>{{"rounding", "", "ties_to_away"},
                                           {"scale_bottom", "", "-128"},
                                           {"codes", "7F", "7E"},
                                           {"codes", "FF", "FE"}}),
            R"("as": {"rounding": "ties_to_away", "scale_bottom": -128, )"
            R"("codes": {"7F": "7E", "FF": "FE"}})");
  const std::vector<Deviation> change = {{"rounding", "ties_to_even", "ties_to_away"}};
  const auto with = [](Rounding rounding) {
    return conversion(formats::fp32, formats::e4m3fn, rounding);
  };
  const std::vector<Configuration> same = {with(Rounding::kTiesToEven),
                                           with(Rounding::kTiesToAway)};
  EXPECT_EQ(in_short(change, same)[0].from, "");
  const std::vector<Configuration> others = {with(Rounding::kTiesToEven),
                                             with(Rounding::kTowardZero)};
  EXPECT_EQ(in_short(change, others)[0].from, "ties_to_even");
}

/// Control: a change from a value concerns configurations with that value alone.
TEST(Deviations, ConcernConfigurationsWithTheirFirstValue) {
  const Deviation change{"rounding", "ties_to_even", "ties_to_away"};
  DeviatingConfiguration even{.configuration = conversion(formats::fp32, formats::e4m3fn)};
  EXPECT_TRUE(apply(change, even));
  DeviatingConfiguration zero{
      .configuration = conversion(formats::fp32, formats::e4m3fn, Rounding::kTowardZero)};
  EXPECT_FALSE(apply(change, zero));
  EXPECT_TRUE(apply({"rounding", "", "ties_to_away"}, zero));
}

}  // namespace
}  // namespace mx::golden
