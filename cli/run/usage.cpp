// What a command line may not say together.
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/usage.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/judge/certificate_judge.hpp"

namespace mx::cli {
namespace {

std::uint64_t require_number(std::string_view option, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(Exit::kUsage, "{}: '{}' is not a number", option, text);
  }
  return number;
}

/// Options that say what a vector file says itself, whether or not they say the same.
void refuse_beside_vectors(const RunCommand& command) {
  const ConfigOptions& configs = command.gen.configs;
  const auto refuse = [&](const std::string& option) {
    if (!configs.is_typed(option)) return;
    fail(Exit::kUsage, "{}: {} holds its own vectors and configurations; leave the option out",
         option, command.vectors);
  };
  for (const char* const option :
       {"--format", "--source", "--profile", "--op", "--operation", "--integer", "--out-of-range",
        "--mode", "--platform", "--result", "--unit", "--scale-format"}) {
    refuse(option);
  }
  for (const AccumulatorText& each : configs.dot.accumulator) refuse(each.option);
  for (const char* const option :
       {"--block-size", "--random-bits", "--tensor-amax", "--addend", "--lanes", "--lengths",
        "--count", "--elements", "--tensor", "--axis", "--all-modes"}) {
    refuse(option);
  }
  for (const PolicyOption& policy : policy_options()) refuse(option_name(policy));
}

/// Error kUsage for an option that this way of a run does not look at.
void refuse_unheeded(std::string_view option, bool is_given, std::string_view by) {
  if (is_given) fail(Exit::kUsage, "{}: {} do not look at it; leave the option out", option, by);
}

/// No time is no patience: whatever the device does, it would be late.
void refuse_no_time(std::string_view option, std::optional<double> seconds) {
  if (seconds && *seconds == 0) fail(Exit::kUsage, "{} 0: give seconds above 0", option);
}

/// A replay is JSON, which has no other texts: one that says something else runs nothing.
void require_text(std::string_view option, const std::string& text, const RunCommand& command) {
  if (command.shrink.empty()) return;
  if (golden::json_of_text(golden::dumped(nlohmann::json(text))) == text) return;
  fail(Exit::kUsage,
       "{} {}: is no UTF-8, and the file of --shrink could not name it; rename it, or leave out "
       "--shrink",
       option, printable(text));
}

}  // namespace

void check_usage(RunCommand& command) {
  refuse_no_time("--time-out", command.time_out);
  refuse_no_time("--start-time-out", command.start_time_out);
  refuse_no_time("--time-limit", command.time_limit);
  require_text("--dut", command.dut, command);
  require_text("--answer-prefix", command.answer_prefix, command);
  const int inputs = (command.gen.suite.empty() ? 0 : 1) + (command.gen.input.empty() ? 0 : 1) +
                     (command.vectors.empty() ? 0 : 1);
  if (inputs > 1) fail(Exit::kUsage, "give one of --suite, --input and --vectors");
  if (inputs == 0) command.gen.suite = "smoke";
  if (!command.gen.suite.empty() &&
      std::ranges::find(kSuites, command.gen.suite) == kSuites.end()) {
    if (command.gen.suite == "exhaustive") {
      fail(Exit::kUsage, "--suite exhaustive: every word of a source is what `mxgold sweep` runs");
    }
    throw Error(Exit::kUsage, unknown_name("suite", command.gen.suite, kSuites));
  }
  if (!command.vectors.empty()) refuse_beside_vectors(command);
  if (command.has_all_modes && command.gen.input.empty()) {
    fail(Exit::kUsage, "--all-modes goes with --input; a suite always runs all modes");
  }
  if (!command.gen.input.empty() && command.elements != 0) {
    fail(Exit::kUsage, "--elements: goes with --suite smoke and full; an input has its own");
  }
}

void refuse_program_options(const RunCommand& command, std::string_view by) {
  const RunCommand standard;
  refuse_unheeded("--pipe", command.pipe != standard.pipe, by);
  refuse_unheeded("--answer-prefix", !command.answer_prefix.empty(), by);
  refuse_unheeded("--start-time-out", command.start_time_out.has_value(), by);
}

void refuse_time_out(const RunCommand& command) {
  const bool is_given = command.time_out != RunCommand().time_out;
  refuse_unheeded("--time-out", is_given, "devices that are no programs or plugins");
}

