// The little of binary64 that size properties need: sums and quotients of small numbers, and the
// shortest decimal digits that read back as the same number.
#pragma once

#include <cstdint>
#include <string>

namespace mx::emulators::dmx {

/// A positive normal binary64 number: significand * 2^exponent, significand in [2^52, 2^53).
class Binary64 {
 public:
  /// numerator / denominator, rounded once. Both positive, below 2^53.
  [[nodiscard]] static Binary64 ratio(std::uint64_t numerator, std::uint64_t denominator);

  [[nodiscard]] Binary64 operator+(const Binary64& other) const;
  [[nodiscard]] Binary64 times_power(int exponent) const {
    return Binary64(significand_, exponent_ + exponent);
  }
  [[nodiscard]] Binary64 over(std::uint64_t denominator) const;

  /// As Python prints it. For values in [2^-20, 2^20).
  [[nodiscard]] std::string text() const;

 private:
  Binary64(std::uint64_t significand, int exponent)
      : significand_(significand), exponent_(exponent) {}

  std::uint64_t significand_;
  int exponent_;
};

}  // namespace mx::emulators::dmx
