#include "tests/cli/every/every_command.hpp"

#include <fstream>
#include <sstream>

#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void must_pass(const CommandLine& line, const Scratch& scratch) {
  const ProgramEnd outcome = run_program(in_place(line, scratch));
  if (outcome.status != 0) throw std::runtime_error(outcome.err);
}

/// The header of x.tv and the operand of each record, and the answers alone.
void write_operands(const Scratch& scratch) {
  std::ifstream file(scratch.path("x.tv"));
  std::string text, answers;
  bool is_header = true;
  for (std::string line; std::getline(file, line);) {
    is_header = is_header && line.starts_with("# ");
    if (is_header) text += line + "\n";
    if (line.starts_with("# ")) continue;
    text += line.substr(0, line.find(' ')) + "\n";
    answers += line.substr(line.find(' ')) + "\n";
  }
  (void)scratch.write("answers.txt", answers);
  (void)scratch.write("operands.txt", text);
}

}  // namespace

void write_inputs(const Scratch& scratch) {
  (void)scratch.write("x.npy", npy_array("<f4", "(2, 4)", words({1, 2, 3, 4, 5, 6, 7, 8}, 4)));
  (void)scratch.write("log.txt",
                      "fp32 e2m1fn\n"
                      "3f800000 2\n");
  must_pass({"quantize", "@x.npy", "-o", "@x.mx.safetensors", "--format", "mxfp4"}, scratch);
  must_pass({"gen", "--op", "cvt", "--format", "e2m1fn", "--source", "bf16", "--suite", "smoke",
             "-o", "@x.tv"},
            scratch);
  write_operands(scratch);
  must_pass({"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn", "-o",
             "@receipt.json"},
            scratch);
  must_pass({"farm", "@campaign", "--shards", "1", "--", "sweep", "--dut", "reference", "--source",
             "bf16", "--format", "e2m1fn"},
            scratch);
  const CommandLine fails = {"run",         "--dut",    "reference:minus_zero_lost",
                             "--suite",     "smoke",    "--format",
                             "e2m1fn",      "--source", "bf16",
                             "--only",      "0:90",     "--shrink",
                             "@replay.json"};
  const ProgramEnd end = run_program(in_place(fails, scratch));
  if (end.status != 1) throw std::runtime_error(end.err);
}

