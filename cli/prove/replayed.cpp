#include "cli/prove/replayed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "cli/run/options.hpp"
#include "cli/run/shrink.hpp"
#include "cli/text/command_text.hpp"
#include "golden/bytes/error.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/dut/dut.hpp"
#include "sim/shrink/stream_case.hpp"

namespace mx::cli {
namespace {

namespace field = golden::config_word_field;

/// "word=3f800000 settings=8", digits of hex.
using Inputs = std::map<std::string, std::string>;

Inputs inputs_of(const std::string& example) {
  Inputs inputs;
  std::istringstream words(example);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    if (sign != std::string::npos) inputs[word.substr(0, sign)] = word.substr(sign + 1);
  }
  return inputs;
}

/// `digits` of hex from digit `first` on, counted from the lowest; 0 beyond the end.
std::uint32_t number_at(const Inputs& inputs, const std::string& name, std::size_t first,
                        std::size_t digits) {
  const auto at = inputs.find(name);
  if (at == inputs.end() || at->second.size() <= first) return 0;
  const std::string& text = at->second;
  const std::size_t end = text.size() - first;
  const std::size_t begin = end - std::min(end, digits);
  return static_cast<std::uint32_t>(std::stoul(text.substr(begin, end - begin), nullptr, 16));
}

std::uint32_t number_of(const Inputs& inputs, const std::string& name) {
  return number_at(inputs, name, 0, 8);
}

/// 2^exponent of a source as a word; 0 where it has none.
std::uint32_t power_of_two(const ElementFormat& source, int exponent) {
  const int fraction = source.man_bits;
  const int biased = exponent + source.bias;
  if (biased >= 1) return static_cast<std::uint32_t>(biased) << fraction;
  return biased + fraction >= 1 ? 1U << (biased + fraction - 1) : 0;
}

/// All exponent bits, and one more bit for a NaN.
std::uint32_t special_of(const ElementFormat& source, bool is_nan) {
  const std::uint32_t infinity = ((1U << source.exp_bits) - 1) << source.man_bits;
  return infinity | (is_nan ? 1U << (source.man_bits - 1) : 0);
}

/// The word with 0 in each field whose code means nothing: a solver may take any.
std::uint32_t legal(std::uint32_t word) {
  for (const golden::ConfigWordField& each : golden::kConfigWordFields) {
    const std::uint32_t mask = ((1U << each.width) - 1) << each.lsb;
    if (!golden::config_of(word & mask, {.block_size = sim::kLanes})) word &= ~mask;
  }
  return word;
}

void set_whole_block(sim::BlockIn& block, const Inputs& inputs) {
  // Lanes of 16 bits where the build has no wider source.
  const std::size_t digits = inputs.at("words").size() > std::size_t{sim::kLanes} * 4 ? 8 : 4;
  for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
    block.source[lane] = number_at(inputs, "words", lane * digits, digits);
    block.random[lane] = number_at(inputs, "random", lane * 2, 2);
  }
  block.keep = number_of(inputs, "keep");
}

void set_lane(sim::BlockIn& block, const Inputs& inputs, const QuantizerConfig& config) {
  const int scale = static_cast<int>(number_of(inputs, "scale")) - 127;
  block.source[0] = number_of(inputs, "word");
  block.random[0] = number_of(inputs, "random");
  block.source[1] = power_of_two(config.source, scale + config.format.element.emax());
  block.keep = 3;
}

void set_specials(sim::BlockIn& block, const Inputs& inputs, const QuantizerConfig& config) {
  block.source[0] = number_of(inputs, "word");
  block.keep = 1;
  for (const auto& [name, lane] : {std::pair{"other_nan", 1U}, {"other_inf", 2U}}) {
    if (number_of(inputs, name) == 0) continue;
    block.source[lane] = special_of(config.source, lane == 1);
    block.keep |= 1U << lane;
  }
}

}  // namespace

std::optional<sim::ReplayFile> block_of(const sim::Obligation& obligation,
                                        const std::string& example, const std::string& rtl) {
  const Inputs inputs = inputs_of(example);
  if (!inputs.contains("settings")) return std::nullopt;
  std::uint32_t word =
      (number_of(inputs, "settings") & obligation.free_settings) | obligation.settings;
  // A lane alone knows no rule: floor, of all numbers, brings any scale about.
  const bool is_lane = inputs.contains("scale");
  if (is_lane) word &= ~(7U << field::kRule.lsb | 3U << field::kAmaxOver.lsb);
  const std::optional<QuantizerConfig> config =
      golden::config_of(legal(word), {.block_size = sim::kLanes});
  if (!config) return std::nullopt;
  sim::BlockIn block;
  if (inputs.contains("words")) {
    set_whole_block(block, inputs);
  } else if (is_lane) {
    set_lane(block, inputs, *config);
  } else if (inputs.contains("other_nan")) {
    set_specials(block, inputs, *config);
  } else {
    return std::nullopt;
  }
  const std::uint32_t mask = static_cast<std::uint32_t>(config->source.code_mask());
  for (std::uint32_t& source : block.source) source &= mask;
  sim::ReplayFile replay;
  replay.device = rtl.empty() ? "rtl" : "rtl:" + rtl;
  replay.failure = sim::stream_case({golden::Configuration{*config, {}}}, std::span(&block, 1), {});
  return replay;
}

std::string replayed(const sim::Obligation& obligation, const std::string& example,
                     const std::string& rtl, const std::string& folder) {
  std::optional<sim::ReplayFile> replay = block_of(obligation, example, rtl);
  if (!replay) return "  not replayed: the example is of no block of the default build\n";
  try {
    RunCommand command;
    command.dut = replay->device;
    const sim::StreamSetting setting{.make = make_clocked(command, run_dut_kind(command.dut)),
                                     .observed = require_observes(replay->observe)};
    const sim::StreamOutcome outcome = sim::run_case(replay->failure, setting);
    if (!outcome.has_failed()) {
      return fmt::format("  replayed: {} and the reference answer this block alike\n",
                         replay->device);
    }
    replay->shown = shown_text(replay->failure, outcome);
    std::string text = "  replayed: " + replay->shown;
    if (!folder.empty()) {
      const std::string path = folder + "/" + obligation.name + ".json";
      sim::write_file_below(path, sim::replay_json(*replay));
      text += fmt::format("  replay: {} replay {}\n", program_word(), shell_quoted(path));
    }
    return text;
  } catch (const sim::DutError& error) {
    return fmt::format("  not replayed: {}\n", error.what());
  } catch (const golden::VectorError& error) {
    return fmt::format("  not replayed: {}\n", error.what());
  }
}

}  // namespace mx::cli
