// One code under one scale to one word, for any configuration of the way back: what the general
// kernel runs, and the fast ones for blocks near the ends of the words' range. The same source is
// compiled for the device and for the host.
//
// Integers alone. The constants come from the descriptors (fast/dequantize/resolve.hpp); reading,
// alignment and rounding are written afresh, so that the reference can judge them.
#pragma once

#include "fast/cuda/words.hpp"
#include "fast/dequantize/constants.hpp"

namespace mx::fast::cuda_dequantize {

/// Matches no scale code.
inline constexpr std::uint32_t kNever = 0x1000;

/// A configuration as the kernels take it, by value.
struct Mode {
  dequantize::DequantizeConstants decode;
  int block_size = 0;
  int scale_bias = 0;                     ///< a scale code stands for 2^(code - scale_bias)
  std::uint32_t scale_mask = 0xFF;        ///< bits of a scale code that are read
  std::uint32_t scale_stray = 0;          ///< bits that make it a NaN
  std::uint32_t scale_nan_from = kNever;  ///< codes from here on are NaN
  std::uint32_t scale_zero = kNever;      ///< the code of a zero
  int block_shift = -1;                   ///< log2 of the block size; -1: not a power of two
  /// The short decoder: its first factor, a pattern of 16-bit words twice, otherwise of binary32,
  /// and the scale exponents whose blocks it answers; none where low is above high.
  std::uint32_t lift = 0;
  /// Four codes at a time: masks of magnitudes and codes; what makes bit 7 of a magnitude that is
  /// no number; the one code that is NaN, where there is one.
  std::uint32_t magnitudes = 0;
  std::uint32_t codes = 0;
  std::uint32_t to_special = 0;
  std::uint32_t nan_codes = 0;
  bool has_nan_code = false;
  std::uint32_t special_from = 0;  ///< magnitude codes from here on are no numbers
  int low = 1;
  int high = 0;
};

/// An element code, read.
struct Code {
  std::uint32_t magnitude;
  bool negative;
};
[[nodiscard]] MX_HOST_DEVICE inline Code read_code(const dequantize::CodeConstants& c,
                                                   std::uint32_t bits) {
  const std::uint32_t code = bits & c.code_mask;
  const bool negative = (code << c.sign_shift & 0x8000u) != 0;
  const std::uint32_t flip = negative ? c.twos_complement : 0u;
  return {((code ^ flip) - flip) & c.magnitude_mask, negative};
}

/// A rounded magnitude; one of the top field or above has overflowed.
struct Rounded {
  std::uint64_t magnitude;
  bool below_normal;  ///< the exact value lay below the normal numbers
};

/// magnitude * 2^(unit + exponent) in words of a format, rounded once. `magnitude` is a code that
/// is a number and no zero.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline Rounded round_word(const dequantize::DequantizeConstants& c,
                                                       const Code& x, int exponent) {
  // 1. The significand with its leading one in bit 31, worth 2^top.
  const int field = static_cast<int>(x.magnitude >> c.code.man_bits);
  const std::uint32_t hidden = std::uint32_t{1} << c.code.man_bits;
  const std::uint32_t whole = field > 1 ? (x.magnitude & (hidden - 1)) | hidden : x.magnitude;
  const int zeros = cuda::leading_zeros(whole);
  const std::uint32_t significand = whole << zeros;
  const int top = 31 - zeros + c.code.unit + exponent + (field > 1 ? field - 1 : 0);
  // 2. Below the normal numbers the grid stays; 34 bits further down nothing is left.
  constexpr int kEmin = 1 - Words::kBias;
  const int grid = top < kEmin ? kEmin : top;
  const int wanted = 31 - Words::kManBits + (grid - top);
  const int shift = wanted > 34 ? 34 : wanted;
  // 3. The leading one is worth one exponent step, and a carry another.
  const std::uint64_t base = static_cast<std::uint64_t>(grid - kEmin) << Words::kManBits;
  const bool odd = ((base + (std::uint64_t{significand} >> shift)) & 1) != 0;
  const dequantize::RoundingMasks& r = c.word.rounding;
  const bool up = ((r.by_odd != 0 && odd) != (r.by_negative != 0 && x.negative)) != (r.always != 0);
  const std::uint64_t ones = (std::uint64_t{1} << shift) - 1;
  const std::uint64_t addend = r.nearest != 0 ? (ones >> 1) + (up ? 1 : 0) : (up ? ones : 0);
  return {base + ((significand + addend) >> shift), top < kEmin};
}

template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t sign_word(bool negative) {
  return negative ? Words::kMagnitudeMask + 1 : 0u;
}

/// The word of an element code under a scale code. Bits of either above its format's width: those
/// of an element are not read, those of a scale make the block NaN where the format forbids them.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t decode_word(const Mode& mode, std::uint32_t bits,
                                                              std::uint32_t scale_bits) {
  const dequantize::CodeConstants& code = mode.decode.code;
  const dequantize::WordConstants& word = mode.decode.word;
  const Code x = read_code(code, bits);
  const int sign = x.negative ? 1 : 0;
  const std::uint32_t scale = scale_bits & mode.scale_mask;
  const bool nan_scale = scale >= mode.scale_nan_from || (scale_bits & mode.scale_stray) != 0;
  if (nan_scale || (bits & code.code_mask) == code.nan_code || x.magnitude >= code.nan_from) {
    return word.nan[sign];
  }
  if (x.magnitude == code.inf_magnitude) return word.infinity[sign];
  const bool is_zero = x.magnitude == 0 || scale == mode.scale_zero;
  Rounded rounded{0, false};
  if (!is_zero) {
    rounded = round_word<Words>(mode.decode, x, static_cast<int>(scale) - mode.scale_bias);
  }
  if (rounded.magnitude >= Words::kInf) return word.overflow[sign];
  const bool is_subnormal = rounded.magnitude < Words::kHiddenBit;
  const bool flushes = (rounded.below_normal && word.flushes_before != 0) ||
                       (is_subnormal && word.flushes_after != 0);
  const std::uint32_t magnitude = flushes ? 0u : static_cast<std::uint32_t>(rounded.magnitude);
  const bool drops =
      (magnitude == 0 && word.drops_zero_sign != 0) || (is_zero && word.drops_input_sign != 0);
  return magnitude | sign_word<Words>(x.negative && !drops);
}

}  // namespace mx::fast::cuda_dequantize
