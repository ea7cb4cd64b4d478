// How the program refuses: exit status, message, and nothing half-written.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test::usage_test {
namespace {

/// Every argument list runs beside one valid file IN and may write OUT, which must not appear.
struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  int status;
  const char* says;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithItsStatusAndMessage) {
  const Scratch scratch;
  const std::string valid = safetensors_file({{"weight", "F32", "[2,3]", std::string(24, 'a')},
                                              {"bias", "F32", "[3]", std::string(12, 'b')},
                                              {"ids", "I64", "[1]", std::string(8, 'c')}});
  (void)scratch.write("IN", valid);
  (void)scratch.write("CUT", valid.substr(0, valid.size() - 1));
  (void)scratch.write("INTS", safetensors_file({{"ids", "I64", "[1]", std::string(8, 'c')}}));
  (void)scratch.write("FOREIGN",
                      safetensors("{\"__metadata__\":{\"format\":\"pt\"},\"weight\":{\"dtype\":"
                                  "\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                                  "abcd"));
  std::vector<std::string> arguments;
  for (const std::string& argument : GetParam().arguments) {
    const bool is_file = argument == "IN" || argument == "FOREIGN" || argument == "CUT" ||
                         argument == "INTS" || argument.starts_with("OUT") || argument == "NONE";
    arguments.push_back(is_file ? scratch.path(argument) : argument);
  }
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.find("mxgold") != std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(scratch.files().size(), 4U) << "something was left behind";
}

std::vector<std::string> quantize_with(std::vector<std::string> options) {
  options.insert(options.begin(), {"quantize", "IN", "-o", "OUT", "--format", "mxfp4"});
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLines, Refused,
    testing::Values(
        Refusal{"Nothing", {}, 2, "mxgold help COMMAND"},
        Refusal{"Subcommand", {"quantise"}, 2, "did you mean 'quantize'?"},
        Refusal{"Option", quantize_with({"--roundng", "x"}), 2, "did you mean '--rounding'?"},
        Refusal{"ListSection", {"list", "formts"}, 2, "did you mean 'formats'?"},
        Refusal{"Format",
                {"quantize", "IN", "-o", "OUT", "--format", "mxfp8e4m4"},
                2,
                "did you mean 'mxfp8_e4m3'?"},
        Refusal{"FormatOfSeveral",
                {"quantize", "IN", "-o", "OUT", "--format", "MXFP8"},
                2,
                "may be mxfp8_e4m3 or mxfp8_e5m2; say which"},
        Refusal{"Fault", {"run", "--dut", "reference:nosuch"}, 2, "ties_to_away_for_even"},
        Refusal{"FormatTwice",
                {"run", "--dut", "reference", "--op", "cvt", "--format", "e4m3fn,e4m3fn"},
                2,
                "--format: 'e4m3fn' is given twice; leave one out"},
        Refusal{"FormatAgain",
                {"gen", "--op", "cvt", "--format", "e4m3fn", "--format", "e4m3fn", "-o", "OUT"},
                2,
                "--format: 'e4m3fn' is given twice"},
        Refusal{"SourceTwice", {"sweep", "--source", "bf16,fp16,bf16"}, 2, "--source: 'bf16' is"},
        Refusal{"RoundingTwice",
                {"run", "--dut", "reference", "--rounding", "ties_to_even,to_odd,ties_to_even"},
                2,
                "--rounding: 'ties_to_even' is given twice"},
        Refusal{"RuleTwice", {"run", "--dut", "reference", "--rule", "floor,floor"}, 2, "--rule: "},
        Refusal{"ObserveTwice",
                {"run", "--dut", "reference", "--observe", "code,code"},
                2,
                "--observe: 'code' is given twice"},
        Refusal{
            "BuildTwice", {"mutate", "--build", "2x16,2x16"}, 2, "--build 2x16: is given twice"},
        Refusal{"Rule", quantize_with({"--rule", "flor"}), 2, "did you mean 'floor'?"},
        Refusal{"Rounding", quantize_with({"--rounding", "tie_to_even"}), 2,
                "did you mean 'ties_to_even'?"},
        Refusal{"Overflow", quantize_with({"--overflow", "sat_finit"}), 2,
                "did you mean 'sat_finite'?"},
        Refusal{"Profile", quantize_with({"--profile", "mxgold-defualt"}), 2,
                "did you mean 'mxgold-default'?"},
        Refusal{"Layout", quantize_with({"--packed", "nibble_lo_first"}), 2,
                "did you mean 'nibble_low_first'?"},
        Refusal{"LayoutWidth", quantize_with({"--packed", "dense6"}), 2, "codes of 6 bits"},
        Refusal{"TensorName", quantize_with({"--tensor", "wieght"}), 2, "did you mean 'weight'?"},
        Refusal{"TensorType", quantize_with({"--tensor", "ids"}), 3, "has type 'I64'"},
        Refusal{"NoTensor",
                {"quantize", "INTS", "-o", "OUT", "--format", "mxfp4"},
                3,
                "no tensor of type"},
        Refusal{"Axis", quantize_with({"--axis", "1"}), 2, "tensor 'bias': axis 1"},
        Refusal{"BlockSizeZero", quantize_with({"--block-size", "0"}), 2, "--block-size"},
        Refusal{"BlockSizeBig", quantize_with({"--block-size", "1025"}), 2, "--block-size"},
        Refusal{"RandomBits", quantize_with({"--random-bits", "33"}), 2, "--random-bits"},
        Refusal{"SeedNegative", quantize_with({"--seed", "-1"}), 2, "--seed"},
        Refusal{"SeedBeyond64Bits", quantize_with({"--seed", "18446744073709551616"}), 2, "--seed"},
        Refusal{"AxisNoNumber", quantize_with({"--axis", "x"}), 2, "--axis"},
        Refusal{"NoOutput", {"quantize", "IN", "--format", "mxfp4"}, 2, "--output"},
        Refusal{"NoFormat", {"quantize", "IN", "-o", "OUT"}, 2, "--format"},
        Refusal{"OutputFolder",
                {"quantize", "IN", "-o", "OUT/x", "--format", "mxfp4"},
                3,
                "cannot open for writing"},
        Refusal{"OutputDevice",
                {"quantize", "IN", "-o", "/dev/full", "--format", "mxfp4"},
                3,
                "No space left"},
        Refusal{"InputMissing",
                {"quantize", "NONE", "-o", "OUT", "--format", "mxfp4"},
                3,
                "cannot open"},
        Refusal{"InputCut", {"quantize", "CUT", "-o", "OUT", "--format", "mxfp4"}, 3, "truncated"},
        Refusal{"InputEmptyPipe", {"quantize", "-", "-o", "OUT", "--format", "mxfp4"}, 3, "empty"},
        Refusal{"DequantizeTo",
                {"dequantize", "IN", "-o", "OUT", "--to", "f31"},
                2,
                "did you mean 'f32'?"},
        Refusal{"DequantizePlain",
                {"dequantize", "IN", "-o", "OUT"},
                3,
                "not written by mxgold quantize"},
        Refusal{"DequantizeForeign",
                {"dequantize", "FOREIGN", "-o", "OUT"},
                3,
                "not written by mxgold quantize"},
        Refusal{"ExplainNoInput", {"explain", "--format", "mxfp4"}, 2, "INPUT"},
        Refusal{"ExplainInput", {"explain", "--format", "mxfp4", "one"}, 2, "nor a number"},
        Refusal{"ExplainWide",
                {"explain", "--format", "e5m2", "--source", "bf16", "0x12345"},
                2,
                "bf16 has 16 bits"},
        Refusal{"ExplainSource",
                {"explain", "--format", "e5m2", "--source", "fp3", "1.0"},
                2,
                "did you mean 'fp32'?"},
        Refusal{"ExplainTooMany",
                {"explain", "--format", "mxfp4", "--block-size", "1", "1.0", "2.0"},
                2,
                "2 inputs for a block of 1"},
        Refusal{"ExplainRandom",
                {"explain", "--format", "e5m2", "--random-bits", "3", "--random", "8", "1.0"},
                2,
                "below 2^3"}),
    [](const auto& row) { return row.param.name; });

TEST(Usage, OverwritesAnOldFileOnlyWithAWholeNewOne) {
  const Scratch scratch;
  const std::string out = scratch.write("out.safetensors", "old");
  const std::string bad = scratch.write("bad.npy", "\x93NUMPY");
  EXPECT_EQ(run_program({"quantize", bad, "-o", out, "--format", "mxfp4"}).status, 3);
  EXPECT_EQ(read_file(out), "old");
  const std::string good = scratch.write("good.npy", npy_array("<f4", "(1,)", "abcd"));
  EXPECT_EQ(run_program({"quantize", good, "-o", out, "--format", "mxfp4"}).status, 0);
  EXPECT_EQ(TensorFile::open(out).tensors().size(), 2U);
}

constexpr const char* kSubcommands[] = {"list",           "quantize", "dequantize",  "dot",
                                        "explain",        "gen",      "check",       "run",
                                        "verify-goldens", "identify", "diff-profile"};

/// What the help says of an option, "" if the subcommand has none.
std::string help_of(const std::string& subcommand, const std::string& option) {
  std::istringstream lines(run_program({subcommand, "--help-all"}).out);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("  " + option + " ") && !line.starts_with("  -o," + option)) continue;
    std::string more;
    // The text stands behind the names, or on a line of its own where they are long.
    const std::size_t gap = line.find("  ", 2 + option.size());
    if (gap == std::string::npos) std::getline(lines, more);
    const std::string text = more.empty() ? line.substr(gap) : more;
    return text.substr(text.find_first_not_of(' '));
  }
  return "";
}

