// Numbers inside a matrix unit: integers at a weight, with the exponent that they are aligned by.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/unit/unit_dot.hpp"

namespace mx::unit {

/// magnitude * 2^last, aligned by `exponent`: that of its format's fields, not of its leading one.
struct Term {
  bool negative = false;
  std::uint64_t magnitude = 0;
  int last = 0;
  int exponent = 0;
};

/// The terms of one step, and what is no number among them.
struct Terms {
  std::vector<Term> numbers;  ///< none is zero
  bool has_zero = false;      ///< was a product, or C, zero?
  bool has_nan = false;
  bool has_positive_inf = false;
  bool has_negative_inf = false;

  void add_infinity(bool negative) { (negative ? has_negative_inf : has_positive_inf) = true; }
  [[nodiscard]] bool is_nan() const { return has_nan || (has_positive_inf && has_negative_inf); }
  [[nodiscard]] bool is_special() const { return is_nan() || has_positive_inf || has_negative_inf; }
};

/// The largest exponent of the numbers; nothing where there is none.
[[nodiscard]] inline std::optional<int> largest_exponent(const Terms& terms) {
  std::optional<int> largest;
  for (const Term& term : terms.numbers) {
    largest = std::max(largest.value_or(term.exponent), term.exponent);
  }
  return largest;
}

/// A finite number that is not zero, subnormals of the format at an exponent of at least `emin`.
[[nodiscard]] inline Term term_of(const Unpacked& x, int emin) {
  const int trailing = std::countr_zero(x.significand);
  return {.negative = x.negative,
          .magnitude = x.significand >> trailing,
          .last = x.exponent - 63 + trailing,
          .exponent = std::max(x.exponent, emin)};
}

/// Cuts a term to a multiple of 2^unit, the result in those units; bits below are dropped from the
/// magnitude.
[[nodiscard]] inline std::int64_t cut_toward_zero(const Term& term, int unit) {
  const int shift = term.last - unit;
  const std::uint64_t kept = shift >= 0    ? term.magnitude << shift
                             : shift > -64 ? term.magnitude >> -shift
                                           : 0;
  return term.negative ? -static_cast<std::int64_t>(kept) : static_cast<std::int64_t>(kept);
}

/// value * 2^from as a multiple of 2^to, rounded toward negative; the result in those units.
[[nodiscard]] inline std::int64_t floor_to(std::int64_t value, int from, int to) {
  const int shift = from - to;
  if (shift >= 0) return value << shift;
  return shift > -63 ? value >> -shift : value < 0 ? -1 : 0;
}

/// value * 2^last.
[[nodiscard]] inline Unpacked unpack_signed(std::int64_t value, int last) {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  return unpack_integer(negative, negative ? 0 - bits : bits, last);
}

/// All ones below the sign: the NaN of NVIDIA's units.
[[nodiscard]] inline std::uint64_t ones(const ElementFormat& format) {
  return format.magnitude_mask();
}

/// The unit's code of a NaN.
[[nodiscard]] std::uint64_t nan_code(const UnitConfig& config);

/// The result of a step that holds NaN or infinities.
[[nodiscard]] std::uint64_t special_code(const UnitConfig& config, const Terms& terms);

/// The product of element i of the two sides, added to the terms. `emin` stands for the smallest
/// exponent that a factor may have, that of its format where nothing is given.
void add_product(const UnitConfig& config, const DotOperand& a, const DotOperand& b, std::size_t i,
                 std::optional<int> emin, Terms& terms);
/// A code of the result's format, as one of the terms.
void add_code(const ElementFormat& format, std::uint64_t code, Terms& terms);

/// The terms of one step of NVIDIA's units, cut to one alignment and added: the code of the result,
/// spec U1, steps 2 to 6.
[[nodiscard]] std::uint64_t add_terms(const UnitConfig& config, const Terms& terms);

// The ways to sum, one of reference/unit/*.cpp each: the code of D.
[[nodiscard]] std::uint64_t sum_aligned(const UnitConfig& config, const DotOperand& a,
                                        const DotOperand& b, std::uint64_t c);
[[nodiscard]] std::uint64_t sum_pairs_then_c(const UnitConfig& config, const DotOperand& a,
                                             const DotOperand& b, std::uint64_t c);
[[nodiscard]] std::uint64_t sum_scaled_groups(const UnitConfig& config, const DotOperand& a,
                                              const DotOperand& b, std::uint64_t c);
[[nodiscard]] std::uint64_t sum_exactly(const UnitConfig& config, const DotOperand& a,
                                        const DotOperand& b, std::uint64_t c);
[[nodiscard]] std::uint64_t sum_tree(const UnitConfig& config, const DotOperand& a,
                                     const DotOperand& b, std::uint64_t c);
[[nodiscard]] std::uint64_t sum_in_two_stages(const UnitConfig& config, const DotOperand& a,
                                              const DotOperand& b, std::uint64_t c);

}  // namespace mx::unit
