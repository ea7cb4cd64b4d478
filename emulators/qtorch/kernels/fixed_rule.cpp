#include <algorithm>

#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"
#include "reference/arithmetic/arithmetic.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr Bits kHalf = 0x3F000000;

/// 2^exponent in binary64: infinite from 1024 on, 0 below -1074.
Unpacked double_power(std::int64_t exponent) {
  Unpacked x;
  if (exponent < -1074) return x;
  x.cls = exponent > 1023 ? ValueClass::kInf : ValueClass::kFinite;
  x.exponent = static_cast<int>(std::min<std::int64_t>(exponent, 1023));
  x.significand = std::uint64_t{1} << 63;
  return x;
}

Unpacked negated(Unpacked x) {
  x.negative = !x.negative;
  return x;
}

Bits sum(const Unpacked& a, const Unpacked& b) {
  // binary64 in between changes nothing: 2^a - 2^b that binary64 has to round is a power of two in
  // binary32 too.
  return fp32::round(exact_add(a, b, mx::Rounding::kTiesToEven).value);
}

/// ldexp: x * 2^exponent, rounded once.
Bits scaled(Bits x, std::int64_t exponent, Platform platform) {
  if (fp32::is_nan(x)) return platform == Platform::kCuda ? made_nan(platform) : x | 0x00400000;
  Unpacked value = fp32::value(x);
  value.exponent += static_cast<int>(std::clamp<std::int64_t>(exponent, -2000, 2000));
  return fp32::round(value);
}

/// An integer below 2^24 as a pattern; zero with the sign asked for.
Bits from_integer(std::int64_t integer, bool is_zero_negative) {
  if (integer == 0) return is_zero_negative ? fp32::kSignBit : 0;
  const Bits magnitude =
      assembled(static_cast<std::uint32_t>(integer < 0 ? -integer : integer), 150);
  return integer < 0 ? magnitude | fp32::kSignBit : magnitude;
}

/// nearbyint(y - 0.5), the subtraction in binary64.
Bits rounded_below_half(Bits y) {
  const Bits magnitude = magnitude_of(y);
  const bool is_negative = sign_of(y) != 0;
  const int field = exponent_field(y);
  if (field >= 151) return y;
  const Parts parts = parts_of(magnitude);
  const int shift = 150 - parts.field;
  const std::uint32_t whole = shift > 31 ? 0 : parts.significand >> shift;
  const bool is_integer = shift > 31 ? magnitude == 0 : whole << shift == parts.significand;
  std::int64_t floor = is_negative ? -static_cast<std::int64_t>(whole) - (is_integer ? 0 : 1)
                                   : static_cast<std::int64_t>(whole);
  if (is_integer && (floor & 1) != 0) --floor;
  // From -2^-54 on binary64 rounds y - 1/2 to the tie.
  constexpr Bits kTiny = 0x24800000;
  if (is_negative && magnitude <= kTiny) floor = 0;
  return from_integer(floor, is_negative || magnitude < kHalf);
}

/// CUDA's roundf: ties away from zero.
Bits rounded_away(Bits a) {
  const Bits magnitude = magnitude_of(a);
  if (exponent_field(a) >= 150) return a;
  const Parts parts = parts_of(magnitude);
  const int shift = 150 - parts.field;
  const std::uint32_t half = shift > 25 ? 0 : std::uint32_t{1} << (shift - 1);
  const std::uint32_t whole = shift > 25 ? 0 : (parts.significand + half) >> shift;
  return sign_of(a) | assembled(whole, 150);
}

}  // namespace

FixedLimits limits_by_rule(const FixedCall& call, Platform platform) {
  const auto limit = [platform](Bits x) { return fp32::is_nan(x) ? made_nan(platform) : x; };
  const Bits widest = fp32::round(double_power(call.wl - call.fl - 1));
  const Unpacked step = double_power(-call.fl);
  const Bits lowest = widest | fp32::kSignBit;
  return {.least = limit(call.symmetric ? sum(fp32::value(lowest), step) : lowest),
          .most = limit(sum(fp32::value(widest), negated(step)))};
}

FixedResult fixed_by_rule(const FixedCall& call, Platform platform, Bits x, std::uint32_t random) {
  const SoftMachine machine{platform};
  Bits a = scaled(x, call.fl, platform);
  if (call.rounding == Rounding::kStochastic) {
    // r = k * 2^-24.
    a = rounded_below_half(machine.add(a, assembled(random & 0x00FFFFFF, 126)));
  } else if (platform == Platform::kCuda) {
    a = rounded_away(a);
  } else {
    a = rounded_below_half(machine.add(a, kHalf));
  }
  const Bits value = scaled(a, -call.fl, platform);
  if (!call.clamp || fp32::is_nan(value)) return {value, false};
  const FixedLimits limits = limits_by_rule(call, platform);
  if (!fp32::is_nan(limits.most) && is_below(limits.most, value)) return {limits.most, true};
  if (!fp32::is_nan(limits.least) && is_below(value, limits.least)) return {limits.least, true};
  return {value, false};
}

}  // namespace mx::emulators::qtorch