void require_schedule(const RunCommand& command) {
  if (command.stall != "mix" && !sim::parse_stall(command.stall)) {
    constexpr std::string_view kKnown[] = {"mix", "none", "light", "heavy", "random"};
    throw Error(Exit::kUsage, unknown_name("stall", command.stall, kKnown));
  }
  if (command.reset != "mix" && !sim::ResetPlan::parse(command.reset)) {
    fail(Exit::kUsage, "--reset '{}': give mix, none, sweep, random or ascending cycles 12,40",
         command.reset);
  }
}

void refuse_schedule(const RunCommand& command, const sim::Description& device) {
  const ConfigOptions& configs = command.gen.configs;
  const auto refuse = [&](std::string_view option, std::string_view what) {
    if (!configs.is_typed(option)) return;
    fail(Exit::kUsage, "{}: {} has no {}; leave the option out", option, command.dut, what);
  };
  if (device.clock.empty()) refuse("--stall", "clock, so nothing waits (clock)");
  if (!device.reset) refuse("--reset", "reset (reset)");
}

void refuse_waves(std::string_view dut, const sim::DutKind& kind) {
  if (kind.is_described || kind.name == "rtl") return;
  fail(Exit::kUsage,
       "--waves: {} has no build that can record; rtl has, and a module that a device file "
       "describes (--dut device:FILE.json, docs/device-files.md)",
       dut);
}

void require_record_options(const RunCommand& command, const sim::DutKind& kind) {
  const RunCommand standard;
  const auto refuse = [](std::string_view option, bool is_given) {
    refuse_unheeded(option, is_given, "runs of records (programs, blocks of other shapes)");
  };
  if (kind.is_described) {
    require_schedule(command);
    refuse_schedule(command, described(command));
  } else {
    refuse("--stall", command.stall != standard.stall);
    refuse("--reset", command.reset != standard.reset);
  }
  if (!command.waves.empty()) refuse_waves(command.dut, kind);
  refuse("--elements", command.elements != 0);
  refuse("--all-modes", command.has_all_modes);
  if (!command.waivers.empty() && !command.cover.empty()) {
    fail(Exit::kUsage, "--cover: words that --waivers covers are not compared; give one of them");
  }
  if (command.vectors.empty()) return;
  refuse("--shard", command.gen.shard != standard.gen.shard);
}

void require_stream_options(const RunCommand& command, const sim::DutKind& kind) {
  const RunCommand standard;
  const GenOptions& gen = command.gen;
  const auto refuse = [](std::string_view option, bool is_given) {
    refuse_unheeded(option, is_given, "devices with a clock, which take blocks of 32 lanes,");
  };
  if (!command.waves.empty()) refuse_waves(command.dut, kind);
  refuse("--lanes", gen.lanes != 0);
  refuse("--lengths", gen.lengths != standard.gen.lengths);
  refuse("--count", gen.count != standard.gen.count);
  refuse("--axis", gen.axis != standard.gen.axis);
  refuse("--addend", !gen.configs.addend.empty());
  refuse("--operation", gen.configs.arith.operation != standard.gen.configs.arith.operation);
  refuse("--integer", gen.configs.arith.integer != standard.gen.configs.arith.integer);
  refuse("--out-of-range",
         gen.configs.arith.out_of_range != standard.gen.configs.arith.out_of_range);
  if (!command.waivers.empty() && !command.cover.empty()) {
    fail(Exit::kUsage, "--cover: words that --waivers covers are not compared; give one of them");
  }
  refuse_program_options(command, "devices with a clock");
  constexpr std::array<std::string_view, 2> kStreamSuites = {"smoke", "full"};
  if (!command.gen.suite.empty() &&
      std::ranges::find(kStreamSuites, command.gen.suite) == kStreamSuites.end()) {
    fail(Exit::kUsage,
         "--suite {}: devices with a clock run smoke and full; write {} with mxgold "
         "gen and give it as --vectors",
         command.gen.suite, command.gen.suite);
  }
  static_cast<void>(judge_of(command));
}

void require_streams(const RunCommand& command, const sim::DutKind& kind) {
  const golden::VectorReader reader(command.vectors_path, emulators::make_cast);
  const std::string why = sim::VectorSource::problem(reader.header());
  if (!why.empty()) fail(Exit::kUsage, "--dut {}: {}: {}", kind.name, command.vectors, why);
}

RunRange run_range(const RunCommand& command) {
  const std::string& text = command.only;
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  RunRange range;
  range.first = require_number("--only", std::string_view(text).substr(0, colon));
  range.last = colon == std::string::npos
                   ? range.first + 1
                   : require_number("--only", std::string_view(text).substr(colon + 1));
  if (range.last <= range.first) fail(Exit::kUsage, "--only {}: an empty range", text);
  return range;
}

}  // namespace mx::cli
