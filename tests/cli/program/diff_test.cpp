// diff-profile and identify as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "reference/profiles/profile.hpp"
#include "tests/cli/program/program.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/made.hpp"

namespace mx::cli::test {
namespace {

using Json = nlohmann::json;

TEST(DiffProfile, NamesTheSettingAndTheSmallestInput) {
  const ProgramEnd text =
      run_program({"diff-profile", "mxgold-default", "ggml", "--format", "e2m1fn"});
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_NE(text.out.find("3f400000 (0.75)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("rounding: ties_to_even | ties_to_zero"), std::string::npos);
  EXPECT_NE(text.out.find("proved on all 2^32 patterns"), std::string::npos);
}

TEST(DiffProfile, JsonMirrors) {
  const std::vector<std::string> rest = {"--source", "bf16", "--format", "e4m3fn", "--json"};
  std::vector<std::string> forth = {"diff-profile", "cuda-13.0-host", "ml_dtypes-0.6"};
  std::vector<std::string> back = {"diff-profile", "ml_dtypes-0.6", "cuda-13.0-host"};
  forth.insert(forth.end(), rest.begin(), rest.end());
  back.insert(back.end(), rest.begin(), rest.end());
  const Json a = Json::parse(run_program(forth).out);
  const Json b = Json::parse(run_program(back).out);
  ASSERT_EQ(a["surfaces"].size(), 1U);
  EXPECT_EQ(a["surfaces"][0]["basis"], "exhaustive");
  EXPECT_EQ(a["surfaces"][0]["compared"], 65536);
  const Json& x = a["surfaces"][0]["differences"];
  const Json& y = b["surfaces"][0]["differences"];
  ASSERT_EQ(x.size(), y.size());
  ASSERT_FALSE(x.empty());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i]["input"], y[i]["input"]);
    EXPECT_EQ(x[i]["a"], y[i]["b"]);
    EXPECT_EQ(x[i]["b"], y[i]["a"]);
  }
}

TEST(DiffProfile, AgreementIsExitZero) {
  const ProgramEnd same = run_program({"diff-profile", "ggml", "ggml", "--format", "e2m1fn"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("agree, by definition"), std::string::npos) << same.out;
  const ProgramEnd nothing = run_program({"diff-profile", "hif4", "ggml", "--source", "fp32"});
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_NE(nothing.out.find("no common surface"), std::string::npos) << nothing.out;
}

TEST(DiffProfile, VariantsAreNamed) {
  const ProgramEnd outcome = run_program(
      {"diff-profile", "torchao-0.18:rceil", "torchao-0.19dev:rceil", "--format", "mxfp8_e4m3"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("rule: rceil_log2f | rceil"), std::string::npos) << outcome.out;
}

TEST(DiffProfile, ComparesTheSurfacesOfLists) {
  const ProgramEnd outcome =
      run_program({"diff-profile", "mxgold-default", "mxgold-default", "--source", "fp32,bf16",
                   "--format", "e2m1fn,mxfp4", "--threads", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("of 4 common surfaces differ"), std::string::npos) << outcome.out;
}

TEST(DiffProfile, RefusesWhatItDoesNotKnow) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"diff-profile", "ggml"}, "two profiles are needed"},
      {{"diff-profile", "gglm", "te"}, "did you mean 'ggml'?"},
      {{"diff-profile", "te:fast", "ggml"}, "unknown variant of profile te"},
      {{"diff-profile", "ggml", "te", "--format", "e2m1f"}, "did you mean 'e2m1fn'?"},
      {{"diff-profile", "ggml", "te", "--source", "fp31"}, "unknown source"},
      {{"diff-profile", "ggml", "te", "--all"}, "--all compares all profiles"},
      {{"identify"}, "name a LOG"},
      {{"identify", "x", "--emit-stimulus", "e4m3fn"}, "name a LOG"},
      {{"identify", "--emit-stimulus", "e4m3f"}, "did you mean"}};
  for (const auto& [arguments, says] : cases) {
    const ProgramEnd outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

/// Answers a stimulus of elements by a profile of the reference, as an implementation would.
std::string answered(const std::string& stimulus, const ConversionConfig& conversion) {
  std::istringstream lines(stimulus);
  std::string line;
  std::getline(lines, line);
  std::string log = line + "\n";
  while (std::getline(lines, line)) {
    const std::uint64_t code = made(conversion)(std::stoull(line, nullptr, 16)).code;
    char text[8] = {};
    std::snprintf(text, sizeof text, " %02x\n", static_cast<unsigned>(code));
    log += line + text;
  }
  return log;
}

class Stimulus : public testing::Test {
 protected:
  void SetUp() override {
    const ProgramEnd outcome = run_program({"identify", "--emit-stimulus", "e4m3fn"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    stimulus_ = outcome.out;
    ASSERT_EQ(stimulus_.substr(0, stimulus_.find('\n')), "fp32 e4m3fn");
    const auto lines = std::count(stimulus_.begin(), stimulus_.end(), '\n');
    EXPECT_GT(lines, 100);
    EXPECT_LE(lines, 1001);
  }
  std::string stimulus_;
};

TEST_F(Stimulus, IdentifiesAProfile) {
  const ConversionConfig onnx = *element_conversion(*find_profile("onnx-ref"), *find_format("fp32"),
                                                    *find_format("e4m3fn"), "saturate_0");
  const ProgramEnd outcome = run_program({"identify", "-", "--json"}, answered(stimulus_, onnx));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json found = Json::parse(outcome.out);
  ASSERT_EQ(found["classes"].size(), 1U) << outcome.out;
  bool is_member = false;
  for (const Json& member : found["classes"][0]["members"]) {
    is_member = is_member || member["profile"] == "onnx-ref:saturate_0";
  }
  EXPECT_TRUE(is_member) << outcome.out;
  for (const Json& profile : found["profiles"]) {
    if (profile["profile"] == "mxgold-default") {
      EXPECT_FALSE(profile["explains"]);
      EXPECT_TRUE(profile["first"].contains("expected"));
      EXPECT_GT(profile["first"]["line"], 1);
    }
  }
}

TEST_F(Stimulus, NamesADeviation) {
  ConversionConfig wrong = *element_conversion(*find_profile("mxgold-default"),
                                               *find_format("fp32"), *find_format("e4m3fn"));
  wrong.policy.rounding = Rounding::kTiesTowardPositive;
  const ProgramEnd outcome =
      run_program({"identify", "-", "--verbose"}, answered(stimulus_, wrong));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no profile explains every record"), std::string::npos);
  EXPECT_NE(outcome.out.find("mxgold-default with rounding=ties_toward_positive"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("expected"), std::string::npos);
}

TEST_F(Stimulus, SaysWhenNothingExplains) {
  std::string log = stimulus_.substr(0, stimulus_.find('\n') + 1);
  for (const char* const line : {"3f800000 38\n", "3f800000 39\n"}) log += line;
  const ProgramEnd outcome = run_program({"identify", "-", "--verbose"}, log);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("no profile with one or two policies changed"), std::string::npos)
      << outcome.out;
  // The answer alone is five lines, and the same.
  const ProgramEnd answer = run_program({"identify", "-"}, log);
  EXPECT_EQ(answer.status, 1) << answer.err;
  EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 5) << answer.out;
  EXPECT_EQ(answer.out + "\n", outcome.out.substr(0, answer.out.size() + 1));
  EXPECT_NE(answer.out.find("look at line 3: input 3f800000, expected 38, seen 39"),
            std::string::npos)
      << answer.out;
}

TEST(IdentifyProgram, TakesVectorFiles) {
  // Of nvfp4 each configuration has a tensor level of its own.
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"mxfp4", "block"}, {"nvfp4", "block"}, {"e4m3fn", "cvt"}};
  for (const auto& [format, op] : kinds) {
    const ProgramEnd vectors =
        run_program({"gen", "--suite", "smoke", "--op", op, "--format", format, "-o", "-"});
    ASSERT_EQ(vectors.status, 0) << vectors.err;
    const ProgramEnd outcome = run_program({"identify", "-", "--json"}, vectors.out);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Json found = Json::parse(outcome.out);
    EXPECT_EQ(found["target"], format);
    ASSERT_FALSE(found["classes"].empty());
    EXPECT_EQ(found["classes"][0]["members"][0]["profile"], "mxgold-default");
  }
}

TEST(IdentifyProgram, RefusesMalformedLogs) {
  const ProgramEnd text = run_program({"identify", "-"}, "fp32 e4m3fn\n3f800000 38\n3f8 0 38\n");
  EXPECT_EQ(text.status, 3);
  EXPECT_NE(text.err.find("standard input:3: record: 3 words in place of 2; write INPUT OUTPUT"),
            std::string::npos)
      << text.err;
  const ProgramEnd missing = run_program({"identify", "/nonexistent/log.txt"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.err.find("/nonexistent/log.txt"), std::string::npos) << missing.err;
  std::string cut = run_program({"gen", "--suite", "smoke", "--format", "e4m3fn", "-o", "-"}).out;
  cut.resize(cut.size() / 2);
  EXPECT_EQ(run_program({"identify", "-"}, cut).status, 3);
}

}  // namespace
}  // namespace mx::cli::test
