// Whole blocks of short codes to nearest: the code by integers, its pattern from a table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/systems/dmx/kernel/patterns.hpp"

namespace mx::systems::dmx {

/// Codes of `word_length` bits, sign included, in steps of 2^(2 - word_length) of a block's power
/// of two. For word lengths 2 to 12.
class BlockTable {
 public:
  static constexpr int kMost = 12;

  BlockTable() = default;
  BlockTable(int word_length, bool symmetric) : word_length_(word_length) {
    const int limit = 1 << (word_length - 1);
    for (int code = -limit; code <= limit; ++code) {
      int held = code == limit ? limit - 1 : code;
      if (symmetric && held == -limit) held = 1 - limit;
      const auto magnitude = static_cast<Bits>(held < 0 ? -held : held);
      const Bits sign = held < 0 ? fp32::kSignBit : 0;
      patterns_.push_back(held == 0 ? 0 : exact_pattern(sign, magnitude, 2 - word_length));
    }
  }

  /// Is this power, by its exponent field, one whose codes are all normal numbers?
  [[nodiscard]] bool takes(int power_field) const {
    return !patterns_.empty() && power_field - word_length_ + 2 >= 1 && power_field <= 252;
  }

  /// The package's two roundings, first in steps of 2^-21 of the power.
  void round_twice(std::span<const Bits> x, int power_field, std::span<Bits> out) const {
    constexpr std::int32_t kBase = 6 << 21;
    const int dropped = 23 - word_length_;
    const std::int32_t half = (1 << (dropped - 1)) - 1;
    const Bits* const codes = middle();
    const Bits moved = static_cast<Bits>(power_field - 127) << 23;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto steps = static_cast<std::int32_t>(shifted(x[i], power_field + 2));
      const std::int32_t sum = kBase + (static_cast<std::int32_t>(x[i]) < 0 ? -steps : steps);
      const Bits pattern =
          codes[((sum + half + (sum >> dropped & 1)) >> dropped) - (kBase >> dropped)];
      out[i] = pattern == 0 ? 0 : pattern + moved;
    }
  }

  /// One exact rounding.
  void round_once(std::span<const Bits> x, int power_field, std::span<Bits> out) const {
    const Bits* const codes = middle();
    const Bits moved = static_cast<Bits>(power_field - 127) << 23;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto code = static_cast<std::int32_t>(shifted(x[i], power_field + 25 - word_length_));
      const std::int32_t sign = static_cast<std::int32_t>(x[i]) >> 31;  // 0 or -1
      const Bits pattern = codes[(code ^ sign) - sign];
      out[i] = pattern == 0 ? 0 : pattern + moved;
    }
  }

 private:
  [[nodiscard]] const Bits* middle() const {
    return patterns_.data() + (std::ptrdiff_t{1} << (word_length_ - 1));
  }

  /// The significand of x divided by 2^(top - exponent field), at least by 4, ties to even.
  static Bits shifted(Bits x, int top) {
    const int field = exponent_field(x);
    const Bits m = (x & kFraction) | (field != 0 ? kHidden : 0);
    const int wanted = top - (field != 0 ? field : 1);
    const int shift = wanted < 31 ? wanted : 31;
    return (m + (Bits{1} << (shift - 1)) - 1 + (m >> shift & 1)) >> shift;
  }

  int word_length_ = 0;
  std::vector<Bits> patterns_;
};

}  // namespace mx::systems::dmx
