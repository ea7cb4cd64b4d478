// Soft-float arithmetic on any descriptor of at most 53 bits of precision: each operation computes
// the exact real result and rounds it once, in any deterministic rounding. Integers only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/element/encode.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/operation.hpp"

namespace mx {

/// An exact result before rounding. A result wider than 64 significand bits is cut there and marked
/// sticky, which is exact enough for one rounding to 62 bits or fewer; stochastic roundings of such
/// results see 64 - precision random bits at most.
struct RealResult {
  Unpacked value;
  bool invalid = false;         ///< no real result: Inf - Inf, 0 * Inf, 0 / 0, sqrt(-1), ...
  bool divide_by_zero = false;  ///< a finite nonzero number divided by zero: an exact infinity
};

/// Operands are exact (sticky clear). A NaN operand gives a NaN with that operand's sign, the first
/// one first; invalid is set for a signalling NaN. An exact zero sum of opposite signs is -0 under
/// toward_negative, +0 otherwise (IEEE 754-2019 section 6.3).
[[nodiscard]] RealResult exact_add(const Unpacked& a, const Unpacked& b, Rounding rounding);
[[nodiscard]] RealResult exact_multiply(const Unpacked& a, const Unpacked& b);
[[nodiscard]] RealResult exact_fma(const Unpacked& a, const Unpacked& b, const Unpacked& c,
                                   Rounding rounding);
[[nodiscard]] RealResult exact_divide(const Unpacked& a, const Unpacked& b);
[[nodiscard]] RealResult exact_sqrt(const Unpacked& a);

/// The six operations on codes of one format under one policy. The default policy of an IEEE
/// machine is ieee(): overflow to infinity, quiet NaN.
struct Arithmetic {
  ElementFormat format;
  ElementPolicy policy;

  /// IEEE 754 behaviour: none_inf_or_nan, canonical NaN, -0 kept.
  [[nodiscard]] static Arithmetic ieee(const ElementFormat& format,
                                       Rounding rounding = Rounding::kTiesToEven);

  /// Why the operations cannot be computed ("" if they can): an invalid descriptor, more than 53
  /// bits of precision, a stochastic rounding, staged or flushed sources, a format that is no
  /// float.
  [[nodiscard]] std::string_view problem() const;

  /// One of the operations; operands.size() is operands_of(operation).
  [[nodiscard]] Encoded operator()(ArithmeticOperation operation,
                                   std::span<const std::uint64_t> operands) const;

  [[nodiscard]] Encoded add(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded subtract(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded multiply(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded divide(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) const;
  [[nodiscard]] Encoded sqrt(std::uint64_t a) const;

 private:
  [[nodiscard]] Encoded finish(const RealResult& result) const;
};

}  // namespace mx
