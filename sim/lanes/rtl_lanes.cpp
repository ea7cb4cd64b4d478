#include "sim/lanes/rtl_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "golden/config_word/config_word.hpp"
#include "reference/format/table.hpp"
#include "reference/number/word_bytes.hpp"
#include "sim/dut/dut.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/lanes/widen.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

constexpr RtlLibrary kLaneSweep{
    .folder = "lanes",
    .top = "lane_sweep",
    .bench = "sim/lanes/lane_sweep.sv",
    .header = "sim/lanes/lane_library.hpp",
    .code = "sim/lanes/library.cpp",
    .functions = "mx_lane_functions",
    .optimised = "-O3",  // a sweep takes minutes, the compiler one
    .choice = {"lane_sweep.sv", "  // What the configuration says of every lane.\n"}};

constexpr RtlLibrary kWideLanes{.folder = "lanes",
                                .top = "lane_sweep",
                                .bench = "sim/lanes/lane_sweep.sv",
                                .header = "sim/lanes/lane_library.hpp",
                                .code = "sim/lanes/wide_library.cpp",
                                .functions = "mx_lane_functions",
                                .optimised = "-O2",
                                .choice = {},
                                .made_of = widened,
                                .maker = widening};

/// "Verilator 5.006": two words.
std::string short_version(const std::string& text) {
  const std::size_t end = text.find_first_of(" \n", text.find(' ') + 1);
  return text.substr(0, end);
}

}  // namespace

std::string_view token_of(LaneEngine engine) {
  return engine == LaneEngine::kRtl ? "rtl" : "netlist";
}

std::string identity_of(const LaneBuild& build, const std::string& name) {
  const bool is_netlist = build.engine == LaneEngine::kNetlist;
  return fmt::format("{}{}{} (sources {}, {}{})", token_of(build.engine), name.empty() ? "" : ":",
                     name, build.sources, is_netlist ? short_version(yosys_version()) + ", " : "",
                     short_version(verilator_version()));
}

LaneBuild load_lanes(LaneEngine engine, const std::string& name) {
  if (rtl_files().empty()) {
    throw DutError("this build has no RTL; configure with MXGOLD_SIM=ON and verilator");
  }
  const LoadedRtl loaded =
      load_library(engine == LaneEngine::kRtl ? kLaneSweep : kWideLanes, name, Tracing::kAbsent);
  return {engine, static_cast<const LaneFunctions*>(loaded.functions), loaded.fault,
          loaded.sources};
}

LaneWord lane_word_of(const ConversionConfig& config) {
  const auto formats = mx_block_formats();
  const auto format = std::ranges::find_if(
      formats, [&](const auto& row) { return row.element == config.destination; });
  if (format == formats.end()) {
    return {0, fmt::format("element {} has no code", config.destination.name)};
  }
  const bool draws = is_stochastic(config.policy.rounding);
  if (draws && (config.policy.rounding != Rounding::kStochasticA ||
                config.policy.random_bits != kRtlRandomBits)) {
    return {0, fmt::format("built for {} with {} random bits", token_of(Rounding::kStochasticA),
                           kRtlRandomBits)};
  }
  QuantizerConfig block{config.source, *format, config.policy, {}};
  const golden::ConfigWord word = golden::config_word_of(block);
  return {word.word, word.problem};
}

Lanes::Lanes(const LaneBuild& build, int seed)
    : functions_(build.functions),
      model_(build.functions->make(seed, build.fault), build.functions->destroy) {}

void Lanes::convert(const LaneSetting& setting, std::span<const std::byte> words, std::size_t size,
                    std::span<std::byte> codes) {
  const std::size_t beat = functions_->lanes;
  const std::size_t beats = (codes.size() + beat - 1) / beat;
  in_.assign(beats * beat, 0);
  out_.resize(beats * beat);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    in_[i] = static_cast<std::uint32_t>(load_word(words.data() + i * size, size));
  }
  std::size_t came = 0;
  try {
    came = functions_->run(model_.get(), setting, in_.data(), beats, out_.data());
  } catch (const std::exception& error) {
    throw DutError(fmt::format("lanes: {}", error.what()));
  }
  if (came != beats) {
    throw DutError(fmt::format("lanes: {} beats of words in, {} beats of codes out", beats, came));
  }
  std::memcpy(codes.data(), out_.data(), codes.size());
}

}  // namespace mx::sim
