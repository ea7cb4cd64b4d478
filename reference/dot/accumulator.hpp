// A sum of products without rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/number/unpacked.hpp"

namespace mx {

/// An exact signed fixed-point sum of finite terms, with the extended-real rules for Inf and NaN: a
/// NaN term, or infinities of both signs, make the sum NaN. The range is chosen at construction.
class ExactSum {
 public:
  /// Terms are multiples of 2^lowest below 2^(highest + 1) in magnitude; up to 2^32 of them fit.
  ExactSum(int lowest, int highest);

  void clear();

  /// Adds an exact value (sticky clear) whose significand bits all lie at or above 2^lowest.
  void add(const Unpacked& term);

  /// The sum: NaN, an infinity, +0 for an exact zero sum, or the value, sticky where it needs more
  /// than 64 significand bits.
  [[nodiscard]] Unpacked value() const;

  /// The sum over an exact finite divisor that is not zero, one rational: sticky where the quotient
  /// needs more than 64 bits.
  [[nodiscard]] Unpacked value_over(const Unpacked& divisor) const;

 private:
  [[nodiscard]] bool is_special() const { return nan_ || positive_inf_ || negative_inf_; }
  [[nodiscard]] bool is_negative() const { return (words_.back() >> 63) != 0; }
  [[nodiscard]] std::vector<std::uint64_t> magnitude() const;

  int lowest_;
  std::vector<std::uint64_t> words_;  ///< two's complement, least significant word first
  bool nan_ = false;
  bool positive_inf_ = false;
  bool negative_inf_ = false;
};

/// words * 2^lowest (least significant word first) as an Unpacked; `rest`: the magnitude lies
/// between this one and the next.
[[nodiscard]] Unpacked unpack_words(bool negative, const std::vector<std::uint64_t>& words,
                                    int lowest, bool rest);

}  // namespace mx
