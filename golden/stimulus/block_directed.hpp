// The directed blocks of one configuration, class by class: spec V10.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/points/block_kit.hpp"
#include "golden/stimulus/suite.hpp"

namespace mx::golden {

struct DirectedBlocks {
  std::vector<std::vector<Lane>> blocks;  ///< sorted, each once
  std::vector<StimulusClass> classes;
  std::uint64_t duplicates = 0;
};

/// options.kind is kSmoke or kDirected; blocks may be shorter than options.lanes where lengths
/// vary. Throws std::logic_error if a class came out empty.
[[nodiscard]] DirectedBlocks make_directed_blocks(const QuantizerConfig& config,
                                                  const SuiteOptions& options);

}  // namespace mx::golden
