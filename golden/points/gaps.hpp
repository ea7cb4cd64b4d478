// Where rounding decides: the destination's values and the gaps between them, from decoded codes
// alone, and the source codes next to any point of a gap. Nothing here rounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// The gap above a destination value: the value is units * 2^exponent, the next (units + 1) *
/// 2^exponent. Every gap between neighbours is a power of two.
struct Gap {
  std::uint64_t units = 0;
  int exponent = 0;
};

/// The gaps of a format's magnitudes in order. The last starts at the largest value and ends where
/// the ladder would go on with an unbounded exponent range (480 for e4m3fn): spec V5.1.
/// Formats of more than 2048 magnitudes are thinned to every exponent with some significands,
/// integers and fixed point of 2^20 or more to every power of two with some values above it.
class FormatGaps {
 public:
  explicit FormatGaps(const ElementFormat& format);
  [[nodiscard]] std::span<const Gap> gaps() const { return gaps_; }
  /// The gap above code 0, the one above the smallest normal value, and the last one.
  [[nodiscard]] const Gap& first() const { return gaps_.front(); }
  [[nodiscard]] const Gap& normal() const { return gaps_[normal_]; }
  [[nodiscard]] const Gap& last() const { return gaps_.back(); }

 private:
  std::vector<Gap> gaps_;
  std::size_t normal_ = 0;
};

/// The point of a gap at fraction numerator / 2^bits (0 .. 1), bits at most 10: exact.
[[nodiscard]] Unpacked point(const Gap& gap, std::uint64_t numerator, int bits);
[[nodiscard]] inline Unpacked start_of(const Gap& gap) { return point(gap, 0, 1); }
[[nodiscard]] inline Unpacked midpoint(const Gap& gap) { return point(gap, 1, 1); }
[[nodiscard]] inline Unpacked end_of(const Gap& gap) { return point(gap, 2, 1); }
/// The same times 2^shift.
[[nodiscard]] Unpacked scaled(Unpacked value, int shift);

/// The finite magnitudes of a source format, counted from 0 in the order of their values. A count
/// is the magnitude's code except in tapered formats, whose codes are not in that order.
class SourceGrid {
 public:
  explicit SourceGrid(const ElementFormat& format);
  [[nodiscard]] const ElementFormat& format() const { return format_; }
  [[nodiscard]] std::uint64_t max() const {
    return order_.empty() ? format_.max_code : order_.size() - 1;
  }
  /// The largest magnitude whose value is at most |value| (0 if there is none).
  [[nodiscard]] std::uint64_t floor(const Unpacked& value) const;
  /// Is |value| exactly that of a magnitude?
  [[nodiscard]] bool holds(const Unpacked& value) const;
  /// The code of a magnitude with a sign; unsigned formats have one sign only.
  [[nodiscard]] std::uint64_t code(bool negative, std::uint64_t magnitude) const;
  /// NaN and Inf codes, each sign and kind that exists.
  [[nodiscard]] std::vector<std::uint64_t> nans() const;
  [[nodiscard]] std::vector<std::uint64_t> infinities() const;

 private:
  [[nodiscard]] std::uint64_t floor_by_bits(const Unpacked& value) const;

  ElementFormat format_;
  std::vector<std::uint64_t> order_ = {};  ///< tapered formats: magnitude to code
  bool plain_;  ///< codes are exponent field and significand, subnormals included
};

/// R*, the smallest of 2^N random words that moves a value up, or 2^N if none does: 2^N less the
/// number of words that do, by variant (spec V5.6). `value` lies in the gap.
[[nodiscard]] std::uint64_t first_random_up(Rounding variant, int random_bits,
                                            const Unpacked& value, const Gap& gap);

}  // namespace mx::golden