std::vector<CommandLine> printing_commands() {
  const CommandLine run = {"run",      "--dut",    "reference",  "--suite",      "smoke",
                           "--format", "e2m1fn",   "--rounding", "ties_to_even", "--rule",
                           "floor",    "--source", "bf16",       "--only",       "0:90"};
  CommandLine run_json = run;
  run_json.push_back("--json");
  return {
      {"--help"},
      {"--help-all"},
      {"--version"},
      {"help"},
      {"help", "rounding"},
      {"doctor"},
      {"doctor", "--json"},
      {"list"},
      {"list", "--json"},
      {"list", "--markdown"},
      {"list", "format", "e4m3fn"},
      {"list", "cast", "dmx:MXINT8{32}"},
      {"word", "--format", "mxfp4"},
      {"word", "0x404", "--json"},
      {"inspect", "@x.npy"},
      {"inspect", "@x.mx.safetensors", "--json"},
      {"quantize", "@x.npy", "-o", "@q", "--format", "mxfp4"},
      {"quantize", "@x.npy", "-o", "@q", "--format", "mxfp4", "--json"},
      {"quantize", "@x.npy", "-o", "-", "--format", "mxfp4"},
      {"dequantize", "@x.mx.safetensors", "-o", "@d"},
      {"dequantize", "@x.mx.safetensors", "-o", "@d", "--json"},
      {"dequantize", "@x.mx.safetensors", "-o", "-"},
      {"dot", "@x.npy", "@x.npy", "--format", "mxfp4"},
      {"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "-o", "@p"},
      {"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "-o", "-"},
      {"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "--trace", "0,0"},
      {"mma", "@x.npy", "@x.npy", "--unit", "h100_tf32"},
      {"mma", "@x.npy", "@x.npy", "--unit", "h100_tf32", "-o", "@p"},
      {"mma", "@x.npy", "@x.npy", "--unit", "h100_tf32", "-o", "-"},
      {"explain", "--format", "e4m3fn", "1.0"},
      {"explain", "--format", "mxfp4", "1.0", "2.0", "--json"},
      {"explain", "--format", "e4m3fn", "1.0", "--profile", "all"},
      {"plot", "numberline", "e2m1fn", "-o", "-"},
      {"gen", "--op", "cvt", "--format", "e2m1fn", "--source", "bf16", "--suite", "smoke"},
      {"gen", "--op", "cvt", "--format", "e2m1fn", "--source", "bf16", "--suite", "smoke", "-o",
       "@g.tv"},
      {"gen", "--op", "cvt", "--format", "e2m1fn", "--suite", "smoke", "-o", "@g.tv", "--dry-run"},
      {"gen", "--op", "thr", "--source", "bf16", "--format", "e2m1fn", "-o", "@"},
      {"check", "@x.tv"},
      {"check", "@x.tv", "--json"},
      {"verify-goldens", "@x.tv"},
      {"verify-goldens", "@x.tv", "--json"},
      {"answer", "@operands.txt"},
      {"cover", "@x.tv"},
      {"cover", "@x.tv", "--json"},
      {"cover", "@x.tv", "-o", "-"},
      run,
      run_json,
      {"run", "--dut", "reference", "--format", "e2m1fn", "--source", "bf16", "--dry-run"},
      {"replay", "@replay.json", "--dut", "reference"},
      {"init", "-", "--format", "e2m1fn"},
      {"new", "dut", "my_model", "-o", "-"},
      {"mutate", "--rtl", MX_RTL, "--build", "2x16", "--count", "2", "--list"},
      {"prove", "--list"},
      {"prove", "--dry-run", "--shard", "0/2"},
      {"man"},
      {"man", "--json"},
      {"completion", "bash"},
      {"diff-profile", "ggml", "ggml", "--format", "e2m1fn"},
      {"diff-profile", "ggml", "ggml", "--format", "e2m1fn", "--json"},
      {"identify", "--emit-stimulus", "e2m1fn", "--count", "10"},
      {"identify", "@log.txt"},
      {"identify", "@log.txt", "--json"},
      {"identify", "@log.txt", "--verbose"},
      {"identify", "@log.txt", "--threads", "2"},
      {"dpi", "--sv", "--uvm", "--cflags"},
      {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn"},
      {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn", "--json"},
      {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn", "--scale",
       "0,widest", "--words", "block"},
      {"sweep", "--dut", "cpu", "--source", "bf16", "--format", "e2m1fn", "--dry-run", "--json"},
      {"sweep", "--dut", "cuda-host:general", "--source", "bf16", "--format", "e2m1fn"},
      {"farm", "@campaign"},
      {"farm", "@campaign", "--json"},
      {"farm", "@campaign", "--status"},
      {"merge", "@receipt.json"},
      {"merge", "@receipt.json", "--json"},
      {"merge", "@receipt.json", "--markdown"}};
}

std::vector<CommandLine> writing_commands() {
  return {
      {"quantize", "@x.npy", "-o", "@OUT", "--format", "mxfp4"},
      {"quantize", "@x.npy", "-o", "@OUT", "--format", "mxfp4", "--packed", "nibble_low_first"},
      {"dequantize", "@x.mx.safetensors", "-o", "@OUT"},
      {"dot", "@x.npy", "@x.npy", "--format", "mxfp4", "-o", "@OUT"},
      {"plot", "histogram", "@x.npy", "--format", "mxfp4", "-o", "@OUT"},
      {"mma", "@x.npy", "@x.npy", "--unit", "h100_tf32", "-o", "@OUT"},
      {"gen", "--op", "cvt", "--format", "e2m1fn", "--source", "bf16", "--suite", "smoke", "-o",
       "@OUT"},
      {"gen", "--input", "@x.npy", "--format", "mxfp4", "-o", "@OUT"},
      {"gen", "--suite", "smoke", "--format", "mxfp4", "-o", "@g.mem", "--sv", "@OUT"},
      {"cover", "@x.tv", "-o", "@OUT"},
      {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn", "-o", "@OUT"},
      {"check", "@x.tv", "--log", "@OUT"},
      {"check", "@x.tv", "@answers.txt", "--junit", "@OUT"},
      {"check", "@x.tv", "@answers.txt", "--html", "@OUT"},
      {"replay", "@replay.json", "--dut", "reference", "--log", "@OUT"},
      {"sweep", "--dut", "reference", "--source", "bf16", "--format", "e2m1fn", "--log", "@OUT"},
      {"cover", "@x.tv", "--html", "@OUT"},
      {"cover", "@x.tv", "--ucis", "@OUT"},
      {"run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--rounding",
       "ties_to_even", "--rule", "floor", "--source", "bf16", "--only", "0:90", "--junit", "@OUT"},
      {"run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--rounding",
       "ties_to_even", "--rule", "floor", "--source", "bf16", "--only", "0:90", "--html", "@OUT"},
      {"run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--rounding",
       "ties_to_even", "--rule", "floor", "--source", "bf16", "--only", "0:90", "--log", "@OUT"},
      {"run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--rounding",
       "ties_to_even", "--rule", "floor", "--source", "bf16", "--only", "0:90", "--cover", "@OUT"}};
}

std::vector<std::string> in_place(const CommandLine& line, const Scratch& scratch,
                                  const std::string& output) {
  std::vector<std::string> arguments;
  for (const std::string& word : line) {
    if (word == "@OUT") {
      arguments.push_back(output);
    } else {
      arguments.push_back(word.starts_with("@") ? scratch.path(word.substr(1)) : word);
    }
  }
  return arguments;
}

std::vector<std::string> subcommands() {
  std::vector<std::string> names;
  bool is_list = false;
  for (const std::string& line : lines_of(run_program({"--help-all"}).out)) {
    if (is_list && line.starts_with("  ")) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    is_list = is_list || line == "Subcommands:";
  }
  return names;
}

std::vector<std::string> help_lines(const std::string& subcommand) {
  return lines_of(run_program({subcommand, "--help-all"}).out);
}

}  // namespace mx::cli::test
