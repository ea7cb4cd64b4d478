// A sum of products without rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "mx/unpacked.hpp"

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

 private:
  int lowest_;
  std::vector<std::uint64_t> words_;  ///< two's complement, least significant word first
  bool nan_ = false;
  bool positive_inf_ = false;
  bool negative_inf_ = false;
};

}  // namespace mx
