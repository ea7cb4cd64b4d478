// The share of a lane in the fast kernels of the way back: 16 bytes of words, stored as one. And
// the short decoder of blocks whose words are exact.
#pragma once

#include "fast/cuda/units.hpp"
#include "fast/cuda_decode/arithmetic.hpp"
#include "fast/cuda_decode/run.hpp"

namespace mx::fast::cuda_decode {

/// Codes of a unit of words, as they were loaded: consecutive bits, the first code lowest.
template <class Words>
struct CodeUnit {
  static constexpr int kCodes = 16 / static_cast<int>(sizeof(typename Words::Word));
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

/// A nonnegative number with at most 7 significand bits, in range, as the magnitude of a word. It
/// needs rounding only where fp16 has subnormals: half an ulp of one half is the last of them.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t narrow(float value) {
  const std::uint32_t bits = cuda::as_bits(value);
  if constexpr (Words::kManBits == 23) return bits;
  if constexpr (Words::kBias == 127) return bits >> 16;
  constexpr std::uint32_t kSmallestNormal = (127u - 14u) << 23;
  if (bits >= kSmallestNormal) return (bits - (112u << 23)) >> 13;
  return cuda::as_bits(value + 0.5f) - cuda::as_bits(0.5f);
}

/// A unit of codes under a scale. A code's magnitude, moved to where binary32 has its exponent, is
/// a binary32 number, subnormal or not; `lift` makes it the element's value, and the scale's power
/// of two the word's. Both products are exact within [low, high].
template <class Words, Codes kKind, Packing kPacking>
[[nodiscard]] MX_HOST_DEVICE inline WordUnit decode_unit(const Mode& mode,
                                                         const CodeUnit<Words>& codes,
                                                         std::uint32_t scale) {
  const int exponent = static_cast<int>(scale) - mode.scale_bias;
  bool is_short = kKind != Codes::kAny && exponent >= mode.low && exponent <= mode.high;
  WordUnit unit{};
  if constexpr (kKind != Codes::kAny) {
    const decode::CodeConstants& c = mode.decode.code;
    const float factor = cuda::as_float(static_cast<std::uint32_t>(exponent + 127) << 23);
    const float lift = cuda::as_float(mode.lift);
    const std::uint32_t special = mode.special_from;
    constexpr int kSignPlace = 8 * static_cast<int>(sizeof(typename Words::Word)) - 1;
    MX_UNROLL
    for (int i = 0; i < CodeUnit<Words>::kCodes; ++i) {
      const std::uint32_t bits = code_of<Words, kPacking>(codes, i) & c.code_mask;
      const std::uint32_t sign = bits << c.sign_shift & 0x8000u;
      std::uint32_t magnitude = bits & c.magnitude_mask;
      if constexpr (kKind == Codes::kTwosComplement) {
        if (sign != 0) magnitude = (0u - bits) & c.magnitude_mask;
      }
      if constexpr (kKind == Codes::kWithSpecials) {
        is_short = is_short && magnitude < special && bits != c.nan_code;
      }
      const float value = cuda::as_float(magnitude << (23 - c.man_bits)) * lift * factor;
      put_word<Words>(unit, i, narrow<Words>(value) | sign << (kSignPlace - 15));
    }
  }
  if (is_short) return unit;
  return decode_rare<Words, kPacking>(mode, codes, scale);
}

}  // namespace mx::fast::cuda_decode
