// Natural numbers of any size, as far as exact decimals need them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mx::cli {

/// An unsigned integer; little-endian 32-bit limbs without leading zeros, none for 0.
class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value);

  [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
  [[nodiscard]] int bit_length() const;
  [[nodiscard]] bool bit(int position) const;
  /// Bits [position, position + 64) as a word.
  [[nodiscard]] std::uint64_t word_at(int position) const;
  /// Is any bit below `position` set?
  [[nodiscard]] bool any_below(int position) const;

  void multiply_add(std::uint32_t factor, std::uint32_t summand);
  void multiply_power(std::uint32_t base, int exponent);
  void shift_left(int count);
  /// Divides by a small number and returns the remainder.
  std::uint32_t divide(std::uint32_t divisor);
  /// this -= other; other must not be greater.
  void subtract(const Natural& other);
  [[nodiscard]] int compare(const Natural& other) const;

  [[nodiscard]] std::string decimal() const;

 private:
  void trim();
  std::vector<std::uint32_t> limbs_;
};

/// numerator / divisor rounded down; the remainder is left in `numerator`. divisor is not 0.
[[nodiscard]] Natural divide(Natural& numerator, const Natural& divisor);

}  // namespace mx::cli
