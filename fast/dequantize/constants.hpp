// The way back resolved to numbers: what the kernels read of element codes, scales and words.
//
// A magnitude code becomes its steps: 128 times the binades above the format's smallest value, and
// 7 bits of significand below them. Steps of a value plus those of a scale are the magnitude bits
// of a bfloat16 word, wherever such a word can hold them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fast/cpu/constants.hpp"

namespace mx::fast::dequantize {

using cpu::RoundingMasks;
/// The format of the words, here a destination.
using Words = cpu::Source;

/// Significand bits of steps.
inline constexpr int kStepBits = 7;
/// Matches no magnitude and no code.
inline constexpr std::uint16_t kNoCode = 0xFFFF;

/// How an element code is read.
struct CodeConstants {
  int man_bits = 0;    ///< fixed point: those of a float with a single exponent field
  int unit = 0;        ///< the smallest value is 2^unit
  int sign_shift = 0;  ///< to the left, from the sign bit to bit 15
  std::uint16_t code_mask = 0;
  std::uint16_t magnitude_mask = 0;
  std::uint16_t twos_complement = 0;      ///< mask
  std::uint16_t inf_magnitude = kNoCode;  ///< the magnitude code of infinity
  std::uint16_t nan_from = kNoCode;       ///< magnitude codes from here on are NaN
  std::uint16_t nan_code = kNoCode;       ///< the one code that is NaN
  std::uint16_t stray_bits = 0;           ///< bits that no code has
  [[nodiscard]] std::uint16_t special_from() const {
    return inf_magnitude < nan_from ? inf_magnitude : nan_from;
  }
};

/// What a value becomes. Codes by sign, index 1: negative.
struct WordConstants {
  Words format = Words::kFp32;
  std::uint32_t overflow[2] = {0, 0};
  std::uint32_t infinity[2] = {0, 0};
  std::uint32_t nan[2] = {0, 0};
  RoundingMasks rounding;
  std::uint16_t drops_zero_sign = 0;   ///< mask: a result of zero has no sign
  std::uint16_t drops_input_sign = 0;  ///< mask: the result of a zero has no sign
  std::uint16_t flushes_before = 0;    ///< mask: what lies below the normal numbers is zero
  std::uint16_t flushes_after = 0;     ///< mask: the same of rounded results
};

struct DequantizeConstants {
  CodeConstants code;
  WordConstants word;
};

enum class ScaleKind : std::uint8_t { kFinite, kZero, kNan, kStray };

/// A scale code: the exponent of its value, where that is finite.
struct Scale {
  ScaleKind kind = ScaleKind::kFinite;
  std::int16_t exponent = 0;
  std::int16_t offset = 0;  ///< easy_offset() of the exponent; 0 of other kinds
};

/// Blocks of codes under scales.
struct BlockConstants {
  DequantizeConstants decode;
  int block_size = 0;
  std::array<Scale, 256> scales = {};
};

/// What the kernels know of a words' format.
struct WordFormat {
  int bias;
  int man_bits;
  [[nodiscard]] constexpr int top_field() const { return 2 * bias + 1; }  ///< of infinities
};
[[nodiscard]] constexpr WordFormat word_format(Words format) {
  if (format == Words::kFp32) return {127, 23};
  return format == Words::kBf16 ? WordFormat{127, 7} : WordFormat{15, 10};
}

/// The steps that bring a code to a scale's exponent in words of a format. Beyond the bounds
/// nothing changes: all values overflow or vanish.
[[nodiscard]] constexpr std::int16_t offset_of(const DequantizeConstants& c, int scale_exponent) {
  const int field = c.code.unit + scale_exponent + word_format(c.word.format).bias;
  const int bounded = field < -240 ? -240 : field > 255 ? 255 : field;
  return static_cast<std::int16_t>(bounded * (1 << kStepBits));
}

/// offset_of() where the numbers of a float of one to three significand bits all become normal ones
/// under that scale, 0 elsewhere.
[[nodiscard]] constexpr std::int16_t easy_offset(const DequantizeConstants& c, int scale_exponent) {
  if (c.code.man_bits < 1 || c.code.man_bits > 3 || c.code.twos_complement != 0) return 0;
  const int largest = c.code.special_from() <= c.code.magnitude_mask ? c.code.special_from() - 1
                                                                     : c.code.magnitude_mask;
  const int rise = (c.code.man_bits - 1) * (1 << c.code.man_bits);
  const int steps = (largest + rise) * (1 << (kStepBits - c.code.man_bits));
  const int field = c.code.unit + scale_exponent + word_format(c.word.format).bias;
  const bool fits = field >= 1 && field * (1 << kStepBits) + steps <
                                      word_format(c.word.format).top_field() * (1 << kStepBits);
  return fits ? static_cast<std::int16_t>(field * (1 << kStepBits)) : std::int16_t{0};
}

}  // namespace mx::fast::dequantize
