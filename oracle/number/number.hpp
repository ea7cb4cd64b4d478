// Exact numbers the oracle computes with. A Field offers one representation of the non-negative
// dyadic rationals; the ladder is written once for all of them.
//
//   RationalField   cpp_rational: the specification, no range limit, slow
//   TickField       integers in units of 2^-320, 512 bits, overflow throws: binary32 and narrower
//                   sources under any block scale, an order of magnitude faster
//   WideTickField   integers in units of 2^-1400, unbounded: binary64 sources
//   FarTickField    integers in units of 2^-40000: P3109 formats of little precision, whose
//                   exponents reach 2^14; its ladders are computed, not kept as tables
//
// All of them are et_off number types: an expression is a number, so nothing dangles.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace mx::oracle {

namespace mp = boost::multiprecision;

using Integer = mp::number<mp::cpp_int_backend<>, mp::et_off>;
using Rational = mp::number<mp::cpp_rational_backend, mp::et_off>;
using Ticks = mp::number<mp::cpp_int_backend<512, 512, mp::unsigned_magnitude, mp::checked, void>,
                         mp::et_off>;

/// floor(part * 2^shift / whole) and whether the division leaves a rest.
struct ScaledFloor {
  std::uint64_t floor = 0;
  bool rest = false;
};

struct RationalField {
  using Number = Rational;
  static constexpr bool kTabulated = true;  ///< a ladder may keep all its values
  /// significand * 2^exponent
  static Number make(std::uint64_t significand, int exponent) {
    const Integer one = 1;
    if (exponent >= 0) return Rational(Integer(Integer(significand) << exponent));
    return Rational(Integer(significand), Integer(one << -exponent));
  }
  static Number half(const Number& x) { return x / 2; }
  static ScaledFloor scaled_floor(const Number& part, const Number& whole, int shift) {
    const Rational ratio = part * Rational(Integer(Integer(1) << shift)) / whole;
    const Integer numerator = mp::numerator(ratio);
    const Integer denominator = mp::denominator(ratio);
    const Integer quotient = numerator / denominator;
    return {static_cast<std::uint64_t>(quotient), quotient * denominator != numerator};
  }
};

template <class Int, int kUnit>
struct BasicTickField {
  using Number = Int;
  static constexpr bool kTabulated = kUnit < 10000;
  static Number make(std::uint64_t significand, int exponent) {
    const int shift = exponent + kUnit;
    if (shift >= 0) return Number(significand) << static_cast<unsigned>(shift);
    // Only values that are whole numbers of ticks exist here.
    if (shift <= -64 ? significand != 0 : (significand >> -shift) << -shift != significand) {
      throw std::range_error("a value below the oracle's tick");
    }
    return shift > -64 ? Number(significand >> -shift) : Number(0);
  }
  static Number half(const Number& x) { return x >> 1; }
  static ScaledFloor scaled_floor(const Number& part, const Number& whole, int shift) {
    const Number numerator = part << static_cast<unsigned>(shift);
    const Number quotient = numerator / whole;
    return {static_cast<std::uint64_t>(quotient), quotient * whole != numerator};
  }
};

using TickField = BasicTickField<Ticks, 320>;
using WideTickField = BasicTickField<Integer, 1400>;
using FarTickField = BasicTickField<Integer, 40000>;

}  // namespace mx::oracle
