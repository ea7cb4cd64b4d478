// The share of a lane in the fast kernels of the way back: 16 bytes of words, stored as one. And
// the short decoder of blocks whose words are exact.
#pragma once

#include "fast/cuda/units.hpp"
#include "fast/cuda_dequantize/arithmetic.hpp"
#include "fast/cuda_dequantize/halves.hpp"
#include "fast/cuda_dequantize/run.hpp"

namespace mx::fast::cuda_dequantize {

/// Codes of a unit of words, as they were loaded: consecutive bits, the first code lowest.
template <class Words>
struct CodeUnit {
  static constexpr int kCodes = 16 / static_cast<int>(sizeof(typename Words::Word));
  static constexpr int kShift = kCodes == 8 ? 3 : 2;
  std::uint32_t part[2];
};

/// Unit number `unit` of an array whose start is aligned to 16 bytes.
template <class Words, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline CodeUnit<Words> load_codes(const std::uint8_t* codes,
                                                               std::size_t unit) {
  constexpr std::size_t kBytes =
      cuda::packed_bytes(kPacking, static_cast<std::size_t>(CodeUnit<Words>::kCodes));
  const std::uint8_t* const from = codes + unit * kBytes;
  CodeUnit<Words> loaded{};
#if defined(__CUDA_ARCH__)
  if constexpr (kBytes == 8) {
    const uint2 v = __ldcs(reinterpret_cast<const uint2*>(from));
    loaded = {{v.x, v.y}};
  } else if constexpr (kBytes == 4) {
    loaded.part[0] = __ldcs(reinterpret_cast<const unsigned*>(from));
  } else if constexpr (kBytes == 2) {
    loaded.part[0] = __ldcs(reinterpret_cast<const unsigned short*>(from));
  } else if constexpr (kBytes == 6) {
    const auto* const halves = reinterpret_cast<const unsigned short*>(from);
    loaded = {{__ldcs(halves) | std::uint32_t{__ldcs(halves + 1)} << 16, __ldcs(halves + 2)}};
  } else {
    loaded.part[0] = from[0] | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16;
  }
#else
  std::memcpy(&loaded, from, kBytes);
#endif
  return loaded;
}

template <class Words, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t code_of(const CodeUnit<Words>& codes, int i) {
  if constexpr (kPacking == Packing::kBytes) return codes.part[i / 4] >> (i % 4 * 8) & 0xFFu;
  if constexpr (kPacking == Packing::kNibbles) return codes.part[0] >> (i * 4) & 0xFu;
  const int bit = i * 6;
  std::uint32_t bits = codes.part[bit / 32] >> (bit % 32);
  if (bit % 32 > 26) bits |= codes.part[1] << (32 - bit % 32);
  return bits & 0x3Fu;
}

/// The words of a unit, as they are stored.
struct WordUnit {
  std::uint32_t part[4];
};
template <class Words>
MX_HOST_DEVICE inline void put_word(WordUnit& unit, int i, std::uint32_t word) {
  if constexpr (sizeof(typename Words::Word) == 4) {
    unit.part[i] = word;
  } else {
    unit.part[i / 2] |= word << (i % 2 * 16);
  }
}

MX_HOST_DEVICE inline void store_words(std::byte* words, std::size_t unit, const WordUnit& out) {
#if defined(__CUDA_ARCH__)
  __stcs(reinterpret_cast<uint4*>(words) + unit,
         make_uint4(out.part[0], out.part[1], out.part[2], out.part[3]));
#else
  std::memcpy(words + unit * sizeof out, &out, sizeof out);
#endif
}

/// A unit by the general arithmetic: the ends of the words' range, NaN and infinities.
template <class Words, Packing kPacking>
MX_HOST_DEVICE MX_NOINLINE WordUnit decode_rare(const Mode& mode, CodeUnit<Words> codes,
                                                std::uint32_t scale) {
  WordUnit unit{};
  MX_UNROLL
  for (int i = 0; i < CodeUnit<Words>::kCodes; ++i) {
    put_word<Words>(unit, i, decode_word<Words>(mode, code_of<Words, kPacking>(codes, i), scale));
  }
  return unit;
}

/// What the codes of a format can be.
enum class Codes : std::uint8_t { kAny, kNumbers, kWithSpecials, kTwosComplement };

/// Does a code of the unit, a byte each, stand for no number? Bit 7 of a byte of `found` says so,
/// or that a byte below it does.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline bool has_special(const Mode& mode,
                                                     const CodeUnit<Words>& codes) {
  std::uint32_t found = 0;
  MX_UNROLL
  for (int i = 0; i < CodeUnit<Words>::kCodes / 4; ++i) {
    found |= (codes.part[i] & mode.magnitudes) + mode.to_special;
    if (mode.has_nan_code) {
      const std::uint32_t others = (codes.part[i] & mode.codes) ^ mode.nan_codes;
      found |= (others - 0x01010101u) & ~others;
    }
  }
  return (found & 0x80808080u) != 0;
}

