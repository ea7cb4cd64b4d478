// Soft-float arithmetic on any descriptor of at most 53 bits of precision: each operation computes
// the exact real result and rounds it once, in any deterministic rounding. Integers only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/arithmetic/exact.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"

namespace mx {

/// The operations on codes of one format under one policy. The default policy of an IEEE machine is
/// ieee(): overflow to infinity, quiet NaN.
struct Arithmetic {
  ElementFormat format;
  ElementPolicy policy;
  IntegerConversion integer = {};  ///< of to_integer and from_integer

  /// IEEE 754 behaviour: none_inf_or_nan, canonical NaN, -0 kept.
  [[nodiscard]] static Arithmetic ieee(const ElementFormat& format,
                                       Rounding rounding = Rounding::kTiesToEven);

  /// Why the operations cannot be computed ("" if they can): an invalid descriptor, more than 53
  /// bits of precision, a stochastic rounding, staged or flushed sources, a format that is no
  /// float.
  [[nodiscard]] std::string_view problem() const;

  /// Of what the operands and the result of an operation are codes: `format`, but for integers and
  /// truth values.
  [[nodiscard]] const ElementFormat& operand_format(ArithmeticOperation operation) const;
  [[nodiscard]] const ElementFormat& result_format(ArithmeticOperation operation) const;

  /// One of the operations; operands.size() is operands_of(operation). A comparison gives 1 where
  /// it holds; comparisons and to_integer look at no policy but the rounding.
  [[nodiscard]] Encoded operator()(ArithmeticOperation operation,
                                   std::span<const std::uint64_t> operands) const;

  [[nodiscard]] Encoded add(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded subtract(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded multiply(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded divide(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) const;
  [[nodiscard]] Encoded sqrt(std::uint64_t a) const;
  [[nodiscard]] Encoded remainder(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] Encoded round_to_integral(std::uint64_t a) const;
  [[nodiscard]] Encoded from_integer(std::uint64_t a) const;

 private:
  [[nodiscard]] Encoded finish(const RealResult& result) const;
};

}  // namespace mx
