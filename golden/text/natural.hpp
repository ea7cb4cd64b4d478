// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any length: what the decimals of a value, and the value of decimals, take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mx::golden {

/// Words of 32 bits, the lowest first, none of them a leading zero.
class Natural {
 public:
  explicit Natural(std::uint64_t value = 0);

  [[nodiscard]] bool is_zero() const { return words_.empty(); }
  /// Bits from the highest one that is set; 0 for zero.
  [[nodiscard]] int bits() const;

  /// this = this * factor + added.
  void multiply(std::uint32_t factor, std::uint32_t added = 0);
  void multiply_by_power_of_5(int exponent);
  /// this = floor(this / divisor); the remainder.
  std::uint32_t divide(std::uint32_t divisor);
  /// this = floor(this / 5^exponent). Is there a remainder?
  bool divide_by_power_of_5(int exponent);
  void shift_left(int places);

  /// The 64 bits from bit `place` on, which may lie below 0; what is below bit 0 is zero.
  [[nodiscard]] std::uint64_t word_at(int place) const;
  /// Is any bit below bit `place` set?
  [[nodiscard]] bool has_bits_below(int place) const;

  [[nodiscard]] std::string decimal() const;

 private:
  void drop_zeros();
  [[nodiscard]] bool bit(int place) const;

  std::vector<std::uint32_t> words_;
};

}  // namespace mx::golden
