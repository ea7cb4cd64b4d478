// Coverpoints of one rounding: where values lie between the destination's, and next to where the
// result changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/points/gaps.hpp"

namespace mx::golden {

/// A finite value with its neighbours in the source format; at the ends of the format the value
/// itself stands for the neighbour that is missing.
struct Placed {
  Unpacked value, below, above;
};

/// The places of a magnitude of a grid, all three times 2^shift.
[[nodiscard]] Placed placed(const SourceGrid& grid, std::uint64_t magnitude, int shift);

/// The coverpoints
///   position   sign x gap between destination values x {on the value, below its middle, on the
///              middle, above it}
///   threshold  sign x value or middle x {one source ulp below, on it, one above}
///   decision   sign x lsb x guard x sticky x {subnormal, normal}
///   lone_bit   guard x distance of a single bit below it.
class RoundingPoints {
 public:
  /// Distances of a lone bit below the guard that have a bin of their own.
  static constexpr int kDistances = 24;

  explicit RoundingPoints(const ElementFormat& destination);

  void sample(const Placed& placed, bool negative);
  /// The gap that a magnitude lies in; nothing below the first, beyond the last and between listed
  /// ones.
  [[nodiscard]] std::optional<Gap> gap_of(const Unpacked& value) const;
  [[nodiscard]] const FormatGaps& ladder() const { return ladder_; }

  void exclude_what(const RoundingPoints& witnesses);
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  /// A place where the result may change: a destination value (`half` 0) or a middle (1).
  struct Step {
    Unpacked at;
    std::optional<std::size_t> gap = {};  ///< that it begins or halves; nothing at an open end
    int half = 0;
    std::optional<std::size_t> bins = {};  ///< where its bins of `threshold` begin
  };
  void add_step(Step step, const std::string& name);
  void sample_thresholds(const Placed& placed, std::size_t step, bool negative);
  void sample_lone_bit(const Unpacked& value, const Step& step);
  [[nodiscard]] std::optional<std::size_t> step_of(const Unpacked& value) const;

  FormatGaps ladder_;
  std::vector<Step> steps_;         ///< ascending
  std::vector<bool> is_subnormal_;  ///< of each gap
  Coverpoint position_, threshold_, decision_, lone_bit_;
};

/// Magnitudes of a grid that stand for all: every bin of RoundingPoints that any magnitude up to
/// `limit`, times 2^shift, hits is hit by one of them.
[[nodiscard]] std::vector<std::uint64_t> rounding_witnesses(const SourceGrid& grid,
                                                            const FormatGaps& ladder, int shift,
                                                            std::uint64_t limit);

}  // namespace mx::golden
