// SPDX-License-Identifier: Apache-2.0
// The five lines of identify on what is asked of whole files: casts, matrix units, the way back
// from blocks. What they say first is the same for all.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/identify/answer.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program_json.hpp"

namespace mx::cli::test::answer_test {
namespace {

using Texts = std::vector<std::string>;

/// What each maker answers to each input.
Partings parted(const std::vector<Texts>& answers) {
  Texts names;
  for (std::size_t i = 0; i < answers.size(); ++i) names.push_back(std::string(1, "abc"[i]));
  const std::size_t inputs = answers.empty() ? 0 : answers[0].size();
  return partings_of(
      names, inputs, [&](std::size_t maker, std::size_t at) { return answers[maker][at]; },
      [](std::size_t at) { return std::to_string(at); });
}

TEST(Partings, OfNobodyOneAndMany) {
  EXPECT_TRUE(parted({}).alike.empty());
  const Partings one = parted({{"1", "2"}});
  EXPECT_EQ(one.alike, (std::vector<std::vector<std::size_t>>{{0}}));
  EXPECT_TRUE(one.best.empty());
  const Partings same = parted({{"1", "2"}, {"1", "2"}});
  EXPECT_EQ(same.alike, (std::vector<std::vector<std::size_t>>{{0, 1}}));
  EXPECT_TRUE(same.best.empty());
  // The second input parts two, the third three.
  const Partings three = parted({{"1", "2", "3"}, {"1", "2", "4"}, {"1", "5", "6"}});
  EXPECT_EQ(three.alike.size(), 3U);
  ASSERT_EQ(three.best.size(), 1U);
  EXPECT_EQ(three.best[0].input, "2");
  EXPECT_EQ(three.best[0].answers, (Texts{"3 from a", "4 from b", "6 from c"}));
  // One that refuses an input is parted from others by it, and gives no answer.
  const Partings refused = parted({{"1"}, {""}});
  EXPECT_EQ(refused.alike.size(), 2U);
  EXPECT_TRUE(refused.best.empty());
}

/// The lines of an answer.
void expect_five_lines(const ProgramEnd& end, int status, const std::string& who) {
  EXPECT_EQ(end.status, status) << end.out << end.err;
  EXPECT_EQ(std::ranges::count(end.out, '\n'), 5) << end.out;
  std::size_t at = 0;
  for (const char* const word :
       {"who: ", "\ncompared: ", "\ntelling: ", "\nnext: ", "\nmore: --verbose\n"}) {
    EXPECT_GE(end.out.find(word), at) << end.out;
    at = end.out.find(word);
    ASSERT_NE(at, std::string::npos) << word << end.out;
  }
  EXPECT_TRUE(end.out.starts_with("who: " + who)) << end.out;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Whole {
  Texts options;  ///< of gen
  std::string who;
};

// Right answers are named, and a wrong one leaves nobody.
TEST(WholeAnswers, AreFiveLinesForEveryOperation) {
  const Scratch scratch;
  for (const Whole& each :
       {Whole{{"--op", "mma", "--unit", "h100_f16", "--format", "bf16"}, "h100_f16"},
        Whole{{"--op", "dequantize", "--format", "mxfp4", "--result", "bf16"},
              "rounding ties_to_even, dst_ftz none, dequant_overflow inf"},
        Whole{{"--op", "cast", "--format", "qtorch:float_quantize(exp=4,man=3,rounding=nearest)",
               "--mode", "strict", "--lanes", "4"},
              "dmx:FP[1|4|3,7](_N) (strict) = qtorch:float_quantize("}}) {
    const std::string path = scratch.path("x.tv");
    Texts make = {"gen", "--suite", "smoke", "-o", path};
    make.insert(make.end(), each.options.begin(), each.options.end());
    ASSERT_EQ(run_program(make).status, 0);
    expect_five_lines(run_program({"identify", path}), 0, each.who);
    std::string text = text_of(path);
    const std::size_t first = text.find('\n', text.find("# count ")) + 1;
    char& digit = text[text.find('\n', first) - 1];
    digit = digit == '0' ? '1' : '0';
    const std::string wrong = scratch.write("wrong.tv", text);
    expect_five_lines(run_program({"identify", wrong}), 1, "none of the ");
    const auto json = nlohmann::json::parse(run_program({"identify", wrong, "--json"}).out);
    EXPECT_EQ(json.at("answer"), "nothing");
    EXPECT_TRUE(json.at("who").empty());
    EXPECT_EQ(json.at("compared_records"), json.at("records"));
  }
}

// 1.5 of E2M1 under a scale of 1 tells no rounding from another: the next input does.
TEST(WholeAnswers, NameTheInputThatDecides) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tv");
  ASSERT_EQ(run_program({"gen", "--op", "dequantize", "--suite", "rnd", "--count", "1", "--format",
                         "mxfp8_e5m2", "--result", "fp16", "-o", path})
                .status,
            0);
  const auto json = nlohmann::json::parse(run_program({"identify", path, "--json"}).out);
  ASSERT_GT(json.at("who").size(), 1U);
  ASSERT_TRUE(json.contains("next")) << json;
  EXPECT_GT(json.at("next").at("answers").size(), 1U);
}

}  // namespace
}  // namespace mx::cli::test::answer_test
