#include "emulators/aimet/element/logarithm.hpp"

#include <bit>

#include "reference/arithmetic/fp32.hpp"

namespace mx::emulators::aimet {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr Uint128 word(std::uint64_t high, std::uint64_t low) {
  return static_cast<Uint128>(high) << 64 | low;
}

/// floor(a * b / 2^128).
Uint128 product_high(Uint128 a, Uint128 b) {
  const auto low = [](Uint128 x) { return static_cast<std::uint64_t>(x); };
  const auto high = [](Uint128 x) { return static_cast<std::uint64_t>(x >> 64); };
  const auto times = [](std::uint64_t x, std::uint64_t y) { return static_cast<Uint128>(x) * y; };
  const Uint128 cross_a = times(high(a), low(b)), cross_b = times(low(a), high(b));
  const Uint128 middle = (times(low(a), low(b)) >> 64) + low(cross_a) + low(cross_b);
  return times(high(a), high(b)) + high(cross_a) + high(cross_b) + (middle >> 64);
}

/// A magnitude fixed * 2^-120, sticky: the true one lies within a few units of the last place.
Unpacked from_fixed(bool negative, Uint128 fixed, bool exact) {
  Unpacked x;
  x.negative = negative;
  if (fixed == 0) return x;
  const auto top = static_cast<std::uint64_t>(fixed >> 64);
  const int zeros =
      top != 0 ? std::countl_zero(top) : 64 + std::countl_zero(static_cast<std::uint64_t>(fixed));
  const Uint128 normal = fixed << zeros;
  x.cls = ValueClass::kFinite;
  x.significand = static_cast<std::uint64_t>(normal >> 64);
  x.sticky = !exact || static_cast<std::uint64_t>(normal) != 0;
  x.exponent = 7 - zeros;
  return x;
}

constexpr Uint128 kLn2 = word(0xB17217F7D1CF79AB, 0xC9E3B39803F2F6AF);  // 2^128 units

}  // namespace

Unpacked log2(const Unpacked& x) {
  // The digits of log2 of a significand in [1, 2), here in units of 2^-127: square; beyond 2 the
  // digit is one, and the half goes on.
  Uint128 power = static_cast<Uint128>(x.significand) << 64;
  const bool is_power = x.significand == std::uint64_t{1} << 63;
  Uint128 digits = 0;
  for (int i = 0; i < 120 && !is_power; ++i) {
    power = product_high(power, power);  // units of 2^-126: one in the top bit is two or more
    digits = digits << 1 | power >> 127;
    if (power >> 127 == 0) power <<= 1;
  }
  const auto whole = static_cast<Uint128>(x.exponent < 0 ? -x.exponent : x.exponent) << 120;
  const bool negative = x.exponent < 0;
  return from_fixed(negative, negative ? whole - digits : whole + digits, is_power);
}

Unpacked exp2(const Unpacked& x) {
  if (x.cls == ValueClass::kZero) return unpack_integer(false, 1, 0);
  // x = whole + fraction, the fraction in [0, 1) in units of 2^-128.
  const Uint128 wide = static_cast<Uint128>(x.significand) << 64;  // x * 2^(127 - exponent)
  int whole = x.exponent < 0 ? 0 : static_cast<int>(wide >> (127 - x.exponent));
  Uint128 fraction = 0;
  if (x.exponent >= 0) {
    fraction = wide << (x.exponent + 1);
  } else if (x.exponent > -129) {
    fraction = wide >> (-1 - x.exponent);
  }
  const bool exact = fraction == 0 && x.exponent >= 0;
  if (x.negative) {
    whole = exact ? -whole : -whole - 1;
    fraction = exact ? 0 : fraction == 0 ? ~Uint128{0} : -fraction;
  }
  // The series of e^(fraction * ln 2) in units of 2^-127.
  const Uint128 exponent = product_high(fraction, kLn2);
  Uint128 sum = Uint128{1} << 127, term = sum;
  for (unsigned n = 1; term != 0; ++n) {
    term = product_high(term, exponent) / n;
    sum += term;
  }
  Unpacked result = from_fixed(false, sum, exact);
  result.exponent = whole + (sum >> 127 == 0 ? -1 : 0);
  return result;
}

std::uint32_t log2_fp32(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~fp32::kSignBit;
  if (magnitude == 0) return fp32::kSignBit | fp32::kInfinity;
  if (magnitude >= fp32::kInfinity) return magnitude;
  return fp32::round(log2(fp32::value(magnitude)));
}

std::uint32_t exp2_fp32(std::uint32_t x) {
  if (fp32::is_nan(x)) return x;
  if ((x & ~fp32::kSignBit) == fp32::kInfinity) return x == fp32::kInfinity ? x : 0;
  // Beyond 2^9 the result has left binary32 on either side.
  const std::uint32_t far = 0x44000000;
  if ((x & ~fp32::kSignBit) > far) return x < fp32::kSignBit ? fp32::kInfinity : 0;
  return fp32::round(exp2(fp32::value(x)));
}

}  // namespace mx::emulators::aimet
