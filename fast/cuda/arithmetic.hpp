// The arithmetic of the CUDA quantizer: rule floor, ties_to_even, sat_finite, the special blocks of
// the profile mxgold-default. The same source is compiled for the device and for the host.
//
// Everything is 32-bit integer arithmetic: neither fused multiply-add nor flush-to-zero can change
// a bit. Only the facts of a format come from the reference; scale choice, alignment, rounding and
// packing are written afresh, so that the reference can judge them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "reference/format/format.hpp"

#if defined(__CUDACC__)
#define MX_HOST_DEVICE __host__ __device__
#else
#define MX_HOST_DEVICE
#endif

namespace mx::fast {

inline constexpr int kBlockSize = 32;

/// One status word for each block: spec R6, m_axis_tuser. Bits 7:0 are the scale
/// code.
enum StatusBit : std::uint32_t {
  kStatusScaleClamped = 1u << 8,
  kStatusZeroBlock = 1u << 9,
  kStatusHasInf = 1u << 10,
  kStatusHasNan = 1u << 11,
  kStatusUnderflow = 1u << 12,  ///< a nonzero element got a zero code
  kStatusSaturated = 1u << 13   ///< a rounded magnitude lay above the largest code
};

inline constexpr int kScaleBias = 127;            ///< e8m0: code s stands for 2^(s - 127)
inline constexpr int kLargestScale = 0xFE;        ///< e8m0
inline constexpr std::uint32_t kNanScale = 0xFF;  ///< e8m0

/// What the arithmetic needs of an IEEE-like source format of at most 32 bits.
template <const ElementFormat& kFormat>
struct SourceTraits {
  static_assert(kFormat.kind == FormatKind::kFloat && kFormat.is_signed);
  static_assert(kFormat.inf == InfKind::kIeeeTop && kFormat.nan == NanKind::kIeeeAll);
  static_assert(kFormat.has_subnormal && kFormat.zero == ZeroKind::kPosAndNeg);
  static_assert(kFormat.bits == kFormat.storage_bits && kFormat.man_bits < 29);
  static_assert(kFormat.storage_bits == 16 || kFormat.storage_bits == 32);

  using Word = std::conditional_t<kFormat.storage_bits == 16, std::uint16_t, std::uint32_t>;
  static constexpr int kManBits = kFormat.man_bits;
  static constexpr int kBias = kFormat.bias;
  static constexpr auto kHiddenBit = std::uint32_t{1} << kManBits;
  static constexpr auto kMagnitudeMask = static_cast<std::uint32_t>(kFormat.magnitude_mask());
  static constexpr auto kInf = static_cast<std::uint32_t>(kFormat.inf_code());
};

/// What the arithmetic needs of an element format of at most 8 bits.
///
/// A fixed-point magnitude is the float with a single exponent field, whose "subnormals" are all of
/// its values: emin = emax and the precision of its largest value (int8: emin 0, 6 bits below the
/// leading one). Only the sign is stored differently.
template <const ElementFormat& kFormat>
struct ElementTraits {
  static_assert(kFormat.is_signed && kFormat.has_subnormal && kFormat.bits <= 8);
  static_assert(kFormat.kind == FormatKind::kTwosComplement ||
                kFormat.zero == ZeroKind::kPosAndNeg);
  static_assert(kFormat.rule_man_bits() >= 1, "a tie needs a stored significand bit");

  static constexpr bool kTwosComplement = kFormat.kind == FormatKind::kTwosComplement;
  static constexpr int kEmax = kFormat.emax();
  static constexpr int kEmin = kTwosComplement ? kEmax : kFormat.emin();
  static constexpr int kManBits = kFormat.rule_man_bits();
  static constexpr auto kLargest = static_cast<std::uint32_t>(kFormat.max_code);
  static constexpr auto kSignBit = static_cast<std::uint32_t>(kFormat.sign_bit());
  static constexpr auto kCodeMask = static_cast<std::uint32_t>(kFormat.code_mask());
};

/// Leading zeros of a nonzero word.
[[nodiscard]] MX_HOST_DEVICE inline int leading_zeros(std::uint32_t nonzero) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(nonzero));
#else
  return __builtin_clz(nonzero);
#endif
}

/// The bits below a normalised significand's leading one.
inline constexpr int kPoint = 29;

/// A magnitude significand * 2^(exponent - kPoint), significand in [2^29, 2^30): the two bits above
/// the leading one leave room for the rounding addend, and a shift by 31 discards every
/// significand.
struct Normalized {
  std::uint32_t significand;
  int exponent;
};

/// Subnormals included: their leading one moves up as well, because a tiny block scales them up
/// into normal element values. Magnitude 0 gives significand 0 and a meaningless exponent.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline Normalized normalize(std::uint32_t magnitude) {
  const auto field = static_cast<int>(magnitude >> Source::kManBits);
  const std::uint32_t trailing = magnitude & (Source::kHiddenBit - 1);
  const std::uint32_t significand = field == 0 ? trailing : trailing | Source::kHiddenBit;
  const int unit = (field == 0 ? 1 : field) - Source::kBias - Source::kManBits;
  // Bit 0 changes the count of a zero only, for which the count is undefined otherwise.
  const int shift = leading_zeros(significand | 1u) - (31 - kPoint);
  return {significand << shift, unit + kPoint - shift};
}

