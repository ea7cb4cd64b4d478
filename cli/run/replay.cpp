// The command that shows a failure again.
#include <algorithm>

#include "cli/base/command.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/options.hpp"
#include "cli/text/command_text.hpp"

namespace mx::cli {
RunRange shortest_failing(std::span<const RunRange> ranges,
                          const std::function<bool(const RunRange&)>& fails) {
  // The last one is where it failed: there is nothing wider to try.
  for (const RunRange& range : ranges.first(ranges.size() - 1)) {
    if (range != ranges.back() && fails(range)) return range;
  }
  return ranges.back();
}

namespace {

/// All but which part of the input it is.
std::string words_of_run(const RunCommand& command) {
  RunCommand standard;
  const GenOptions& gen = command.gen;
  const ConfigOptions& configs = gen.configs;
  std::string text =
      command.answers ? fmt::format("{} check {} {}", program_word(), shell_quoted(command.vectors),
                                    shell_quoted(command.answers->name))
                      : fmt::format("{} run --dut {}", program_word(), shell_quoted(command.dut));
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  const auto add_typed = [&](std::string_view option, const auto& value) {
    if (configs.is_typed(option)) add(option, fmt::format("{}", value));
  };
  const auto add_changed = [&](std::string_view option, const auto& value, const auto& otherwise) {
    if (value != otherwise) add(option, fmt::format("{}", value));
  };
  const auto add_list = [&](std::string_view option, const Names& values) {
    if (!values.empty()) add(option, fmt::format("{}", fmt::join(values, ",")));
  };
  if (command.answers) {
    standard.compare = command.compare;
    add_list("--fields", command.answer_fields);
  } else if (!command.vectors.empty()) {
    add("--vectors", command.vectors);
  }
  if (!gen.input.empty()) add("--input", gen.input);
  if (!gen.suite.empty()) add("--suite", gen.suite);
  // What was not typed is the device's to say, then as now.
  add_typed("--op", configs.op);
  add_typed("--operation", configs.arith.operation);
  add_typed("--integer", configs.arith.integer);
  add_typed("--out-of-range", configs.arith.out_of_range);
  add_typed("--mode", configs.dot.mode);
  add_typed("--platform", configs.platform);
  add_typed("--result", configs.dot.result);
  add_typed("--addend", configs.addend);
  add_typed("--unit", configs.unit);
  add_typed("--scale-format", configs.scale_format);
  for (const AccumulatorText& each : configs.dot.accumulator) {
    std::visit([&](const auto& value) { add_typed(each.option, value); }, each.value);
  }
  add_changed("--tensor", gen.tensor, standard.gen.tensor);
  add_changed("--axis", gen.axis, standard.gen.axis);
  if (command.has_all_modes) text += " --all-modes";
  add_typed("--profile", configs.profile);
  text += command.definitions;
  add_list("--format", configs.formats);
  add_list("--source", configs.sources);
  for (std::size_t i = 0; i < configs.policies.size(); ++i) {
    add_list(option_name(policy_options()[i]), configs.policies[i]);
  }
  add_changed("--elements", command.elements, standard.elements);
  add_changed("--count", gen.count, standard.gen.count);
  add_changed("--block-size", configs.block_size, 0);
  add_changed("--lanes", gen.lanes, 0);
  add_typed("--lengths", gen.lengths);
  add_changed("--tensor-amax", configs.tensor_amax, standard.gen.configs.tensor_amax);
  add_typed("--random-bits", configs.random_bits);
  add_changed("--compare", command.compare, standard.compare);
  add_changed("--judge", command.judge, standard.judge);
  add_changed("--waivers", command.waivers, standard.waivers);
  add_changed("--pipe", command.pipe, standard.pipe);
  add_changed("--answer-prefix", command.answer_prefix, standard.answer_prefix);
  add_changed("--time-out", command.time_out, standard.time_out);
  if (command.start_time_out) add("--start-time-out", fmt::format("{}", *command.start_time_out));
  if (command.observe != standard.observe) add_list("--observe", command.observe);
  if (command.vectors.empty()) add("--seed", std::to_string(gen.seed));
  add_changed("--stall", command.stall, standard.stall);
  add_changed("--reset", command.reset, standard.reset);
  return text;
}

}  // namespace

std::string run_again_text(const RunCommand& command) {
  std::string text = words_of_run(command);
  const std::string whole = RunCommand().gen.shard;
  if (command.gen.shard != whole) text += " --shard " + shell_quoted(command.gen.shard);
  if (!command.only.empty()) text += " --only " + shell_quoted(command.only);
  return text;
}

std::string run_replay(const RunCommand& command, std::uint64_t first, std::uint64_t last) {
  const std::string part =
      last == first + 1 ? std::to_string(first) : fmt::format("{}:{}", first, last);
  return fmt::format("{} --only {}", words_of_run(command), part);
}

}  // namespace mx::cli
