// SPDX-License-Identifier: Apache-2.0
// Answers of the explorer page are those of the questions that the command line asks.
#include "explorer/answers/answers.hpp"

#include <gtest/gtest.h>

#include "explorer/answers/question.hpp"
#include "golden/explain/question.hpp"
#include "reference/format/table.hpp"

namespace mx::explorer {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ExplorerQuestion, KeepsEveryLineInOrder) {
  const Question question("ask explain\ninput 1.5\ninput nan\nprofile\n\nlast");
  EXPECT_EQ(question.one("ask"), "explain");
  EXPECT_EQ(question.all("input"), (std::vector<std::string>{"1.5", "nan"}));
  EXPECT_EQ(question.one("input"), "nan");
  EXPECT_EQ(question.all("profile"), std::vector<std::string>{""});
  EXPECT_EQ(question.all("last"), std::vector<std::string>{""});
  EXPECT_TRUE(question.all("none").empty());
  EXPECT_TRUE(Question("").all("ask").empty());
}

TEST(ExplorerAnswers, AreThoseOfExplain) {
  FormatCatalog catalog;
  const golden::Answer one = golden::explain({.inputs = {"1", "2.5", "-0x1p-3"},
                                              .format = "mxfp4",
                                              .source = "bf16",
                                              .profiles = {"torchao-0.18"}},
                                             catalog);
  const std::string answered = answer(
      "ask explain\nformat mxfp4\nsource bf16\nprofile torchao-0.18\ninput 1\ninput 2.5\ninput "
      "-0x1p-3");
  EXPECT_EQ(answered,
            "{\"data\":" + one.data.json() + ",\"text\":" + golden::Tree(one.text).json() + "}");
  const std::string beside = answer(
      "ask explain\nformat e4m3fn\nsource fp32\nprofile torch-2.15/cpu\nprofile "
      "torch-2.11/cuda\ninput 500");
  EXPECT_TRUE(has(beside, "overflow sat_finite -> none_inf_or_nan")) << beside;
}

TEST(ExplorerAnswers, NameEveryFormat) {
  const std::string names = answer("ask names");
  for (const ElementFormat& format : all_formats()) {
    EXPECT_TRUE(has(names, "{\"name\":\"" + std::string(format.name) + "\"")) << format.name;
  }
  for (const BlockFormat& format : all_block_formats()) {
    EXPECT_TRUE(has(names, "{\"name\":\"" + std::string(format.name) + "\"")) << format.name;
  }
}

TEST(ExplorerAnswers, NameTheSystemsOfAFormatAndItsCodes) {
  const std::string systems = answer("ask systems\nformat mxfp4\nsource fp32");
  EXPECT_TRUE(has(systems, "\"element\":\"e2m1fn\"")) << systems;
  EXPECT_TRUE(has(systems, "\"source_bits\":32")) << systems;
  EXPECT_TRUE(has(systems, "\"profile\":\"torchao-0.18:rceil\"")) << systems;
  EXPECT_FALSE(has(systems, "\"profile\":\"te\"")) << systems;
  const std::string codes = answer("ask codes\nformat e2m1fn");
  EXPECT_TRUE(has(codes, R"({"code":"F","class":"normal","hex":"-0x1.8p+2","decimal":"-6"})"));
}

TEST(ExplorerAnswers, RefusalsNameWhatWasGivenAndTheRemedy) {
  const std::string start = "ask explain\nformat mxfp4\nsource fp32\n";
  const std::pair<std::string, std::string> refused[] = {
      {start + "profile ggml\ninput frog", "'frog'"},
      {start + "profile ggml", "type a number"},
      {start + "input 1", "choose at least one"},
      {start + "profile te\ninput 1", "not mxfp4"},
      {"ask explain\nformat mxfp5\nsource fp32\nprofile ggml\ninput 1", "did you mean"},
      {"ask systems\nformat mxfp4\nsource fp33", "fp33"},
      {"ask codes\nformat mxfp4", "block format"},
      {"ask weather", "'weather'"},
      {"", "can be asked"}};
  for (const auto& [question, words] : refused) {
    const std::string said = answer(question);
    EXPECT_TRUE(said.starts_with("{\"problem\":\"")) << said;
    EXPECT_TRUE(has(said, words)) << question << ": " << said;
  }
}

}  // namespace
}  // namespace mx::explorer
