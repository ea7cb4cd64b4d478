// Walking patterns: every source bit, key bit and random bit of every lane decides an answer, set
// in one block and clear in another. A bit that is walked in one lane only hides a wire that is
// stuck in another.
#pragma once

#include <array>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

struct WalkBlock {
  std::array<std::uint32_t, kLanes> source{};
  std::array<std::uint32_t, kLanes> random{};
  std::uint32_t keep = kAllLanes;
};

/// Elements under a maximum of the next binade: in every block each lane walks a bit of its own, so
/// that after as many blocks as there are bits every lane had all of them. Lanes hold ties of
/// neighbours, with and without the bit, and random words at which the bit makes the carry, alone
/// and among others. None where the source has no binades.
[[nodiscard]] std::vector<WalkBlock> walk_elements(const QuantizerConfig& config);

/// Maxima: a lane's exponent bit, and its fraction bits where the rule looks at them, decide the
/// scale. One lane a block, because the other lanes' keys must not hide it.
[[nodiscard]] std::vector<WalkBlock> walk_keys(const QuantizerConfig& config);

/// Subnormals under the smallest scale or near it: each lane walks its uppermost set bit, alone,
/// with one bit below and with all, so that values are exact, tie and neither at every place that a
/// normalizer shifts them to. Every one bit below takes its turn under away_from_zero.
[[nodiscard]] std::vector<WalkBlock> walk_subnormals(const QuantizerConfig& config);

/// Subnormal maxima of which a fraction bit of one lane decides the scale or whether it is clamped.
/// None where the format's scale is clamped below the source's normal numbers.
[[nodiscard]] std::vector<WalkBlock> walk_subnormal_keys(const QuantizerConfig& config);

/// NaN by one fraction bit, and Inf, in each lane beside zeros.
[[nodiscard]] std::vector<WalkBlock> walk_specials(const QuantizerConfig& config);

/// The largest finite value beside an infinity, a NaN, both and neither: where the rules for
/// special lanes meet those for a scale out of range.
[[nodiscard]] std::vector<WalkBlock> tops_beside_specials(const QuantizerConfig& config);

/// Blocks of every length, larger values in the lanes behind their ends, and each lane alone beside
/// zeros.
[[nodiscard]] std::vector<WalkBlock> walk_shapes(const QuantizerConfig& config);

}  // namespace mx::sim
