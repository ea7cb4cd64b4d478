// What the harness tests share: small suites, runs, and a source of given blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "reference/format/table.hpp"
#include "sim/dut/reference.hpp"
#include "sim/report/run.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim::test {

/// The smoke suite of every configuration, made once in a process.
inline const SuiteSource& smoke() {
  static const SuiteSource source([] {
    SuiteOptions options;
    options.selection = Selection::all();
    return options;
  }());
  return source;
}

/// One configuration with default policies only.
inline SuiteOptions single_configuration(const ElementFormat& format = formats::e4m3fn) {
  SuiteOptions options;
  options.selection = {{format}, {Rounding::kTiesToEven}, {ScaleRule::kFloor}, {formats::fp32}};
  options.supports = [](std::uint32_t config_word) { return config_word < 8; };
  return options;
}

inline DutFactory reference_with(const Fault* fault = nullptr) {
  return [fault] { return std::make_unique<ReferenceDut>(golden::ConfigWordContext{}, fault); };
}

/// Blocks given one by one, with answers of their own or without.
class GivenBlocks : public BlockSource {
 public:
  explicit GivenBlocks(std::vector<BlockIn> blocks, std::vector<BlockOut> answers = {})
      : blocks_(std::move(blocks)), answers_(std::move(answers)) {}
  [[nodiscard]] std::uint64_t size() const override { return blocks_.size(); }
  [[nodiscard]] const golden::ConfigWordContext& context() const override { return context_; }
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
  golden::ConfigWordContext context_;
};

/// Full speed, no reset but the first.
inline RunOptions plain_options() {
  RunOptions options;
  options.schedule.stall = Stall::kNone;
  options.schedule.reset = ResetPlan{};
  return options;
}

}  // namespace mx::sim::test
