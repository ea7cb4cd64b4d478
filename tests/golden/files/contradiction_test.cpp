// A header that contradicts itself, or the set that it names: each field of each operation changed
// to another value that is valid elsewhere.
#include <gmock/gmock.h>

#include <map>

#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<std::string>;

class Contradiction : public GoldenFixture {
 protected:
  /// What a reader says of a file, "" where it takes it.
  static std::string refusal_of(const std::string& file) {
    try {
      VectorReader reader(file, emulators::make_cast, ReadMode::kAnswers);
      for (RecordBatch batch; reader.read(batch, 1000) != 0;) continue;
    } catch (const VectorError& error) {
      return error.what();
    }
    return {};
  }

  /// The file with another value of a header field; "" where it has no such field or that value.
  static std::string changed(const std::string& text, const std::string& key,
                             const std::string& value) {
    const std::string start = "# " + key + " ";
    const std::size_t at = text.find("\n" + start);
    if (at == std::string::npos) return {};
    const std::size_t first = at + 1 + start.size();
    std::string result = text;
    result.replace(first, text.find('\n', first) - first, value);
    return result == text ? std::string() : result;
  }
};

template <typename E>
Values texts() {
  Values values;
  for (const Token<E>& each : tokens<E>()) values.emplace_back(each.text);
  return values;
}

Values block_names() {
  Values names = {"fp16", "e8m0"};
  for (const BlockFormat& each : all_block_formats()) names.emplace_back(each.name);
  return names;
}

/// Values that are valid in some header, of each field that is no policy: what no other value can
/// stand for. Of policies another value is another question, which the answers tell.
std::map<std::string, Values> other_values() {
  const Values numbers = {"0", "1", "2", "5", "16", "31", "32", "60", "64"};
  std::map<std::string, Values> values = {{"op", texts<Operation>()},
                                          {"configurations", {"2"}},
                                          {"lanes", numbers},
                                          {"lengths", {"full", "vary"}},
                                          {"random", {"none", "direct"}},
                                          {"suite", texts<SuiteKind>()},
                                          {"level", {"0", "2", "99"}},
                                          {"drawn", numbers},
                                          {"shard", {"0/2", "1/2"}},
                                          {"count", {"1", "2", "1000000"}},
                                          {"unit_open", texts<UnitOpen>()},
                                          {"profile_document", {"none", "mine"}},
                                          {"chosen", {"mine", "rounding,rounding", "rounding,"}},
                                          {"source_definition", {"by_name", "none"}}};
  for (const std::string side : {"", "a_", "b_"}) {
    values[side + "format"] = block_names();
    values[side + "element"] =
        values[side + "scale"] = {"e4m3fn", "e5m2", "e2m1fn", "e8m0", "fp32"};
    values[side + "block_size"] = values[side + "tile_lines"] = numbers;
    values[side + "sublevel_1"] = values[side + "sublevel_2"] = values[side + "cut_from"] = numbers;
    values[side + "extent"] = texts<BlockExtent>();
    values[side + "tensor_scale"] = texts<TensorScale>();
    values[side + "negative_zero"] = texts<NegativeZeroDatum>();
    values[side + "rule_emax"] = numbers;
    values[side + "format_rule"] = texts<ScaleRule>();
    values[side + "scale_limit"] = {"0000000000000000", "000000000000007e"};
  }
  return values;
}

std::vector<GoldenSet> one_of_each() {
  std::vector<GoldenSet> all;
  for (const Configuration& each :
       {conversion(formats::bf16, formats::e4m3fn), block(formats::bf16, "mxfp8_e4m3"),
        block(formats::fp32, "nvfp4"), dot("mxfp8_e4m3", "mxfp4"),
        arith(ArithmeticOperation::kAdd, formats::fp16), dequantize("mxfp4", formats::bf16),
        mma(matrix_units().front().name), some_casts().front()}) {
    all.push_back(
        golden_set({each}, SuiteKind::kSmoke, 0, 5,
                   each.operation() == Operation::kBlock ? Lengths::kFull : Lengths::kVary));
  }
  return all;
}

TEST_F(Contradiction, EveryFieldOfEveryOperation) {
  const std::map<std::string, Values> others = other_values();
  std::map<std::string, int> tried;
  for (const GoldenSet& set : one_of_each()) {
    const std::string good = file_of(set, FileKind::kTv);
    const std::string text = text_of(good);
    ASSERT_EQ(refusal_of(good), "");
    for (const auto& [key, values] : others) {
      // An element format of arithmetic is what it computes in.
      if (set.header.op == Operation::kArith && key == "format") continue;
      for (const std::string& value : values) {
        const std::string other = changed(text, key, value);
        if (other.empty()) continue;
        EXPECT_NE(refusal_of(write("bad.tv", other)), "")
            << token_of(set.header.op) << ": " << key << " " << value;
        ++tried[key];
      }
    }
  }
  for (const auto& [key, values] : others) EXPECT_GT(tried[key], 0) << key;
}

