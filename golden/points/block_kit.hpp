// The pieces blocks are made of, for one source and one element format: magnitudes next to each
// element threshold under a chosen scale, the largest magnitude that gives that scale, and lesser
// magnitudes to fill the other lanes with. Nothing here rounds or chooses a scale.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "golden/points/gaps.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// One lane: a source code and its random word.
struct Lane {
  std::uint64_t code = 0;
  std::uint32_t random = 0;
  auto operator<=>(const Lane&) const = default;
};

class BlockKit {
 public:
  /// `source` has the IEEE layout (fp32, bf16, fp16).
  BlockKit(const ElementFormat& source, const ElementFormat& element);

  [[nodiscard]] const SourceGrid& grid() const { return grid_; }
  [[nodiscard]] const FormatGaps& ladder() const { return ladder_; }
  [[nodiscard]] const ElementFormat& element() const { return element_; }

  /// The largest magnitude code whose block maximum gives the scale 2^t under a rule; nothing if no
  /// source value does. From the definitions of spec F11.2, by value.
  [[nodiscard]] std::optional<std::uint64_t> pin(ScaleRule rule, int t) const;
  /// The exponents t for which pin() has an answer, least and greatest, within the scale format.
  [[nodiscard]] int lowest_scale(ScaleRule rule) const;
  [[nodiscard]] int highest_scale(ScaleRule rule) const;
  /// A scale in the middle: 0 where that can be had.
  [[nodiscard]] int middle_scale(ScaleRule rule) const;

  /// Magnitude codes at, one below and up to two above a point of a gap times 2^t.
  void append_near(const Unpacked& at, int t, std::vector<std::uint64_t>& magnitudes) const;
  /// All element thresholds (codes and midpoints) times 2^t with their neighbours, ascending, each
  /// once, none above `limit`.
  [[nodiscard]] std::vector<std::uint64_t> thresholds(int t, std::uint64_t limit) const;
  /// The same with a single bit walking below the last place of each.
  [[nodiscard]] std::vector<std::uint64_t> sticky(int t, std::uint64_t limit) const;

  /// A random magnitude `distance` binades under `magnitude` (some lesser one where that is
  /// subnormal), its significand from the low 23 bits of a drawn word.
  [[nodiscard]] std::uint64_t below(std::uint32_t word, std::uint64_t magnitude,
                                    int distance) const;
  /// How many binades a lane of ordinary data lies under the maximum, 0 .. 8: 0 with probability
  /// 1/2, 1 with 1/4, ... From bits 30:23 of a drawn word; bit 31 is left for the sign.
  [[nodiscard]] static int near_distance(std::uint32_t word);
  /// The farthest spread that still changes an element: p + 4 and the element range + 4.
  [[nodiscard]] int widest_spread() const;

 private:
  /// The bound of pin(): scale 2^t needs amax below it, or at it where inclusive.
  struct Bound {
    Unpacked value;
    bool inclusive = false;
  };
  [[nodiscard]] Bound bound(ScaleRule rule, int t) const;
  [[nodiscard]] std::uint64_t largest_within(const Bound& bound) const;

  SourceGrid grid_;
  ElementFormat element_;
  FormatGaps ladder_;
};

/// Can the exact stimulus of MX blocks be made: maxima at every point where one of the rules floor,
/// ceil, rceil, even_up and even_down changes an e8m0 scale, elements at every threshold under it?
[[nodiscard]] bool has_exact_stimulus(const QuantizerConfig& config);

}  // namespace mx::golden
