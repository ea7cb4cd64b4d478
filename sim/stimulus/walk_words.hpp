// Words of a source as walks put them together.
#pragma once

#include <cstdint>

#include "reference/format/format.hpp"

namespace mx::sim {

/// Words of a source with binades: sign, exponent field, fraction.
class Words {
 public:
  explicit Words(const ElementFormat& format) : format_(format) {}

  [[nodiscard]] bool can_walk() const {
    return format_.kind == FormatKind::kFloat && format_.bits <= 32 && format_.exp_bits >= 4 &&
           format_.man_bits >= 2;
  }
  [[nodiscard]] int exponent_bits() const { return format_.exp_bits; }
  [[nodiscard]] int fraction_bits() const { return format_.man_bits; }
  [[nodiscard]] std::uint32_t ones() const { return (1U << fraction_bits()) - 1; }
  /// The exponent field of 1.0, and the one with the uppermost bit alone.
  [[nodiscard]] std::uint32_t middle() const { return static_cast<std::uint32_t>(format_.bias); }
  [[nodiscard]] std::uint32_t top_bit() const { return 1U << (exponent_bits() - 1); }
  [[nodiscard]] std::uint32_t special() const { return (1U << exponent_bits()) - 1; }
  [[nodiscard]] std::uint32_t word(bool negative, std::uint32_t field,
                                   std::uint32_t fraction) const {
    const std::uint32_t sign = negative ? static_cast<std::uint32_t>(format_.sign_bit()) : 0;
    return sign | field << fraction_bits() | fraction;
  }

 private:
  const ElementFormat& format_;
};

}  // namespace mx::sim
