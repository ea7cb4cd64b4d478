// Blocks of real tensors, each under a list of configurations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/format/format.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::sim {

/// A tensor of little-endian words in C order; the data stays with the caller.
struct TensorView {
  std::string name;
  ElementFormat format;              ///< fp32, bf16 or fp16
  std::vector<std::uint64_t> shape;  ///< empty counts as [1]
  std::span<const std::byte> data;
  std::uint32_t index = 0;  ///< for the random words: spec F9.4, `counter`
};

/// Every block along the last axis of every tensor, under every configuration of a list before the
/// next block. The last block of a row may be short: lanes beyond the row are not kept, and tlast
/// marks it. Random words are those of `mxgold quantize` with the same seed.
class TensorSource : public BlockSource {
 public:
  /// Each tensor is run under the configurations of its own source format,of which there must be
  /// one (StimulusError).
  TensorSource(std::vector<TensorView> tensors, Configurations configurations, std::uint64_t seed);

  [[nodiscard]] std::uint64_t size() const override { return starts_.back(); }
  [[nodiscard]] const Configurations& configs() const override { return configurations_; }
  void fill(std::uint64_t first, std::span<BlockIn> blocks) const override;
  [[nodiscard]] std::string describe(std::uint64_t index) const override;

  [[nodiscard]] std::uint64_t values() const { return values_; }

 private:
  struct Position;
  [[nodiscard]] Position locate(std::uint64_t index) const;
  void read_block(const Position& position, BlockIn& block) const;

  std::vector<TensorView> tensors_;
  Configurations configurations_;
  std::vector<std::vector<std::uint32_t>> numbers_;  ///< of each tensor
  std::uint64_t seed_;
  std::vector<std::uint64_t> starts_;  ///< first index of each tensor, and the total
  std::uint64_t values_ = 0;
};

}  // namespace mx::sim