TEST(Usage, SharedOptionsReadTheSameEverywhere) {
  for (const char* option :
       {"--format", "--source", "--profile", "--seed", "--random-bits", "--axis", "--block-size",
        "--threads", "--shard", "--json", "--tensor", "--rounding", "--rule", "--define"}) {
    std::string text;
    for (const char* name : kSubcommands) {
      if (std::string_view(name) == "dot" && std::string_view(option) == "--rounding") continue;
      std::string help = help_of(name, option);
      // Ranges, what is required and defaults stand behind the text.
      for (const char* more : {"; may be a list", " (", " ["}) {
        if (const std::size_t at = help.find(more); at != std::string::npos) help.resize(at);
      }
      if (help.empty()) continue;
      if (text.empty()) text = help;
      EXPECT_EQ(help, text) << name << " " << option;
    }
    EXPECT_NE(text, "") << option;
  }
}

TEST(Usage, AFormatThatIsNotOcpsIsNoted) {
  for (const char* name : {"e4m3", "e2m1", "e2m3", "e3m2"}) {
    const ProgramEnd outcome = run_program({"explain", "--format", name, "1.0"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string of_ocp = std::string(name) + "fn\n";
    const std::size_t note = outcome.err.find(of_ocp);
    EXPECT_TRUE(outcome.err.starts_with("note: ")) << outcome.err;
    EXPECT_NE(note, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(of_ocp, note + 1), std::string::npos) << "said twice";
  }
  for (const char* name : {"e4m3fn", "e5m2", "int4", "mxfp4", "e3m4"}) {
    EXPECT_EQ(run_program({"explain", "--format", name, "1.0"}).err, "") << name;
  }
  EXPECT_EQ(run_program({"explain", "--define", "name=e2m1x, exp_bits=2, man_bits=1", "--format",
                         "e2m1x", "1.0"})
                .err,
            "");
}

TEST(Usage, OldPluralsAreAnsweredWithTheName) {
  for (const char* name : {"gen", "run", "diff-profile"}) {
    const ProgramEnd outcome = run_program({name, "--formats", "e4m3fn"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("did you mean '--format'?"), std::string::npos) << outcome.err;
  }
}

TEST(Usage, HelpOfEverySubcommandHasExamples) {
  for (const char* name : kSubcommands) {
    const ProgramEnd outcome = run_program({name, "--help"});
    EXPECT_EQ(outcome.status, 0);
    const std::size_t examples = outcome.out.find("Examples:\n  mxgold ");
    ASSERT_NE(examples, std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("mxgold " + std::string(name), examples), std::string::npos)
        << outcome.out;
  }
  EXPECT_EQ(run_program({"--help"}).status, 0);
}

TEST(Usage, VersionIsOneLine) {
  const ProgramEnd outcome = run_program({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.out.starts_with("mxgold ")) << outcome.out;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

TEST(Usage, LastOptionWins) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(1,)", words({0x40E00000}, 4)));
  const TensorFile file = quantize(
      scratch, input,
      {"--format", "mxfp8_e4m3", "--format", "mxfp4", "--rule", "floor", "--rule", "ceil"});
  EXPECT_EQ(words_of(file, "data.scales"), Words{0x80});
}

// Repetition is no coverage: a file counts once, by whatever name and link it is given.
TEST(VerifyGoldens, AFileThatIsNamedTwiceCountsOnce) {
  const Scratch scratch;
  const std::string file = scratch.path("a.tv");
  ASSERT_EQ(run_program({"gen", "--op", "cvt", "--format", "e4m3fn", "--source", "bf16", "--suite",
                         "rnd", "--count", "40", "-o", file})
                .status,
            0);
  std::filesystem::create_symlink(file, scratch.path("b.tv"));
  std::filesystem::create_hard_link(file, scratch.path("c.tv"));
  const ProgramEnd end =
      run_program({"verify-goldens", "--no-manifest", file, file, scratch.path("./a.tv"),
                   scratch.path("b.tv"), scratch.path("")});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_NE(end.out.find("PASS 1 files, 40 vectors"), std::string::npos) << end.out;
  for (const char* name : {"./a.tv", "b.tv", "c.tv"}) {
    EXPECT_NE(end.err.find(std::string(name) + ": is the same file as " + file + "; counted once"),
              std::string::npos)
        << name << "\n"
        << end.err;
  }
  // Control: another file of the same content is another file.
  std::filesystem::copy_file(file, scratch.path("d.tv"));
  const ProgramEnd two =
      run_program({"verify-goldens", "--no-manifest", file, scratch.path("d.tv")});
  EXPECT_NE(two.out.find("PASS 2 files, 80 vectors"), std::string::npos) << two.out;
}

// Control: of a product they are the formats of A and of B.
TEST(Lists, TheFormatsOfTwoOperandsMayBeOne) {
  const ProgramEnd end = run_program({"run", "--dut", "reference", "--op", "dot", "--format",
                                      "mxfp4,mxfp4", "--suite", "rnd", "--count", "10"});
  EXPECT_EQ(end.status, 0) << end.err;
}

TEST(Sweep, AScaleThatIsAskedForTwiceIsSweptOnce) {
  const ProgramEnd end = run_program({"sweep", "--dut", "reference", "--source", "bf16", "--format",
                                      "e2m1fn", "--scale", "127,127", "--dry-run", "--json"});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_NE(end.out.find("\"words\": 65536"), std::string::npos) << end.out;
  EXPECT_NE(end.err.find("scale 127 is asked for twice; swept once"), std::string::npos) << end.err;
}

}  // namespace
}  // namespace mx::cli::test::usage_test
