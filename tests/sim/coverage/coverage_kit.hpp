// The coverage of one configuration's blocks in a suite of runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format/table.hpp"
#include "sim/coverage/stream_coverage.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim {

/// One configuration of the RTL's default build.
struct Choice {
  std::string_view format;
  Rounding rounding = Rounding::kTiesToEven;
  ScaleRule rule = ScaleRule::kFloor;
  const ElementFormat* source = nullptr;
  Masks masks = 0;  ///< what a profile leaves open
};

inline golden::Covergroup coverage_of(const Choice& choice, SuiteSize size) {
  SuiteOptions options;
  options.configs = Selection{
      {find_block_format(choice.format)->element},
      {choice.rounding},
      {choice.rule},
      {*choice.source}}.configurations(8);
  for (golden::Configuration& each : options.configs) each.origin.masks = choice.masks;
  options.extras = ExtraPolicies::kAbsent;
  options.size = size;
  options.elements = 64;
  const SuiteSource source(options);
  StreamCoverage coverage(source.configs(), 0, 1);
  ReferenceModel model(source.configs());
  std::vector<BlockIn> blocks(1024);
  for (std::uint64_t first = 0; first < source.size(); first += blocks.size()) {
    const std::uint64_t some = std::min<std::uint64_t>(blocks.size(), source.size() - first);
    const std::span<BlockIn> now = std::span(blocks).first(some);
    source.fill(first, now);
    for (const BlockIn& block : now) {
      BlockOut expected;
      model.answer(block, expected);
      coverage.sample(block, expected, model.open(block, expected));
    }
  }
  return coverage.groups().front();
}

inline std::string wrong_bins(const golden::Covergroup& group) {
  std::string text;
  for (const golden::Coverpoint& point : group.points) {
    for (const golden::Bin& bin : point.bins) {
      if ((bin.hits == 0) != (bin.reach == golden::Reach::kOpen)) continue;
      text += point.name + ": " + bin.name + "\n";
    }
  }
  return text.substr(0, 1000);
}

inline void expect_closed(const Choice& choice) {
  const golden::Covergroup group = coverage_of(choice, SuiteSize::kFull);
  EXPECT_TRUE(group.score().complete()) << group.name << "\n" << wrong_bins(group);
  EXPECT_GT(group.score().bins, 1000U);
}

}  // namespace mx::sim
