// What a block holds: spec F12.1 steps 1 to 3.
#pragma once

#include <cstdint>
#include <span>

#include "reference/block/quantizer.hpp"

namespace mx {

struct BlockScan {
  Unpacked amax;  ///< largest magnitude under amax_over, positive; zero if nothing takes part
  std::int64_t argmax = -1;
  bool has_nan = false;
  bool has_inf = false;
  bool has_finite = false;
};

[[nodiscard]] BlockScan scan_block(const QuantizerConfig& config,
                                   std::span<const std::uint64_t> source);

/// Takes the scan of another part of the same block into one. Lanes are not counted across parts:
/// the result has no argmax of its own.
void merge(BlockScan& scan, const BlockScan& part);

}  // namespace mx
