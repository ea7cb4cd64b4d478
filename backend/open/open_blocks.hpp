// What a profile leaves open of an array's answers, value by value and block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "reference/profiles/masks.hpp"
#include "reference/profiles/profile.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// Which of the masks leave the answer to one source code open.
[[nodiscard]] Masks open_masks(Masks masks, const ConversionConfig& conversion,
                               std::uint64_t source_code);

/// The blocks of one tensor, each quantized again to know what of its answer is open. It holds the
/// source's words by reference. One object serves one thread: it owns working memory.
class OpenBlocks {
 public:
  /// `quantizer` is the profile's own, at the tensor's level.
  OpenBlocks(Masks masks, const Quantizer& quantizer, const BlockedShape& shape,
             std::span<const std::byte> source, CounterRandom random)
      : masks_(masks), quantizer_(quantizer), shape_(shape), source_(source), random_(random) {}

  /// What is open of a block, which counts in C order of the scale tensor. No elements, and no
  /// scale, where nothing is: most blocks.
  [[nodiscard]] OpenFields of(std::uint64_t block);

  /// The places in the tensor of the elements of the last block.
  [[nodiscard]] const std::vector<std::uint64_t>& indices() const { return indices_; }

 private:
  void draw();

  Masks masks_;
  const Quantizer& quantizer_;
  const BlockedShape& shape_;
  std::span<const std::byte> source_;
  CounterRandom random_;
  std::vector<std::uint64_t> indices_, lanes_, codes_;
  std::vector<std::uint32_t> words_;
};

}  // namespace mx::backend
