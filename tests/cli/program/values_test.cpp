// Dequantizing as a user meets it: vectors of --op dequantize there and back, what identify says of
// answers, what explain says of codes under a scale, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program_json.hpp"

namespace mx::cli::test {
namespace {

using Json = nlohmann::json;

bool says(const ProgramEnd& end, const std::string& part) {
  return (end.out + end.err).find(part) != std::string::npos;
}

std::string generated(const Scratch& scratch, std::vector<std::string> more) {
  const std::string path = scratch.path("x.tv");
  more.insert(more.begin(), {"gen", "--op", "dequantize", "--suite", "smoke", "-o", path});
  const ProgramEnd end = run_program(more);
  EXPECT_EQ(end.status, 0) << end.err;
  return path;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DequantizeVectors, AreVerifiedByBothJudges) {
  const Scratch scratch;
  const std::string path =
      generated(scratch, {"--format", "mxfp8_e5m2,mxfp8_e4m3", "--result", "fp16", "--rounding",
                          "ties_to_even,toward_zero", "--dst-ftz", "none,post"});
  EXPECT_EQ(run_program({"check", path}).status, 0);
  const ProgramEnd verified = run_program({"verify-goldens", path});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_TRUE(says(verified, "PASS 1 files")) << verified.out;
}

/// Control: one sign of a zero changed is a mismatch, with the element in words.
TEST(DequantizeVectors, ALostSignOfAZeroIsAMismatch) {
  const Scratch scratch;
  const std::string path = generated(scratch, {"--format", "mxfp4", "--result", "bf16"});
  std::string text = read_file(path);
  const std::size_t at = text.find(" 8000 ");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 6, " 0000 ");
  const ProgramEnd end = run_program({"check", scratch.write("wrong.tv", text)});
  EXPECT_EQ(end.status, 1);
  EXPECT_TRUE(says(end, "expected 8000 (-0), got 0000 (0)")) << end.out;
}

TEST(IdentifyValues, NamesThePoliciesThatGaveThem) {
  const Scratch scratch;
  const std::string path = generated(
      scratch, {"--format", "mxfp8_e5m2", "--dequant-overflow", "saturate", "--dst-ftz", "post"});
  const ProgramEnd end = run_program({"identify", path});
  EXPECT_EQ(end.status, 0);
  EXPECT_TRUE(says(end, "rounding ties_to_even, dst_ftz post, dequant_overflow saturate"))
      << end.out;
  EXPECT_FALSE(says(end, "dst_ftz none")) << end.out;
  const Json json = Json::parse(run_program({"identify", path, "--json"}).out);
  EXPECT_EQ(json.at("answer"), "explained");
  EXPECT_TRUE(json.at("tried").at(0).at("explains").get<bool>());
  EXPECT_FALSE(json.at("tried").back().at("explains").get<bool>());
  EXPECT_EQ(json.at("compared_records"), json.at("records"));
  EXPECT_GT(json.at("telling_records").get<int>(), 0);
}

/// Control: a wrong value is explained by nothing, and the nearest says where.
TEST(IdentifyValues, AWrongValueHasNoExplanation) {
  const Scratch scratch;
  const std::string path = generated(scratch, {"--format", "mxfp4", "--result", "bf16"});
  std::string text = read_file(path);
  text.replace(text.find(" 3f80 "), 6, " 3f81 ");
  const ProgramEnd end = run_program({"identify", scratch.write("wrong.tv", text)});
  EXPECT_EQ(end.status, 1);
  EXPECT_TRUE(says(end, "expected 3f80, seen 3f81")) << end.out;
}

TEST(ExplainValues, SaysWhatEachCodeBecomesAndWhy) {
  const ProgramEnd end =
      run_program({"explain", "--format", "mxfp8_e5m2", "--scale", "fe", "3c", "40", "80", "7d"});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(says(end, "-> 7F800000 (inf): overflow: dequant_overflow inf")) << end.out;
  EXPECT_TRUE(says(end, "-> 80000000 (-0): a zero keeps its sign")) << end.out;
  const Json json = Json::parse(run_program({"explain", "--format", "mxfp8_e5m2", "--scale", "fe",
                                             "--dequant-overflow", "saturate", "--json", "40"})
                                    .out);
  EXPECT_EQ(json.at("elements").at(0).at("value").at("bits"), "7F7FFFFF");
  EXPECT_EQ(json.at("elements").at(0).at("because"),
            "beyond the largest number: rounding ties_to_even, dequant_overflow saturate");
}

TEST(ExplainValues, TheTensorScaleIsAFactor) {
  const ProgramEnd end =
      run_program({"explain", "--format", "nvfp4", "--scale", "38", "--tensor-scale", "3", "3"});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(says(end, "3 (1.5) x 1 x 3 = 4.5")) << end.out;
}

TEST(DequantizeRefusals, NameWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> list = {
      {{"gen", "--op", "dequantize", "--source", "bf16", "-o", "-"}, "--source"},
      {{"gen", "--op", "dequantize", "--nan", "keep_sign", "-o", "-"}, "--nan"},
      {{"gen", "--op", "dequantize", "--rounding", "stochastic_a", "-o", "-"}, "random words"},
      {{"gen", "--op", "block", "--result", "bf16", "-o", "-"}, "--result"},
      {{"run", "--op", "dequantize", "--dut", "rtl"}, "takes blocks of 32 lanes"},
      {{"explain", "--format", "mxfp4", "--scale", "1ff", "1"}, "--scale '1ff'"},
      {{"explain", "--format", "mxfp4", "--scale", "7f", "10"}, "INPUT '10'"},
      {{"explain", "--format", "e5m2", "--scale", "7f", "1"}, "element format"},
      {{"explain", "--format", "mxfp4", "--result", "bf16", "1"}, "goes with --scale"},
      {{"explain", "--format", "mxfp4", "--scale", "7f", "--source", "bf16", "1"}, "--source"}};
  for (const auto& [command, words] : list) {
    const ProgramEnd end = run_program(command);
    EXPECT_EQ(end.status, 2) << words << end.out;
    EXPECT_TRUE(says(end, words)) << words << ": " << end.err;
  }
}

}  // namespace
}  // namespace mx::cli::test
