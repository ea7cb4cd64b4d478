// Operands of matrix units, a class each, from codes: near exponents, all of them, both ends of the
// range, specials, zeros, sums that cancel, products at the smallest results.
#pragma once

#include <array>
#include <vector>

#include "reference/unit/unit_dot.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

enum class UnitClass : std::uint8_t {
  kNear,
  kWide,
  kBottom,
  kTop,
  kSpecial,
  kZeros,
  kCancel,
  kFloor
};
inline constexpr std::array kUnitClasses = {
    UnitClass::kNear,    UnitClass::kWide,  UnitClass::kBottom, UnitClass::kTop,
    UnitClass::kSpecial, UnitClass::kZeros, UnitClass::kCancel, UnitClass::kFloor};

/// The operands of one dot product.
struct UnitOperands {
  std::vector<std::uint64_t> a, b, a_scales, b_scales;
  std::uint64_t c = 0;

  [[nodiscard]] DotOperand left() const { return {.scales = a_scales, .codes = a}; }
  [[nodiscard]] DotOperand right() const { return {.scales = b_scales, .codes = b}; }
};

/// A finite code whose exponent field lies in [low, high], within the format.
std::uint64_t code_between(const ElementFormat& format, int low, int high, Stream& stream);
UnitOperands make_unit_operands(UnitClass what, const UnitConfig& config, std::size_t elements,
                                Stream& stream);

/// Every unit with every pair of formats, scales and results that it takes.
std::vector<UnitConfig> all_unit_configs();

/// The unit, its formats, scales and result: "h100_f16 fp16 * fp16 -> fp32".
std::string text_of(const UnitConfig& config);

}  // namespace mx::oracle
