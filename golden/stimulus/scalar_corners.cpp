#include "golden/stimulus/scalar_corners.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "reference/format/integers.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kQuotient = "quotient", kDistance = "distance", kWhole = "whole",
                           kEnd = "end", kEqual = "equal";

std::vector<std::string_view> names_of(ArithmeticOperation operation) {
  switch (kind_of(operation)) {
    case OperationKind::kSelected:
    case OperationKind::kCompared:
      return {kEqual};
    case OperationKind::kToInteger:
      return {kWhole, kEnd};
    default:
      break;
  }
  if (operation == ArithmeticOperation::kRemainder) return {kQuotient, kDistance};
  if (operation == ArithmeticOperation::kRoundToIntegral) return {kWhole};
  return {};
}

}  // namespace

ScalarCorners::ScalarCorners(const ArithmeticCase& what, const OperandKit& kit)
    : kit_(kit),
      names_(names_of(what.operation)),
      integer_bits_(formats::integer(what.arithmetic.integer.type).bits),
      emin_(what.operand().emin()),
      emax_(what.operand().emax()) {}

void ScalarCorners::fill(std::size_t name, std::uint64_t turn, Draw& draw,
                         std::array<std::uint64_t, 3>& operands) const {
  const std::string_view kind = names_[name];
  if (kind == kEqual) {
    operands[0] = draw.small(4) == 0 ? kit_.special(draw) : kit_.any(draw);
    operands[1] = (operands[0] + turn % 3 - 1) & kit_.format().code_mask();
  } else if (kind == kQuotient) {
    quotient(turn, draw, operands);
  } else if (kind == kDistance) {
    const auto low = static_cast<std::uint64_t>(emax_ - emin_ + 1);
    operands[0] = kit_.in_binade(draw, emax_ - static_cast<int>(draw.below(low / 4 + 1)));
    operands[1] = kit_.in_binade(draw, emin_ + static_cast<int>(draw.below(low)));
  } else {
    operands[0] = kind == kWhole ? whole_or_half(draw, turn) : end_of_type(turn);
  }
}

/// x, which may be no value, or the number before or after it; by turns of six with either sign.
std::uint64_t ScalarCorners::beside(const Unpacked& x, std::uint64_t turn) const {
  const std::uint64_t code = kit_.at_or_below(x, turn % 2 != 0);
  return kit_.moved(code, static_cast<int>(turn / 2 % 3) - 1);
}

/// k or k + 1/2 for k of any size.
std::uint64_t ScalarCorners::whole_or_half(Draw& draw, std::uint64_t turn) const {
  const int most = std::clamp(std::min(emax_, kit_.format().man_bits + 2), 0, 61);
  const std::uint32_t bits = draw.small(static_cast<std::uint32_t>(most) + 2);
  const std::uint64_t halves = draw.below(std::uint64_t{2} << bits);
  return beside(unpack_integer(false, halves, -1), turn);
}

/// The halves around 0 and around the powers of two where the type ends.
std::uint64_t ScalarCorners::end_of_type(std::uint64_t turn) const {
  const std::uint64_t place = turn / 6 % 3;
  const int halves = static_cast<int>(turn / 18 % 11) - 5;
  if (place == 0) {
    return beside(unpack_integer(false, static_cast<std::uint64_t>(std::abs(halves)), -1), turn);
  }
  const int exponent = integer_bits_ - (place == 1 ? 1 : 0);
  // Halves, or what 63 bits can hold of them.
  const int unit = std::max(-1, exponent - 62);
  const std::uint64_t power = std::uint64_t{1} << (exponent - unit);
  return beside(unpack_integer(false, power + static_cast<std::uint64_t>(halves), unit), turn);
}

/// A divisor with few bits, and a multiple or an odd multiple of its half.
void ScalarCorners::quotient(std::uint64_t turn, Draw& draw,
                             std::array<std::uint64_t, 3>& operands) const {
  const std::uint64_t divisor = draw.small(2) == 0 ? kit_.sparse(draw) : kit_.smallest(draw);
  operands[1] = divisor;
  const Unpacked b = decode(kit_.format(), divisor);
  if (b.cls != ValueClass::kFinite) {
    operands[0] = kit_.any(draw);
    return;
  }
  const int zeros = std::countr_zero(b.significand);
  const std::uint64_t units = b.significand >> zeros;
  // The product keeps within 63 bits; units have at most 53.
  const std::uint64_t halves = 1 + draw.below(std::uint64_t{1} << draw.between(1, 9));
  operands[0] = beside(unpack_integer(false, units * halves, b.exponent - 64 + zeros), turn);
}

}  // namespace mx::golden
