// The oracle's dot products: spec F13 and the accumulator of reference/dot/model.hpp
// with rationals, each rounding a search on a ladder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oracle/element/real.hpp"
#include "reference/dot/model.hpp"

namespace mx::oracle {

/// One side: as DotOperand of the reference.
struct DotSide {
  std::span<const std::uint64_t> scales;
  std::span<const std::uint64_t> codes;
  std::uint64_t tensor_scale = 0x3F800000;
};

/// The values of one side, scales included.
[[nodiscard]] std::vector<Extended> side_values(const BlockFormat& format, const DotSide& side);

/// The code and flags of A * B, or of C + A * B.
[[nodiscard]] Outcome dot(const DotConfig& config, const DotSide& a, const DotSide& b,
                          std::optional<std::uint64_t> addend = std::nullopt);

}  // namespace mx::oracle