/// The words of the codes that stand for no number, where those of their bits were.
template <class Words, Packing kPacking>
MX_HOST_DEVICE inline void put_specials(const Mode& mode, const CodeUnit<Words>& codes,
                                        WordUnit& unit) {
  const dequantize::CodeConstants& c = mode.decode.code;
  const dequantize::WordConstants& word = mode.decode.word;
  MX_UNROLL
  for (int i = 0; i < CodeUnit<Words>::kCodes; ++i) {
    const std::uint32_t bits = code_of<Words, kPacking>(codes, i) & c.code_mask;
    const std::uint32_t magnitude = bits & c.magnitude_mask;
    if (magnitude < mode.special_from && bits != c.nan_code) continue;
    const bool negative = bits != magnitude;
    const bool is_inf = magnitude == c.inf_magnitude;
    const std::uint32_t plus = is_inf ? word.infinity[0] : word.nan[0];
    const std::uint32_t minus = is_inf ? word.infinity[1] : word.nan[1];
    if constexpr (sizeof(typename Words::Word) == 2) {
      unit.part[i / 2] &= 0xFFFFu << (i % 2 == 0 ? 16 : 0);
    } else {
      unit.part[i] = 0;
    }
    put_word<Words>(unit, i, negative ? minus : plus);
  }
}

/// Codes 2 * i and 2 * i + 1 of a unit, in the low bits of a half each.
template <class Words, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t pair_of(const CodeUnit<Words>& codes, int i) {
  if constexpr (kPacking == Packing::kBytes) return spread_bytes(codes.part[i / 2], i % 2);
  if constexpr (kPacking == Packing::kNibbles) {
    const std::uint32_t both = codes.part[0] >> (i * 8);
    return (both & 0xFu) | (both << 12 & 0xF0000u);
  }
  const int bit = i * 12;
  std::uint32_t both = codes.part[bit / 32] >> (bit % 32);
  if (bit % 32 > 20) both |= codes.part[1] << (32 - bit % 32);
  return (both & 0x3Fu) | (both << 10 & 0x3F0000u);
}

/// The words of a pair of codes of 16-bit words, as the next function has them.
template <class Words, Codes kKind>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t decode_pair(const Mode& mode, std::uint32_t pair,
                                                              std::uint32_t factors) {
  const dequantize::CodeConstants& c = mode.decode.code;
  std::uint32_t magnitudes = pair;
  if constexpr (kKind == Codes::kTwosComplement) {
    const std::uint32_t negative = pair >> (15 - c.sign_shift) & 0x00010001u;
    magnitudes = (pair ^ negative * 0xFFu) + negative;
  }
  magnitudes = (magnitudes & mode.magnitudes & 0x00FF00FFu) << (Words::kManBits - c.man_bits);
  const std::uint32_t words =
      scaled_halves<Words>(scaled_halves<Words>(magnitudes, mode.lift), factors);
  return words | (pair << c.sign_shift & 0x80008000u);
}

/// A unit of numbers under a scale. A code's magnitude, moved to where the word's format (of 16-bit
/// words; otherwise binary32) has its exponent, is a number of it, subnormal or not; `lift` makes
/// it the element's value, and the scale's power of two the word's. Within [low, high] the first
/// product is exact, and the second one where it is no subnormal.
template <class Words, Codes kKind, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline WordUnit decode_numbers(const Mode& mode,
                                                            const CodeUnit<Words>& codes,
                                                            int exponent) {
  WordUnit unit{};
  if constexpr (sizeof(typename Words::Word) == 2) {
    const std::uint32_t factor = power_of_two<Words>(exponent);
    MX_UNROLL
    for (int i = 0; i < CodeUnit<Words>::kCodes / 2; ++i) {
      unit.part[i] = decode_pair<Words, kKind>(mode, pair_of<Words, kPacking>(codes, i),
                                               factor | factor << 16);
    }
  } else {
    const dequantize::CodeConstants& c = mode.decode.code;
    const float factor = cuda::as_float(power_of_two<Words>(exponent));
    const float lift = cuda::as_float(mode.lift);
    MX_UNROLL
    for (int i = 0; i < CodeUnit<Words>::kCodes; ++i) {
      const std::uint32_t bits = code_of<Words, kPacking>(codes, i);
      const std::uint32_t sign = bits << c.sign_shift & 0x8000u;
      std::uint32_t magnitude = bits & c.magnitude_mask;
      if constexpr (kKind == Codes::kTwosComplement) {
        if (sign != 0) magnitude = (0u - bits) & c.magnitude_mask;
      }
      const float value = cuda::as_float(magnitude << (23 - c.man_bits)) * lift * factor;
      unit.part[i] = cuda::as_bits(value) | sign << 16;
    }
  }
  return unit;
}

/// A unit of codes under a scale.
template <class Words, Codes kKind, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline WordUnit decode_unit(const Mode& mode,
                                                         const CodeUnit<Words>& codes,
                                                         std::uint32_t scale) {
  const int exponent = static_cast<int>(scale) - mode.scale_bias;
  const bool is_short = kKind != Codes::kAny && exponent >= mode.low && exponent <= mode.high;
  if (!is_short) return decode_rare<Words, kPacking>(mode, codes, scale);
  WordUnit unit = decode_numbers<Words, kKind, kPacking>(mode, codes, exponent);
  if constexpr (kKind == Codes::kWithSpecials) {
    if (has_special(mode, codes)) put_specials<Words, kPacking>(mode, codes, unit);
  }
  return unit;
}

}  // namespace mx::fast::cuda_dequantize