// What the refusals say.
TEST_F(Contradiction, IsNamed) {
  const GoldenSet set = one_of_each()[1];
  const std::string text = text_of(file_of(set, FileKind::kTv));
  const auto said = [&](const char* key, const char* value) {
    return refusal_of(write("bad.tv", changed(text, key, value)));
  };
  EXPECT_THAT(said("format", "fp16"), HasSubstr("format is \"fp16\", which is an element format"));
  EXPECT_THAT(said("format", "mxfp4"), HasSubstr("format is \"mxfp4\", a format of mxgold's"));
  EXPECT_THAT(said("level", "2"), HasSubstr("level is 2, but suite smoke has level 1 alone"));
  EXPECT_THAT(said("drawn", "60"), HasSubstr("drawn is 60, but suite smoke draws none"));
  EXPECT_THAT(said("suite", "dir"), HasSubstr("vectors in shard 0/1, the file has"));
}

// What nothing reads has its default: a bench that reads the header would compute otherwise.
TEST_F(Contradiction, WhatNothingReadsHasItsDefault) {
  const auto tried = [&](const Configuration& configuration, const std::string& key,
                         const std::string& value) {
    const GoldenSet set = golden_set({configuration}, SuiteKind::kSmoke, 0, 5);
    const std::string text = text_of(file_of(set, FileKind::kTv));
    EXPECT_EQ(refusal_of(write("good.tv", text)), "") << key;
    return refusal_of(write("bad.tv", changed(text, key, value)));
  };
  struct Idle {
    Configuration configuration;
    const char* key;
    const char* value;
    const char* why;
  };
  const std::vector<Idle> idle = {
      {dot("mxfp4", "mxfp8_e4m3"), "a_stored_tensor_scale", "40000000", "mxfp4 has no scale"},
      {dot("mxfp8_e4m3", "mxfp4"), "b_stored_tensor_scale", "3f800001", "mxfp4 has no scale"},
      {dot("mxfp8_e4m3", "mxfp4"), "acc_group", "7", "mode=exact_once has no accumulator"},
      {dot("mxfp8_e4m3", "mxfp4"), "acc_format", "bf16", "no accumulator"},
      {dot("mxfp8_e4m3", "mxfp4"), "acc_ftz", "pre", "no accumulator"},
      {dot("mxfp8_e4m3", "mxfp4"), "addend_format", "bf16", "there is no addend"},
      {block(formats::bf16, "mxfp4"), "tensor_amax", "45280000", "mxfp4 has no scale"},
      {block(formats::bf16, "mxfp4"), "stored_tensor_scale", "40000000", "mxfp4 has no scale"},
      {dequantize("mxfp4", formats::bf16), "stored_tensor_scale", "40000000",
       "mxfp4 has no scale"}};
  for (const Idle& each : idle) {
    const std::string said = tried(each.configuration, each.key, each.value);
    EXPECT_THAT(said, HasSubstr(std::string(each.key) + " is \"" + each.value + "\", expected "));
    EXPECT_THAT(said, HasSubstr(each.why));
  }
  // The negative: where something reads the field, another value is another question.
  EXPECT_EQ(tried(dequantize("nvfp4", formats::bf16), "stored_tensor_scale", "40000000"), "");
}

// Names that mxgold does not know are a user's own, and suites of other names are as they are.
TEST_F(Contradiction, NamesOfOnesOwnAreTaken) {
  const GoldenSet set = one_of_each()[1];
  const std::string text = text_of(file_of(set, FileKind::kTv));
  for (const auto& [key, value] : {std::pair{"format", "mine"}, std::pair{"suite", "custom"}}) {
    EXPECT_EQ(refusal_of(write("own.tv", changed(text, key, value))), "") << key;
  }
  const auto said = [&](const std::string& name) {
    return refusal_of(write("own.tv", changed(text, "suite", name)));
  };
  for (const char* const name :
       {"mine", "my_set_2", "Mine", "smokey_1", "tensors_of_mine", "rn22d"}) {
    EXPECT_EQ(said(name), "") << name;
  }
  // One bit, one character or another case away from a set that is made again.
  for (const char* const name : {"smokd", "smokes", "smok", "moke", "Smoke", "SMOKE", "vnd", "rnds",
                                 "xdir", "dar", "polxcy", "tensos", "uensor"}) {
    EXPECT_THAT(said(name), HasSubstr("which may be a damaged \"")) << name;
  }
  for (const char* const name : {"two words", "a-b", "1st", "x.y", "sm\toke", "\"mine\""}) {
    EXPECT_THAT(said(name), HasSubstr("expected a word")) << name;
  }
  for (int bit = 0; bit < 8 * 5; ++bit) {
    std::string name = "smoke";
    char& c = name[static_cast<std::size_t>(bit / 8)];
    c = static_cast<char>(c ^ (1 << (bit % 8)));
    EXPECT_NE(said(name), "") << name;
  }
}

}  // namespace
}  // namespace mx::golden
