// The command that shows a failure again.
#include <algorithm>

#include "cli/base/command.hpp"
#include "cli/options/dot.hpp"
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

std::string run_replay(const RunCommand& command, std::uint64_t first, std::uint64_t last) {
  const RunCommand standard;
  const GenOptions& gen = command.gen;
  const ConfigOptions& configs = gen.configs;
  std::string text = fmt::format("{} run --dut {}", program_word(), shell_quoted(command.dut));
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  const auto add_changed = [&](std::string_view option, const auto& value, const auto& otherwise) {
    if (value != otherwise) add(option, fmt::format("{}", value));
  };
  const auto add_list = [&](std::string_view option, const Names& values) {
    if (!values.empty()) add(option, fmt::format("{}", fmt::join(values, ",")));
  };
  if (!command.vectors.empty()) add("--vectors", command.vectors);
  if (!gen.input.empty()) add("--input", gen.input);
  if (!gen.suite.empty()) add("--suite", gen.suite);
  add_changed("--op", configs.op, standard.gen.configs.op);
  if (configs.op == "arith") text += arith_options_text(configs.arith);
  if (configs.op == "dot") text += dot_options_text(configs);
  if (configs.op == "dequantize") text += " --result " + configs.dot.result;
  if (configs.op == "mma") text += unit_options_text(configs);
  if (configs.op == "cast") text += cast_options_text(configs);
  add_changed("--tensor", gen.tensor, standard.gen.tensor);
  add_changed("--axis", gen.axis, standard.gen.axis);
  if (command.has_all_modes) text += " --all-modes";
  add_changed("--profile", configs.profile, standard.gen.configs.profile);
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
  add_changed("--lengths", gen.lengths, standard.gen.lengths);
  add_changed("--tensor-amax", configs.tensor_amax, standard.gen.configs.tensor_amax);
  if (command.vectors.empty() && configs.random_bits != 0 &&
      configs.random_bits != default_random_bits(run_dut_kind(command.dut))) {
    add("--random-bits", std::to_string(configs.random_bits));
  }
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
  add("--only", last == first + 1 ? std::to_string(first) : fmt::format("{}:{}", first, last));
  return text;
}

}  // namespace mx::cli
