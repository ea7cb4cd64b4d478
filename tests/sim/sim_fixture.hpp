// What the harness tests share: small suites, runs, and a source of given blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/config_word/config_word.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"
#include "sim/dut/reference.hpp"
#include "sim/report/run.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim::test {

/// The smoke suite of every configuration, made once in a process.
inline const SuiteSource& smoke() {
  static const SuiteSource source([] {
    SuiteOptions options;
    options.configs = Selection::all().configurations(options.random_bits);
    return options;
  }());
  return source;
}

/// One configuration with default policies only.
inline SuiteOptions single_configuration(const ElementFormat& format = formats::e4m3fn) {
  SuiteOptions options;
  const Selection selection{
      {format}, {Rounding::kTiesToEven}, {ScaleRule::kFloor}, {formats::fp32}};
  options.configs = selection.configurations(options.random_bits);
  options.extras = ExtraPolicies::kAbsent;
  return options;
}

/// What the RTL understands by a word, with N = 8.
inline golden::Configuration told(std::uint32_t config_word) {
  return {golden::config_of(config_word, {}).value(), {}};
}

/// Blocks of a format under a profile, with the profile's masks.
inline golden::Configuration profiled(std::string_view name, std::string_view format,
                                      const ElementFormat& source = formats::fp32) {
  const auto [profile, variant] = named_profile(name);
  const BlockFormat& block = *find_block_format(format);
  return {block_config(*profile, block, source, variant).value(),
          {std::string(name), "", block_masks(*profile, block, source, variant)}};
}

inline DutFactory reference_with(const Fault* fault = nullptr) {
  return [fault] { return std::make_unique<ReferenceDut>(fault); };
}

/// Blocks given one by one, with answers of their own or without; fp32 to e4m3fn unless told.
class GivenBlocks : public BlockSource {
 public:
  explicit GivenBlocks(std::vector<BlockIn> blocks, std::vector<BlockOut> answers = {},
                       Configurations configs = {told(0)})
      : blocks_(std::move(blocks)), answers_(std::move(answers)), configs_(std::move(configs)) {}
  [[nodiscard]] std::uint64_t size() const override { return blocks_.size(); }
  [[nodiscard]] const Configurations& configs() const override { return configs_; }
  void fill(std::uint64_t first, std::span<BlockIn> out) const override {
    std::ranges::copy(std::span(blocks_).subspan(first, out.size()), out.begin());
  }
  [[nodiscard]] bool answers(std::uint64_t first, std::span<BlockOut> out) const override {
    if (answers_.empty()) return false;
    std::ranges::copy(std::span(answers_).subspan(first, out.size()), out.begin());
    return true;
  }
  [[nodiscard]] std::string describe(std::uint64_t index) const override {
    return "given block " + std::to_string(index);
  }

 private:
  std::vector<BlockIn> blocks_;
  std::vector<BlockOut> answers_;
  Configurations configs_;
};

/// Full speed, no reset but the first.
inline RunOptions plain_options() {
  RunOptions options;
  options.schedule.stall = Stall::kNone;
  options.schedule.reset = ResetPlan{};
  return options;
}

}  // namespace mx::sim::test
