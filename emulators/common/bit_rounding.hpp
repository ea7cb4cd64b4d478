// Rounding of raw binary32 patterns and the clipping that follows it: what the kernels of QPyTorch
// and dmx do. spec S3.1 (RB) and S3.2.
#pragma once

#include <cstdint>

#include "emulators/common/machine.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// What is added to the pattern before its low bits are cleared.
#define MX_BIT_ROUNDING(X) \
  X(kAway, "away")         \
  X(kEven, "even")         \
  X(kTruncate, "trunc")    \
  X(kPlusOne, "plus1")     \
  X(kStochastic, "stoch")
MX_POLICY(BitRounding, MX_BIT_ROUNDING);

}  // namespace mx

namespace mx::emulators {

[[nodiscard]] constexpr int exponent_field(Bits x) { return static_cast<int>(x >> 23 & 0xFF); }
[[nodiscard]] constexpr Bits sign_of(Bits x) { return x & fp32::kSignBit; }
[[nodiscard]] constexpr Bits magnitude_of(Bits x) { return x & ~fp32::kSignBit; }

/// RB(u, kept, mode, random): `kept` 0..23 mantissa bits stay; `random` is a word of 31 bits, read
/// by kStochastic only. At 23 the nearest modes shift by -1: the sign flips on x86 and AArch64,
/// nothing happens on CUDA.
[[nodiscard]] constexpr Bits round_bits(Bits u, int kept, BitRounding mode, Bits random,
                                        Platform platform) {
  const int dropped = 23 - kept;
  const Bits mask = (Bits{1} << dropped) - 1;
  const bool is_nearest = mode == BitRounding::kAway || mode == BitRounding::kEven;
  if (dropped == 0 && is_nearest) {
    if (platform == Platform::kCuda) return u;
    return u ^ fp32::kSignBit;
  }
  Bits increment = 0;
  switch (mode) {
    case BitRounding::kAway:
      increment = Bits{1} << (dropped - 1);
      break;
    case BitRounding::kEven: {
      const Bits half = Bits{1} << (dropped - 1);
      const bool stays = (u & mask) == half && (u >> dropped & 1) == 0;
      increment = stays ? 0 : half;
      break;
    }
    case BitRounding::kTruncate:
      break;
    case BitRounding::kPlusOne:
      increment = Bits{1} << dropped;
      break;
    case BitRounding::kStochastic:
      increment = random & mask;
      break;
  }
  return (u + increment) & ~mask;
}

/// The clipping of the float kernels: beyond the binade 2^(2^(exponent_bits - 1)) the largest value
/// (2 - 2^-mantissa_bits) * 2^(2^(exponent_bits - 1)), whatever the bias, with the sign of
/// `source`, the pattern before its rounding.
[[nodiscard]] constexpr Bits clip_float(Bits rounded, Bits source, int exponent_bits,
                                        int mantissa_bits) {
  const int limit = 127 + (1 << (exponent_bits - 1));
  if (exponent_field(rounded) <= limit) return rounded;
  const Bits kept = ((Bits{1} << mantissa_bits) - 1) << (23 - mantissa_bits);
  return sign_of(source) | static_cast<Bits>(limit) << 23 | kept;
}

/// The clipping of the block kernels: beyond the exponent of the block's power of two the largest
/// code of the same sign. `power` is that power's pattern.
[[nodiscard]] constexpr Bits clip_block(Bits x, Bits power, int word_length) {
  if (exponent_field(x) <= exponent_field(power)) return x;
  const int kept_bits = word_length < 2 ? 0 : word_length - 2;
  const Bits kept = kept_bits == 0 ? 0 : ((Bits{1} << kept_bits) - 1) << (23 - kept_bits);
  return sign_of(x) | (power & 0x7F800000) | kept;
}

}  // namespace mx::emulators
