#include "cli/manual/topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/manual/references.hpp"
#include "cli/manual/wrapped.hpp"
#include "cli/options/policies.hpp"
#include "golden/names/config_file.hpp"
#include "reference/catalog/aliases.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"
#include "sim/dut/kind.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kExitCodes[] = {
    "pass",
    "a mismatch",
    "a wrong command line",
    "bad, missing or truncated input, nothing compared, or an output that cannot be written",
    "the device broke its protocol, hung or showed X",
    "coverage or a mutation score below its gate",
    "judges disagree, or a defect of the program",
    "the machine lacks memory, processes, threads or files"};

/// Names in wrapped lines under an indent.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  std::string out;
  for (const std::string& line : wrapped(text, kHelpWidth - 2)) out += "  " + line + '\n';
  return out;
}

template <typename Range>
std::string listed_names(const Range& range) {
  std::vector<std::string> names;
  for (const auto& each : range) names.emplace_back(each.name);
  return listed(names);
}

/// What others call one of these names: "rne", "rn".
std::string others_call(std::string_view here) {
  std::string text;
  for (const Alias& each : aliases()) {
    if (each.here == here) text += (text.empty() ? "" : ", ") + std::string(each.elsewhere);
  }
  return text;
}

std::string formats_text() {
  return "A format is a name: of single values, or of blocks with a shared scale.\n\nBlocks:\n" +
         listed_names(all_block_formats()) + "\nSingle values and scales:\n" +
         listed_names(all_formats()) +
         "\nCase, dashes and underscores do not matter. Names of others are known: float8_e4m3fn, "
         "MXFP4.\n"
         "A name that may be several, such as fp8, is answered with a question.\n"
         "mxgold list formats shows their bits; --define adds one of your own.\n";
}

std::string rounding_text() {
  std::string text = "--rounding names how a value between two codes is rounded.\n\n";
  for (const std::string_view name : find_policy_option("rounding")->values()) {
    const std::string others = others_call(name);
    text += in_columns("  " + std::string(name), others.empty() ? "" : "also " + others, 26);
  }
  text += "\n--overflow names what becomes of a value beyond the largest finite one.\n\n";
  for (const std::string_view name : find_policy_option("overflow")->values()) {
    const std::string others = others_call(name);
    text += in_columns("  " + std::string(name), others.empty() ? "" : "also " + others, 26);
  }
  return text + "\nA name may be in capitals. mxgold help policies lists the other settings.\n";
}

std::string policies_text() {
  std::string text =
      "A policy is one setting of a conversion. A profile sets all; an option changes one.\n\n";
  for (const PolicyOption& each : policy_options()) {
    const std::string usual = default_of(each.get).value;
    text +=
        in_columns("  " + option_name(each), fmt::format("{} [{}]", each.meaning, usual), 30, 1);
  }
  return text + "\nmxgold explain --help-all lists the values of each.\n";
}

std::string profiles_text() {
  return "A profile is the behavior of one version of one system: --profile NAME.\n\n" +
         listed_names(all_profiles()) +
         "\nOptions of policies override it: --profile torchao-0.18 --rounding RNE.\n"
         "mxgold list profiles says what each one defines and where that comes from.\n"
         "mxgold diff-profile A B shows where two of them differ.\n";
}

std::string exit_codes_text() {
  std::string text = "The exit code says how a command ended.\n\n";
  int code = 0;
  for (const std::string_view meaning : kExitCodes) {
    text += in_columns(fmt::format("  {}", code++), meaning, 5);
  }
  return text +
         "\nOf several the first of 2, 3, 7, 6, 4, 1, 5 holds.\n"
         "A program that a signal ends gives 128 and the signal's number in a shell.\n";
}

std::string files_text() {
  return "Tensors       .npy (one tensor), .safetensors (many); read and written. .npz, .pt, "
         ".gguf\n"
         "              and .onnx are read.\n"
         "Vectors       .tv (text), .mem (for $readmemh), .bin: golden inputs and answers.\n"
         "Devices       .json: a SystemVerilog module described for --dut device:FILE.json.\n"
         "Plugins       .so: a C or C++ model for --dut plugin:FILE.so.\n"
         "Formats       .json: formats of your own for --format-file.\n"
         "Waivers       .json: known deviations for --waivers.\n"
         "Replays       .json: one failure, made small by run --shrink, for mxgold replay.\n"
         "Coverage      .json: the bins that run --cover hit, for mxgold cover.\n"
         "Reports       .html (run --html), .xml (run --junit), --json on standard output.\n"
         "Receipts      .json: one part of a sweep, for mxgold merge.\n\n"
         "- is standard input or standard output. An output never replaces an input.\n"
         "What was compiled is kept in $MXGOLD_CACHE, else in ~/.cache/mxgold.\n";
}

std::string configuration_text() {
  return "A configuration file holds options, so that nobody types them again:\n\n"
         "  mxgold init my_accel.toml --format mxfp4 --rounding RNE\n"
         "  mxgold run -c my_accel.toml --dut process:./my_model\n\n"
         "The first of these that says something holds:\n"
         "  1. an option on the command line\n"
         "  2. the configuration file\n"
         "  3. the profile\n"
         "  4. the device: what a device file or a plugin says of itself\n"
         "  5. the default\n\n"
         "The file is TOML without tables: KEY = VALUE. A key is the name of an option without\n"
         "dashes in front, a list is [\"a\", \"b\"]. An option that the command does not have is "
         "left\n"
         "out; a key that no command has is an error. Paths start from the folder of the file.\n"
         "A dut that executes something needs --trust.\n\n"
         "The same file goes into Python, mxgold.Configuration(\"my_accel.toml\"), into lines of\n"
         "models for DPI, VPI, cocotb and SystemC, \"config=my_accel.toml\", and into device "
         "files,\n"
         "\"config\": \"my_accel.toml\".\n\nKeys:\n" +
         listed_names(golden::config_keys());
}

std::string devices_text() {
  std::string text = "--dut names the device under test, the thing that is compared.\n\n";
  for (const sim::DutKind& kind : sim::all_dut_kinds()) {
    text += in_columns("  " + kind.usage(), kind.help, 28, 3);
    if (!kind.missing.empty()) {
      text += in_columns("", fmt::format("(not here: {})", kind.missing), 28, 2);
    }
  }
  return text +
         "\nAnswers that are in a file already are compared by mxgold check.\n"
         "mxgold doctor says which simulators this machine has.\n";
}

constexpr Topic kTopics[] = {
    {"formats", "names of formats", formats_text},
    {"rounding", "names of roundings and of overflow", rounding_text},
    {"policies", "the settings of a conversion and their defaults", policies_text},
    {"profiles", "systems whose behavior is known", profiles_text},
    {"configuration", "options in a file, and what goes before what", configuration_text},
    {"devices", "what --dut takes", devices_text},
    {"files", "which files are read and written", files_text},
    {"exit-codes", "how a command ends", exit_codes_text},
    {"spec", "where the specification says what a message cites", specification_text}};

}  // namespace

std::span<const Topic> all_topics() { return kTopics; }
std::span<const std::string_view> exit_codes() { return kExitCodes; }

}  // namespace mx::cli
