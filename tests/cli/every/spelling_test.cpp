// Names as the field spells them, wherever the program reads a format or a policy.
#include <gtest/gtest.h>

#include "tests/cli/every/every_command.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

struct Spelt {
  CommandLine ours;
  CommandLine theirs;
};

// Standard output is the same for both, where no command line is repeated in it.
TEST(Spelling, NamesOfOthersAreTakenForOurs) {
  const Scratch scratch;
  write_inputs(scratch);
  const Spelt kSpellings[] = {
      {{"explain", "--format", "e4m3fn", "--rounding", "ties_to_even", "1.1"},
       {"explain", "--format", "Float8_E4M3FN", "--rounding", "RNE", "1.1"}},
      {{"explain", "--format", "mxfp4", "--rounding", "toward_zero", "1.1", "2"},
       {"explain", "--format", "MXFP4", "--rounding", "rtz", "1.1", "2"}},
      {{"explain", "--format", "e5m2", "--overflow", "sat_finite", "--source", "fp32", "1e9"},
       {"explain", "--format", "E5M2", "--overflow", "saturate", "--source", "float32", "1e9"}},
      {{"gen", "--op", "cvt", "--format", "e4m3fn", "--source", "bf16", "--rounding",
        "toward_positive,toward_negative", "--suite", "smoke"},
       {"gen", "--op", "cvt", "--format", "E4M3FN", "--source", "bfloat16", "--rounding", "RUP,RDN",
        "--suite", "smoke"}},
      {{"gen", "--format", "mxfp4", "--rounding", "ties_to_away", "--rule", "floor", "--suite",
        "smoke"},
       {"gen", "--format", "mxfp4_e2m1", "--rounding", "RNA", "--rule", "FLOOR", "--suite",
        "smoke"}},
      {{"quantize", "@x.npy", "-o", "-", "--format", "mxfp4", "--rounding", "stochastic_a"},
       {"quantize", "@x.npy", "-o", "-", "--format", "MX-FP4", "--rounding", "SR"}},
      {{"dequantize", "@x.mx.safetensors", "-o", "-", "--to", "bf16"},
       {"dequantize", "@x.mx.safetensors", "-o", "-", "--to", "bfloat16"}},
      {{"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "--result", "fp16", "--rounding",
        "toward_zero"},
       {"dot", "@x.npy", "@x.npy", "--format", "MXFP4", "--result", "half", "--rounding", "RTZ"}},
      {{"diff-profile", "ggml", "ggml", "--format", "e2m1fn", "--source", "fp32"},
       {"diff-profile", "ggml", "ggml", "--format", "FP4_E2M1", "--source", "FP32"}},
      {{"identify", "--emit-stimulus", "e2m1fn", "--source", "bf16", "--count", "10"},
       {"identify", "--emit-stimulus", "E2M1FN", "--source", "BF16", "--count", "10"}}};
  for (const Spelt& each : kSpellings) {
    const ProgramEnd ours = run_program(in_place(each.ours, scratch));
    const ProgramEnd theirs = run_program(in_place(each.theirs, scratch));
    EXPECT_EQ(ours.status, 0) << testing::PrintToString(each.ours) << ours.err;
    EXPECT_EQ(theirs.status, 0) << testing::PrintToString(each.theirs) << theirs.err;
    EXPECT_NE(ours.out, "");
    EXPECT_EQ(theirs.out, ours.out) << testing::PrintToString(each.theirs);
  }
}

TEST(Spelling, ARunTakesThemToo) {
  const ProgramEnd end =
      run_program({"run", "--dut", "reference", "--op", "cvt", "--format", "E4M3FN", "--source",
                   "Float16", "--rounding", "RNE", "--overflow", "SATURATE", "--suite", "dir"});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_NE(end.out.find("cvt.fp16-e4m3fn.ties_to_even.sat_finite"), std::string::npos) << end.out;
}

TEST(Spelling, ANameOfSeveralIsAskedBack) {
  for (const CommandLine& line :
       {CommandLine{"explain", "--format", "fp8", "1"}, CommandLine{"gen", "--format", "FP8"},
        CommandLine{"run", "--dut", "reference", "--format", "float8"},
        CommandLine{"diff-profile", "te", "ggml", "--format", "fp8"}}) {
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << line.front();
    EXPECT_NE(end.err.find("may be e4m3fn, e5m2 or e4m3fnuz; say which"), std::string::npos)
        << line.front() << end.err;
  }
  const ProgramEnd blocks = run_program({"gen", "--format", "MXFP8"});
  EXPECT_NE(blocks.err.find("may be mxfp8_e4m3 or mxfp8_e5m2; say which"), std::string::npos)
      << blocks.err;
}

// A format of the user's own goes before the names of others.
TEST(Spelling, ADefinitionOfTheUsersOwnHolds) {
  const ProgramEnd end = run_program(
      {"explain", "--define", "name=fp8, exp_bits=3, man_bits=4", "--format", "fp8", "1"});
  EXPECT_EQ(end.status, 0) << end.err;
}

TEST(Spelling, OneTokenUnderTwoNamesIsGivenTwice) {
  const ProgramEnd end =
      run_program({"gen", "--op", "cvt", "--format", "e4m3fn", "--rounding", "RNE,ties_to_even"});
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.err.find("'ties_to_even' is given twice"), std::string::npos) << end.err;
}

TEST(Device, APathIsAnsweredWithItsKind) {
  const std::pair<const char*, const char*> kDevices[] = {
      {"./my_sim", "did you mean process:./my_sim?"},
      {"/opt/x", "did you mean process:/opt/x?"},
      {"./mine.so", "did you mean plugin:./mine.so?"},
      {"a/b.json", "did you mean device:a/b.json?"},
      {"./my sim", "did you mean 'process:./my sim'?"}};
  for (const auto& [device, words] : kDevices) {
    const ProgramEnd end = run_program({"run", "--dut", device});
    EXPECT_EQ(end.status, 2);
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
  }
  EXPECT_NE(run_program({"run", "--dut", "referense"}).err.find("did you mean 'reference'?"),
            std::string::npos);
}

}  // namespace
}  // namespace mx::cli::test