/// The magnitude code of x / 2^(scale - 127), rounded once, ties to even. The code may exceed
/// Element::kLargest: that is an overflow, and the caller saturates.
template <class Element>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t round_magnitude(Normalized x, int scale) {
  // 1. Below emin the grid stops getting finer: the exponent stays, the shift grows.
  const int exponent = x.exponent + kScaleBias - scale;
  const int grid = exponent < Element::kEmin ? Element::kEmin : exponent;
  const int wanted = kPoint - Element::kManBits + (grid - exponent);
  // 2. A shift by 31 leaves less than half an ulp of any significand, so larger ones add nothing.
  const int shift = wanted > 31 ? 31 : wanted;
  // 3. Half an ulp less one, plus the last kept bit: carries past a tie, and at a tie iff odd.
  const std::uint32_t odd = (x.significand >> shift) & 1u;
  const std::uint32_t half = std::uint32_t{1} << (shift - 1);
  const std::uint32_t kept = (x.significand + (half - 1u) + odd) >> shift;
  // 4. The kept leading one is worth one exponent step: adding the steps above emin assembles the
  //    code, and a carry moves into the exponent field by itself.
  return kept + (static_cast<std::uint32_t>(grid - Element::kEmin) << Element::kManBits);
}

template <class Element>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t saturate(std::uint32_t magnitude_code) {
  return magnitude_code > Element::kLargest ? Element::kLargest : magnitude_code;
}

/// Two's complement has one zero; the floats keep -0.
template <class Element>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t apply_sign(std::uint32_t magnitude_code,
                                                             bool negative) {
  if (!negative) return magnitude_code;
  return Element::kTwosComplement ? (0u - magnitude_code) & Element::kCodeMask
                                  : magnitude_code | Element::kSignBit;
}

/// A scale code and whether the rule's value lay outside 00..FE.
struct Scale {
  int code;
  bool clamped;
};

/// Rule floor: 2^floor(log2 amax) / 2^emax. amax is finite and not zero.
template <class Source, class Element>
[[nodiscard]] MX_HOST_DEVICE inline Scale floor_scale(std::uint32_t amax) {
  const int unclamped = normalize<Source>(amax).exponent + kScaleBias - Element::kEmax;
  if (unclamped < 0) return {0, true};
  if (unclamped > kLargestScale) return {kLargestScale, true};
  return {unclamped, false};
}

/// Element `index` of words in the host's byte order. On the device `source` is aligned to a word,
/// on the host it may start anywhere in a file.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t load(const std::byte* source, std::size_t index) {
  using Word = typename Source::Word;
#if defined(__CUDA_ARCH__)
  return reinterpret_cast<const Word*>(source)[index];
#else
  Word word;
  std::memcpy(&word, source + index * sizeof(Word), sizeof(Word));
  return word;
#endif
}

/// Quantizes one block of `count` (1..32) elements; missing ones count as +0 and get no code.
///
/// Written in phases over the 32 lanes, so that one source serves a warp and a plain loop. `Lanes`
/// offers  PerLane<T>  (a T for each lane),  each(f)  (calls f(lane) for the lanes it runs),
/// maximum(PerLane<uint32_t>),  any(PerLane<bool>)  and  once(f)  (one lane calls f()).
/// Writes `count` codes, one scale code and one status word.
template <class Source, class Element, class Lanes>
MX_HOST_DEVICE inline void quantize_block(const Lanes& lanes, const std::byte* source, int count,
                                          std::uint8_t* codes, std::uint8_t* scale_code,
                                          std::uint16_t* status) {
  typename Lanes::template PerLane<std::uint32_t> words;
  typename Lanes::template PerLane<std::uint32_t> magnitudes;
  typename Lanes::template PerLane<bool> flag;

  // 1. Magnitudes order like their codes: the maximum finds amax, and Inf and NaN above it.
  lanes.each([&](int lane) {
    words[lane] = lane < count ? load<Source>(source, static_cast<std::size_t>(lane)) : 0u;
    magnitudes[lane] = words[lane] & Source::kMagnitudeMask;
    flag[lane] = magnitudes[lane] == Source::kInf;
  });
  const std::uint32_t amax = lanes.maximum(magnitudes);

  // 2. NaN or Inf: the scale is NaN and every code 0.
  if (amax >= Source::kInf) {
    const std::uint32_t inf = lanes.any(flag) ? kStatusHasInf : 0u;
    const std::uint32_t nan = amax > Source::kInf ? kStatusHasNan : 0u;
    lanes.each([&](int lane) {
      if (lane < count) codes[lane] = 0;
    });
    lanes.once([&] {
      *scale_code = static_cast<std::uint8_t>(kNanScale);
      *status = static_cast<std::uint16_t>(kNanScale | inf | nan);
    });
    return;
  }

  // 3. A block of zeros takes scale 00; its codes come out of step 4 as zeros of their signs.
  const bool is_zero = amax == 0;
  const Scale scale = is_zero ? Scale{0, false} : floor_scale<Source, Element>(amax);

  // 4. One rounding for each element.
  typename Lanes::template PerLane<bool> saturated;
  lanes.each([&](int lane) {
    const std::uint32_t magnitude = magnitudes[lane];
    const std::uint32_t rounded =
        magnitude == 0 ? 0u : round_magnitude<Element>(normalize<Source>(magnitude), scale.code);
    flag[lane] = rounded == 0 && magnitude != 0;
    saturated[lane] = rounded > Element::kLargest;
    if (lane < count) {
      codes[lane] = static_cast<std::uint8_t>(
          apply_sign<Element>(saturate<Element>(rounded), words[lane] != magnitude));
    }
  });
  const std::uint32_t flags =
      (scale.clamped ? kStatusScaleClamped : 0u) | (is_zero ? kStatusZeroBlock : 0u) |
      (lanes.any(flag) ? kStatusUnderflow : 0u) | (lanes.any(saturated) ? kStatusSaturated : 0u);
  lanes.once([&] {
    *scale_code = static_cast<std::uint8_t>(scale.code);
    *status = static_cast<std::uint16_t>(static_cast<std::uint32_t>(scale.code) | flags);
  });
}

}  // namespace mx::fast
