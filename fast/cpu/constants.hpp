// A configuration resolved to numbers: what the kernels of the CPU path read, outside their loops.
//
// The kernels see every source as 16-bit keys: an exponent field of 8 bits (bias 127, that of
// binary32) above 8 bits of significand, of which the lowest is sticky. Keys order like magnitudes,
// and 7 true bits and a sticky one decide every rounding to at most 7 bits of precision.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cpu/draws.hpp"
#include "fast/rules/exponent.hpp"

namespace mx::fast::cpu {

/// Significand bits of a key.
inline constexpr int kKeyBits = 8;
/// A right shift by this much leaves less than half an ulp of any significand of a key.
inline constexpr int kKeyDrop = kKeyBits + 2;
inline constexpr int kKeyBias = 127;
/// Grids between which keys are enough lie from man_bits + 1 to here.
inline constexpr int kHighestGrid = 254;

enum class Source : std::uint8_t { kFp32, kBf16, kFp16 };
inline constexpr int kSourceCount = 3;

/// Bytes of a source word.
[[nodiscard]] constexpr std::size_t word_bytes(Source source) {
  return source == Source::kFp32 ? 4 : 2;
}

/// The key of an infinity; NaNs lie above it.
[[nodiscard]] constexpr std::uint16_t inf_key(Source source) {
  return source == Source::kFp16 ? (31 + 112) << kKeyBits : 255 << kKeyBits;
}

/// A rounding as masks, all ones or zero. `up` = (odd & by_odd) ^ (negative & by_negative) ^ always
/// decides; the addend is `up` of all discarded bits (directed), or half an ulp less one and one
/// more if `up` (to nearest).
struct RoundingMasks {
  std::uint16_t by_odd = 0;
  std::uint16_t by_negative = 0;
  std::uint16_t always = 0;
  std::uint16_t nearest = 0;
};

/// Codes of a value that has no code of its own, by sign (index 1: negative), sign included.
struct SignedCodes {
  std::uint16_t of[2] = {0, 0};
};

/// The short kernel of an element, for ties_to_even and ties_to_away with one end for both signs:
/// by what signs become. kNone: it has none.
enum class Short : std::uint8_t {
  kNone,
  kSigned,       ///< a sign bit, that of zeros too
  kZeroByCode,   ///< a sign bit, but for zero codes
  kZeroByInput,  ///< a sign bit, but for zero inputs
  kTwos          ///< two's complement
};

/// How a value becomes an element code.
struct ElementConstants {
  int man_bits = 0;  ///< below the leading one of the largest value
  int emin = 0;      ///< fixed point: emax, a float with a single exponent field
  RoundingMasks rounding;
  std::uint16_t limit[2] = {0, 0};  ///< the largest magnitude code of each sign
  SignedCodes overflow;
  SignedCodes infinity;
  SignedCodes nan;
  std::uint16_t sign_bit = 0;         ///< 0: two's complement
  std::uint16_t twos_complement = 0;  ///< mask
  std::uint16_t code_mask = 0;
  std::uint16_t drops_zero_sign = 0;   ///< mask: a zero code has no sign
  std::uint16_t drops_input_sign = 0;  ///< mask: a zero input has no sign
  Draw draw = Draw::kNone;             ///< instead of `rounding`
  int random_bits = 0;                 ///< of a word that are drawn
  /// Saturates at both ends alike, keeps -0 and has a sign bit.
  bool saturates = false;
  /// ties_to_even and saturation alike at both ends, with a sign bit and -0 kept, or in two's
  /// complement.
  bool is_plain = false;
  Short short_kernel = Short::kNone;
  std::uint16_t short_end = 0;  ///< its code of what is beyond the largest, without a sign
};

/// How a block becomes a scale and codes. The scale of a key maximum m is
/// ((m + rule_addend) >> 8) + scale_offset, clamped.
struct BlockConstants {
  ElementConstants element;
  int block_size = 0;
  std::uint16_t rule_addend = 0;
  int scale_offset = 0;
  int lowest_scale = 0;
  int highest_scale = 0;
  int nan_field = 1000;  ///< an exponent field from which the scale is NaN (scale_sat, even_carry)
  int nan_scale = 0;
  int zero_scale = 0;
  std::uint16_t zero_status = 0;  ///< bits of BlockStatus
  bool flushes = false;           ///< blocks with a maximum below 2^-126 are blocks of zeros
  /// The rule where keys do not tell: of the one lower byte of keys, odd, between whose values it
  /// has its threshold.
  ExponentRule rule;
  int scale_bias = 0;
  std::uint16_t uncertain = 1 << kKeyBits;  ///< none: above every lower byte
  /// Is a key of that lower byte?
  [[nodiscard]] bool is_uncertain(std::uint16_t key) const {
    return (key & ((1 << kKeyBits) - 1)) == uncertain;
  }
  int element_offset = 0;  ///< scale + this = key exponent field of emin, less one
  std::uint8_t nan_fill = 0;
};

/// Status bits of a block, as in spec R6 (m_axis_tuser); bits 7:0 are the scale code.
enum BlockStatus : std::uint16_t {
  kClamped = 1 << 8,
  kZero = 1 << 9,
  kInf = 1 << 10,
  kNan = 1 << 11,
  kToZero = 1 << 12,
  kSaturated = 1 << 13
};

}  // namespace mx::fast::cpu
