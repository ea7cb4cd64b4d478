// SPDX-License-Identifier: Apache-2.0
// `mxgold word`: words of the specification's tables (spec R5.6, R7.2, R7.3) from names and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "golden/config_word/unit_words.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test::word_test {
namespace {

using Line = std::vector<std::string>;

Line split(const std::string& text) {
  std::istringstream stream(text);
  Line words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// What `mxgold word OPTIONS` prints.
std::string word_of(const std::string& options) {
  Line line = split(options);
  line.insert(line.begin(), "word");
  const ProgramEnd end = run_program(line);
  EXPECT_EQ(end.status, 0) << options << "\n" << end.err;
  return end.out;
}

struct Named {
  const char* options;
  const char* word;
};

TEST(Word, IsThatOfTheSpecification) {
  constexpr Named kWords[] = {
      {"--format mxfp8_e4m3", "0x00000000"},
      {"--format e5m2 --source fp16", "0x00000801"},
      {"--format mxfp4 --source bf16 --rounding RNE --rule floor", "0x00000404"},
      {"--format MXFP4 --rounding stochastic_b", "0x0000004c"},
      {"--format mxint8 --rounding to_odd --rule even_down --int-min allow", "0x01000245"},
      {"--format mxfp6_e3m2 --overflow none_inf_or_nan --nan to_opposite_zero", "0x00202003"},
      {"--format mxfp6_e2m3 --amax-over finite_only --inf-block scale_max", "0x00018002"},
      {"--format mxfp8_e4m3 --elem-codes-when-nan-scale nan --even-carry to_nan", "0x00060000"},
      {"--format mxfp8_e4m3 --zero-block-scale one --scale-sat to_nan", "0x00c00000"},
      {"--format mxfp8_e4m3 --zero-sign flush_positive --src-ftz flush", "0x06000000"},
      {"--unit mx_dequantizer --format mxfp4 --scale 80 --result bf16", "0x0c80"},
      {"--unit mx_dequantizer --format nvfp4 --scale 0x7e --result fp16 --dequant-overflow nan",
       "0x567e"},
      {"--unit mx_nvfp4_quantizer --tensor-scale 1.0", "0x03f800000"},
      {"--unit mx_nvfp4_quantizer --tensor-scale 0x00000001 --source bf16", "0x100000001"},
      {"--unit mx_dot --format mxfp8_e4m3 --scale 7f", "0x0000000000007f7f"},
      {"--unit mx_dot --format mxfp8_e4m3,mxfp4 --scale 7f,80 --c -1.5", "0xbfc000000020807f"}};
  for (const Named& each : kWords) EXPECT_EQ(word_of(each.options), each.word + std::string("\n"));
}

// Each code of each field, and numbers at both ends: the options that are printed make the word.
TEST(Word, IsReadAndMadeAgain) {
  int tried = 0;
  for (const golden::UnitWord& unit : golden::unit_words()) {
    for (const golden::UnitField& field : unit.fields) {
      std::vector<std::uint64_t> codes = {1, (1ULL << field.place.width) - 1};
      if (field.name == "c" || field.name == "tensor_scale") codes = {0x3F800000, 0x7F7FFFFF};
      if (!field.values.empty()) codes.clear();
      for (std::uint64_t code = 0; code < field.values.size(); ++code) codes.push_back(code);
      for (const std::uint64_t code : codes) {
        // A tensor scale is above 0.
        const bool has_scale = unit.field("tensor_scale") != nullptr && field.name == "source";
        const std::uint64_t word = code << field.place.lsb | (has_scale ? 0x3F800000 : 0);
        const std::string text = fmt::format("0x{:0{}x}", word, (unit.width + 3) / 4);
        const std::string read = word_of(fmt::format("{} --unit {}", text, unit.unit));
        EXPECT_EQ(read.find(text + " of " + std::string(unit.unit)), 0U) << read;
        const std::string again = "again: mxgold word ";
        const std::size_t at = read.find(again);
        ASSERT_NE(at, std::string::npos) << read;
        EXPECT_EQ(word_of(read.substr(at + again.size())), text + "\n") << read;
        ++tried;
      }
    }
  }
  EXPECT_EQ(tried, 90);
}

TEST(Word, NamesItsFields) {
  const std::string text = word_of("0x0000044c");
  EXPECT_NE(text.find("     2:0  format                      4  e2m1fn\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("rounding                    9  stochastic (which one, the build's"),
            std::string::npos)
      << text;
  const std::string json = word_of("0x0000044c --json");
  EXPECT_NE(json.find("\"name\": \"source\",\n      \"bits\": \"11:10\",\n      \"code\": 1,\n"
                      "      \"value\": \"bf16\""),
            std::string::npos)
      << json;
}

struct Refusal {
  const char* options;
  const char* says;
};

// Codes and bits beside and beyond the last legal ones, and options that say nothing.
TEST(Word, RefusesWhatAUnitCannotBeTold) {
  constexpr Refusal kRefusals[] = {
      {"6", "bits 2:0, format, are 6, which means nothing to mx_quantizer; codes: 0 e4m3fn, 1"},
      {"0x50", "bits 6:3, rounding, are 10"},
      {"0x280", "bits 9:7, rule, are 5"},
      {"0xc00", "bits 11:10, source, are 3"},
      {"0x280000", "bits 21:19, nan, are 5"},
      {"0x08000000", "bits 31:27, which no field of mx_quantizer has, are 1; they are 0"},
      {"0x100000000", "s_axis_tuser of mx_quantizer has 32 bits; give 8 hexadecimal digits"},
      {"10000 --unit mx_dequantizer", "has 16 bits; give 4 hexadecimal digits"},
      {"8000 --unit mx_dequantizer", "bits 15, which no field of mx_dequantizer has, are 1"},
      {"700 --unit mx_dequantizer", "bits 10:8, format, are 7"},
      {"400000 --unit mx_dot", "bits 31:22, which no field of mx_dot has, are 1"},
      {"200000000 --unit mx_nvfp4_quantizer", "has 33 bits; give 9 hexadecimal digits"},
      {"404 --format mxfp4", "--format: says nothing beside a word"},
      {"12g", "give hexadecimal bits"},
      {"404 --unit mx_nvfp4", "unknown value of --unit 'mx_nvfp4'"},
      {"", "give --format, or a word to read"},
      {"--format nvfp4", "--unit mx_nvfp4_quantizer makes the word of nvfp4"},
      {"--format mxfp4 --dequant-overflow inf", "--dequant-overflow: no field of the word of"},
      {"--format mxfp4 --random-bits 4", "--random-bits: no field of the word of mx_quantizer"},
      {"--format mxfp4,mxint8", "--format: 2 values; mx_quantizer takes one"},
      {"--format mxfp4 --rule nearest_pow", "unknown value of --rule"},
      {"--format mxfp4 --profile torchao-0.18", "inf_block as_e255 has no code in the word"},
      {"--unit mx_dequantizer --format mxfp4 --scale 100",
       "--scale '100': give hexadecimal bits up to ff"},
      {"--unit mx_dequantizer --format mxfp4", "--scale: 0 values"},
      {"--unit mx_dot --format mxfp4 --scale 1,2,3",
       "--scale: 3 values; give one for both operands"},
      {"--unit mx_dot --format mxfp4 --scale 1 --rounding RNE", "--rounding: no field"},
      {"--unit mx_nvfp4_quantizer --tensor-scale 0", "a finite number above 0"},
      {"--unit mx_nvfp4_quantizer --tensor-scale=-1", "a finite number above 0"},
      {"--unit mx_nvfp4_quantizer --tensor-scale 0x7f800000", "a finite number above 0"},
      {"--unit mx_nvfp4_quantizer --source fp16", "unknown value of --source 'fp16'"}};
  for (const Refusal& each : kRefusals) {
    Line line = split(each.options);
    line.insert(line.begin(), "word");
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << each.options << "\n" << end.out;
    EXPECT_EQ(end.out, "") << each.options;
    EXPECT_NE(end.err.find(each.says), std::string::npos) << each.options << "\n" << end.err;
  }
}

}  // namespace
}  // namespace mx::cli::test::word_test
