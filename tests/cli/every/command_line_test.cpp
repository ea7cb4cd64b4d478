// What holds for the options of every subcommand: an output is never an input, a name does not
// promise another format, and a number is one that the option can mean.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/base/command.hpp"
#include "cli/options/command_line.hpp"
#include "tests/cli/every/every_command.hpp"
#include "tests/cli/program/program.hpp"
#include "tests/support/sample.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;

/// One command line for every option that names an input beside an output; @IN is that input.
std::vector<CommandLine> lines_with_input() {
  const CommandLine run = {"run",    "--dut",      "reference",    "--format",
                           "e2m1fn", "--rounding", "ties_to_even", "--rule",
                           "floor",  "--junit",    "@OUT"};
  CommandLine run_input = run, run_vectors = {"run", "--dut", "reference", "--junit", "@OUT"};
  run_input.insert(run_input.end(), {"--input", "@IN"});
  run_vectors.insert(run_vectors.end(), {"--vectors", "@IN"});
  return {{"quantize", "@IN", "-o", "@OUT", "--format", "mxfp4"},
          {"quantize", "@x.npy", "-o", "@OUT", "--format", "mxfp4", "--format-file", "@IN"},
          {"dequantize", "@IN", "-o", "@OUT"},
          {"dot", "@IN", "@x.npy", "--format", "mxfp4", "-o", "@OUT"},
          {"dot", "@x.npy", "@IN", "--format", "mxfp4", "-o", "@OUT"},
          {"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "--c", "@IN", "-o", "@OUT"},
          {"mma", "@IN", "@x.npy", "--unit", "h100_tf32", "-o", "@OUT"},
          {"mma", "@x.npy", "@IN", "--unit", "h100_tf32", "-o", "@OUT"},
          {"mma", "@x.npy", "@x.npy", "--unit", "h100_tf32", "--c", "@IN", "-o", "@OUT"},
          {"gen", "--input", "@IN", "--format", "mxfp4", "-o", "@OUT"},
          {"gen", "--format-file", "@IN", "--format", "mxfp4", "-o", "@OUT"},
          run_input,
          run_vectors};
}

CommandLine with_input(CommandLine line, const std::string& input) {
  std::ranges::replace(line, "@IN", input);
  return line;
}

TEST(CommandLine, HelpIsTextThatATerminalPrints) {
  int helped = 0;
  for (const std::string& name : subcommands()) {
    const ProgramEnd outcome = run_program({name, "--help"});
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_TRUE(std::ranges::all_of(outcome.out, [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << name;
    ++helped;
  }
  EXPECT_GT(helped, 15);
}

TEST(CommandLine, AnOutputIsNeverAnInput) {
  const Scratch scratch;
  write_inputs(scratch);
  const std::string input = scratch.write("input", read_file(scratch.path("x.npy")));
  const std::string content = read_file(input);
  fs::create_symlink("input", scratch.path("symbolic"));
  fs::create_hard_link(input, scratch.path("hard"));
  for (const CommandLine& line : lines_with_input()) {
    for (const char* output : {"input", "symbolic", "hard"}) {
      const ProgramEnd outcome =
          run_program(in_place(with_input(line, input), scratch, scratch.path(output)));
      EXPECT_EQ(outcome.status, 2) << line.front() << " " << output << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find("is the same file as"), std::string::npos) << outcome.err;
      EXPECT_EQ(read_file(input), content);
    }
  }
  EXPECT_TRUE(fs::is_symlink(scratch.path("symbolic")));
}

// Nor is a file that is written beside an output: the manifest of vectors.
TEST(CommandLine, AManifestIsNeverAnInput) {
  const Scratch scratch;
  write_inputs(scratch);
  const std::string content = read_file(scratch.path("x.npy"));
  scratch.write("v.tv.json", content);
  fs::create_symlink("x.npy", scratch.path("w.tv.json"));
  const auto gen = [&](const char* input, const char* output, const char* more) {
    CommandLine line = {"gen",   "--input", scratch.path(input), "--format",
                        "mxfp4", "-o",      scratch.path(output)};
    if (*more != 0) line.emplace_back(more);
    return run_program(line);
  };
  fs::copy(scratch.path("v.tv.json"), scratch.path("a.npy"));
  fs::create_symlink("a.npy", scratch.path("u.tv.json"));
  for (const auto& [input, output] : {std::pair{"x.npy", "w.tv"}, std::pair{"a.npy", "u.tv"}}) {
    const ProgramEnd end = gen(input, output, "");
    EXPECT_EQ(end.status, 2) << end.out;
    EXPECT_NE(end.err.find("the manifest, " + scratch.path(output) + ".json: is the same file as"),
              std::string::npos)
        << end.err;
    EXPECT_EQ(read_file(scratch.path(input)), content);
    EXPECT_FALSE(fs::exists(scratch.path(output)));
    EXPECT_EQ(gen(input, output, "--no-manifest").status, 0);
  }
}

TEST(CommandLine, AnInputThroughAPipeIsNoneToReplace) {
  const Scratch scratch;
  write_inputs(scratch);
  const ProgramEnd outcome =
      run_program({"quantize", "-", "-o", scratch.path("q"), "--format", "mxfp4"},
                  read_file(scratch.path("x.npy")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

/// By default a command meets its own suffix and one in four of the others.
TEST(CommandLine, ASuffixOfAnotherFormatIsRefusedEverywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  std::uint64_t turn = 0;
  for (const CommandLine& line : writing_commands()) {
    const auto has = [&](const char* option) {
      return std::ranges::find(line, option) != line.end();
    };
    const std::string own = has("--sv")                                 ? ".sv"
                            : has("--html")                             ? ".html"
                            : has("--log")                              ? ".txt"
                            : has("--ucis") || has("--junit")           ? ".xml"
                            : has("--cover") || line.front() == "cover" ? ".json"
                            : line.front() == "sweep"                   ? ".json"
                            : line.front() == "gen"                     ? ".tv"
                            : line.front() == "plot"                    ? ".svg"
                                                                        : ".safetensors";
    int accepted = 0;
    for (const char* suffix :
         {".safetensors", ".npy", ".tv", ".json", ".xml", ".html", ".sv", ".svg", ".txt"}) {
      if (suffix != own && !mx::test::runs_whole() && mx::test::random_number(++turn) % 4 != 0) {
        continue;
      }
      const std::string output = scratch.path("out" + std::string(suffix));
      const ProgramEnd outcome = run_program(in_place(line, scratch, output));
      if (suffix == own) {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        accepted += outcome.status == 0 ? 1 : 0;
      } else {
        EXPECT_EQ(outcome.status, 2) << line.front() << " " << output << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find("says otherwise"), std::string::npos) << outcome.err;
        EXPECT_FALSE(fs::exists(output));
      }
      fs::remove(output);
    }
    EXPECT_EQ(accepted, 1) << line.front();
  }
}

TEST(CommandLine, JsonAndAnOutputDoNotShareStandardOutput) {
  const Scratch scratch;
  write_inputs(scratch);
  int count = 0;
  for (CommandLine line : writing_commands()) {
    const std::vector<std::string> help = help_lines(line.front());
    if (std::ranges::none_of(help,
                             [](const auto& each) { return each.starts_with("  --json "); })) {
      continue;
    }
    line.push_back("--json");
    const ProgramEnd outcome = run_program(in_place(line, scratch, "-"));
    EXPECT_EQ(outcome.status, 2) << line.front() << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "");
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(CommandLine, AnOptionThatContradictsAFileOrPlaysNoPartIsRefused) {
  const Scratch scratch;
  write_inputs(scratch);  // x.mx.safetensors holds mxfp4, log.txt fp32 to e2m1fn
  const std::string mx = "@x.mx.safetensors";
  const CommandLine lines[] = {
      {"dequantize", mx, "-o", "@out", "--tensor", "nosuch"},
      {"dot", mx, mx, "--format", "mxfp8_e4m3"},
      {"dot", mx, "@x.npy", "--format", "mxfp8_e4m3,mxfp4"},
      {"dot", "@x.npy", mx, "--format", "mxfp4,mxfp8_e4m3"},
      {"dot", mx, mx, "--format", "nosuch"},
      {"dot", mx, mx, "--tensor-a", "nosuch"},
      {"dot", mx, mx, "--group", "4"},
      {"dot", mx, mx, "--acc-ftz", "pre", "--mode", "fp32_seq"},
      {"dot", mx, mx, "--acc-zero-sign", "ieee", "--mode", "fp32_seq"},
      {"dequantize", mx, "-o", "@out", "--to", "f64", "--dequant-overflow", "wrap"},
      {"dot", mx, mx, "--trace", "0,0", "-o", "@out"},
      {"dot", mx, mx, "--define", "name=tiny, exp_bits=3, man_bits=4"},
      {"dot", mx, mx, "--tensor-c", "data"},
      {"mma", mx, mx, "--unit", "b200_mxf4", "--format", "mxfp8_e4m3"},
      {"mma", mx, "@x.npy", "--unit", "b200_mxf4", "--format", "mxfp8_e4m3,mxfp4"},
      {"mma", mx, mx, "--unit", "b200_mxf4", "--format", "nosuch"},
      {"mma", mx, mx, "--unit", "b200_mxf4", "--define", "name=tiny, exp_bits=3, man_bits=4"},
      {"mma", mx, mx, "--unit", "b200_mxf4", "--tensor-expect", "data"},
      {"quantize", "@x.npy", "-o", "@out", "--format", "e4m3fn", "--block-size", "16"},
      {"quantize", "@x.npy", "-o", "@out", "--format", "mxfp4", "--tensor", "nosuch"},
      {"identify", "@log.txt", "--source", "bf16"},
      {"identify", "@log.txt", "--count", "5"},
      {"identify", "@log.txt", "--stochastic"},
      {"identify", "@log.txt", "--emit-stimulus", "e2m1fn"},
      {"identify", "--emit-stimulus", "e2m1fn", "--json"},
      {"list", "rules", "--markdown"},
      {"list", "--json", "--markdown"},
      {"list", "formats", "e4m3fn"},
      {"diff-profile", "ggml", "ggml", "--markdown"},
      {"diff-profile", "ggml", "--all"}};
  for (const CommandLine& line : lines) {
    const ProgramEnd outcome = run_program(in_place(line, scratch));
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(line) << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(line);
  }
  // What agrees with the file, or is for the other operand, is no contradiction.
  const CommandLine fine[] = {{"dot", mx, mx, "--format", "mxfp4"},
                              {"dot", mx, "@x.npy", "--format", "mxfp8_e4m3"},
                              {"dot", mx, "@x.npy", "--format", "mxfp4,mxfp8_e4m3"},
                              {"dot", mx, mx, "--mode", "accumulator", "--group", "4"},
                              {"mma", mx, mx, "--unit", "b200_mxf4", "--format", "mxfp4"},
                              {"mma", mx, "@x.npy", "--unit", "b200_mxf4", "--format", "mxfp4"}};
  for (const CommandLine& line : fine) {
    const ProgramEnd outcome = run_program(in_place(line, scratch));
    EXPECT_EQ(outcome.status, 0) << testing::PrintToString(line) << "\n" << outcome.err;
  }
}

/// An option that takes a number, and its subcommand.
struct NumberOption {
  std::string subcommand;
  std::string name;
  std::string type;
};

std::vector<NumberOption> number_options() {
  std::vector<NumberOption> options;
  for (const std::string& subcommand : subcommands()) {
    for (const std::string& line : help_lines(subcommand)) {
      std::istringstream words(line);
      std::string names, type;
      words >> names >> type;
      type = type.substr(0, type.find_first_of(":="));
      if (!line.starts_with("  -") || (type != "UINT" && type != "INT" && type != "FLOAT"))
        continue;
      options.push_back({subcommand, names, type});
    }
  }
  return options;
}

/// A command line without that option, complete but for it.
CommandLine line_of(const std::string& subcommand) {
  std::vector<CommandLine> lines = writing_commands();
  const std::vector<CommandLine> printing = printing_commands();
  lines.insert(lines.end(), printing.begin(), printing.end());
  return *std::ranges::find(lines, subcommand,
                            [](const CommandLine& line) { return line.front(); });
}

/// By default an option meets one in three of the texts, and a text one in three options.
TEST(CommandLine, ANumberThatAnOptionCannotMeanIsRefusedEverywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  const std::vector<NumberOption> options = number_options();
  EXPECT_GE(options.size(), 28U);
  std::uint64_t turn = 0;
  for (const NumberOption& option : options) {
    if (option.name == "--axis") continue;  // -1 is the last axis
    // What counts messages may be any number; what counts work must not wrap around.
    std::vector<std::string> wrong = {"-1", "-18446744073709551615", "1x", "1e99", "", "-0.5"};
    if (option.type == "FLOAT") wrong = {"-1", "-0.001", "nan", "inf", "-inf", "1e300", "1x", ""};
    if (option.type == "UINT" && option.name != "--errors" && option.name != "--missing" &&
        option.name != "--seed" && option.name != "--random") {
      wrong.push_back("18446744073709551615");
    }
    for (const std::string& number : mx::test::one_in(3, wrong, ++turn)) {
      CommandLine line = line_of(option.subcommand);
      line.push_back(option.name + "=" + number);
      const ProgramEnd outcome = run_program(in_place(line, scratch, scratch.path("out")));
      EXPECT_EQ(outcome.status, 2) << option.subcommand << " " << line.back() << "\n"
                                   << outcome.err;
      EXPECT_NE(outcome.err.find(option.name), std::string::npos)
          << option.subcommand << " " << line.back() << "\n"
          << outcome.err;
      EXPECT_FALSE(fs::remove(scratch.path("out"))) << option.subcommand << " " << line.back();
    }
  }
}

/// What the option takes a text for.
std::int64_t value_of(CLI::Option& option, const std::string& text) {
  option.clear();
  option.add_result(text);
  return option.as<std::int64_t>();
}

// Padded numbers of job arrays, and hexadecimal ones: by every option that takes a whole number.
TEST(CommandLine, NumbersAreDecimalEverywhere) {
  CLI::App root;
  Exit exit = Exit::kPass;
  add_all_commands(Command(root), exit);
  check_numbers(Command(root));
  int tried = 0;
  for (CLI::App* const command : root.get_subcommands(nullptr)) {
    for (CLI::Option* const option : command->get_options()) {
      const std::string type = option->get_type_name();
      if (!type.starts_with("INT") && !type.starts_with("UINT")) continue;
      const std::string name = command->get_name() + " " + option->get_name();
      const auto takes = [&](const std::string& text) {
        try {
          return value_of(*option, text) != 0;
        } catch (const CLI::Error&) {
          return false;
        }
      };
      for (const std::int64_t number : {8, 9, 10, 100, 4096}) {
        const std::string digits = std::to_string(number);
        if (!takes(digits)) continue;  // beyond what the option means
        EXPECT_EQ(value_of(*option, "0" + digits), number) << name;
        EXPECT_EQ(value_of(*option, "000" + digits), number) << name;
        EXPECT_EQ(value_of(*option, fmt::format("0x{:x}", number)), number) << name;
        ++tried;
      }
      for (const char* const wrong : {"0b11", "0o11", "1'0", "1_0", " 010", "+010", "0x", "0x1g",
                                      "08.", "010 ", "--1", "0x10000000000000000"}) {
        EXPECT_FALSE(takes(wrong)) << name << " " << wrong;
      }
      if (takes("-1")) {
        EXPECT_EQ(value_of(*option, "-010"), -10) << name;
      }
    }
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace mx::cli::test
