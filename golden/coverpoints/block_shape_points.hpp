// Coverpoints of a block before anything is computed: which lanes hold what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "golden/vectors/record.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// What a block of numbers is made of.
#define MX_BLOCK_SHAPE(X)                     \
  X(kAllZero, "all_zero")                     \
  X(kAllSubnormal, "all_subnormal")           \
  X(kOneLane, "one_lane") /* but for zeros */ \
  X(kOrdinary, "ordinary")
MX_POLICY(BlockShape, MX_BLOCK_SHAPE);

}  // namespace mx

namespace mx::golden {

/// The shape of a block; nothing where a value is no number.
[[nodiscard]] std::optional<BlockShape> shape_of(const ElementFormat& source,
                                                 std::span<const Unpacked> values);

/// The coverpoints
///   argmax      the first lane that holds the largest magnitude
///   ties        how many lanes hold it
///   spread      binades between it and each other lane
///   nan_lane, infinity_lane   each lane that may hold one
///   kind        all zero, all subnormal, one lane only, ordinary
///   length      how many lanes take part, where blocks may be short
///   lane_bit    each bit of each lane, set and clear.
/// Lanes from number 1024 on share a bin.
class BlockShapePoints {
 public:
  BlockShapePoints(const ElementFormat& source, std::size_t lanes, Lengths lengths,
                   int widest_spread);

  /// The codes of the lanes that take part, and their values.
  void sample(std::span<const std::uint64_t> codes, std::span<const Unpacked> values);
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  void sample_maximum(std::span<const Unpacked> values, const Unpacked& most);
  void sample_bits(std::span<const std::uint64_t> codes);

  ElementFormat source_;
  Coverpoint argmax_, ties_, spread_, nan_lane_, infinity_lane_, kind_, length_, lane_bit_;
};

}  // namespace mx::golden
