// Results of operations before they are rounded to a format.
#pragma once

#include "oracle/number/number.hpp"
#include "oracle/number/value.hpp"

namespace mx::oracle {

/// An exact result: an extended real whose finite magnitude is a rational. The square root of a
/// number that is not a square is represented by a rational closer to it than any step, midpoint or
/// 2^-64 part of a gap of a format of at most 64 bits.
struct Exact {
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool invalid = false;
  bool divide_by_zero = false;  ///< a finite nonzero number divided by zero
  bool inexact = false;         ///< the operation itself rounds: to an integer
  Rational magnitude = 0;
};

/// The value of a code, exactly (arithmetic.cpp).
[[nodiscard]] Exact from_real(const Real& x);

[[nodiscard]] inline Exact negated(Exact x) {
  x.negative = !x.negative;
  return x;
}

[[nodiscard]] inline Rational signed_value(const Exact& x) {
  return x.negative ? Rational(-x.magnitude) : x.magnitude;
}

[[nodiscard]] inline bool is_zero(const Exact& x) {
  return x.kind == Kind::kFinite && x.magnitude == 0;
}

}  // namespace mx::oracle
