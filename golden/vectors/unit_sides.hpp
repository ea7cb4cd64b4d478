// The two sides of a record of op mma, as whoever sums them takes them.
#pragma once

#include <cstddef>
#include <utility>

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// A and B of record i: their codes, and the scales of their blocks where the unit takes some.
/// `Side` starts with both, in the order scales, codes (DotOperand and the oracle's DotSide do).
template <class Side>
[[nodiscard]] std::pair<Side, Side> sides_of(const UnitConfig& config, const RecordBatch& batch,
                                             std::size_t i) {
  const std::size_t n = batch.elements(Field::kA, i);
  const auto side = [&](Field scales, Field codes, const UnitSide& of) {
    const auto words = batch.of(scales, i);
    return Side{of.scale ? words.first(blocks_in(*of.scale, n)) : words,
                batch.of(codes, i).first(n)};
  };
  return {side(Field::kAScale, Field::kA, config.a), side(Field::kBScale, Field::kB, config.b)};
}

}  // namespace mx::golden
