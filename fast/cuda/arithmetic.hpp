// The arithmetic of the CUDA path for any configuration: the scale of a block from its largest
// magnitude, and the code of an element under a scale. The same source is compiled for the device
// and for the host.
//
// Everything is 32-bit integer arithmetic (64 bits where a rounding draws): neither fused
// multiply-add nor flush-to-zero can change a bit. The constants come from the descriptors
// (fast/cpu/resolve.hpp); scale choice, alignment, rounding and packing are written afresh, so that
// the reference can judge them.
#pragma once

#include "fast/cuda/words.hpp"

namespace mx::fast::cuda {

/// What a rounding does with its random word: spec F9.1.
enum class Drawing : std::uint8_t { kNone, kA, kB, kC, kCOdd };

/// A configuration as the kernels take it, by value.
struct Mode {
  cpu::BlockConstants block;
  Drawing drawing = Drawing::kNone;
  int random_bits = 0;  ///< 1..32 where the rounding draws
};

/// Status words of blocks, spec R6 (m_axis_tuser). Bits 7:0 are the scale code.
inline constexpr std::uint32_t kScaleClamped = cpu::kClamped;
inline constexpr std::uint32_t kZeroBlock = cpu::kZero;
inline constexpr std::uint32_t kHasInf = cpu::kInf;
inline constexpr std::uint32_t kHasNan = cpu::kNan;
inline constexpr std::uint32_t kUnderflow = cpu::kToZero;  ///< a nonzero element got a zero code
inline constexpr std::uint32_t kSaturated =
    cpu::kSaturated;  ///< a rounded magnitude lay above the largest code

/// An element code, and the status bits it causes.
struct Encoded {
  std::uint32_t code;
  std::uint32_t report;
};

/// Does a significand whose lowest `shift` bits (23..63) are discarded go up under a random word?
[[nodiscard]] MX_HOST_DEVICE inline bool draws_up(Drawing drawing, int random_bits,
                                                  std::uint32_t significand, int shift,
                                                  std::uint32_t random) {
  // What is discarded, as a fraction of an ulp with its point left of bit 63.
  const std::uint64_t fraction = std::uint64_t{significand} << (64 - shift);
  const std::uint64_t one = std::uint64_t{1} << random_bits;
  const std::uint64_t top = fraction >> (64 - random_bits);
  if (drawing == Drawing::kA) return top + random >= one;
  const std::uint64_t next = fraction >> (63 - random_bits);
  if (drawing == Drawing::kB) return next + 2 * std::uint64_t{random} + 1 >= 2 * one;
  // C rounds the fraction to random_bits first, to the nearest; ties to even or to odd.
  const bool half = (next & 1) != 0;
  const bool more = (fraction << random_bits << 1) != 0;
  const bool tie_up = ((top & 1) != 0) == (drawing == Drawing::kC);
  return top + (half && (more || tie_up) ? 1 : 0) + random >= one;
}

/// The magnitude code of x / 2^scale_exponent, rounded once; it may exceed the largest code. x is
/// not zero.
template <bool kDraws>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t round_magnitude(const Mode& mode, Normalized x,
                                                                  bool negative, int scale_exponent,
                                                                  std::uint32_t random) {
  const cpu::ElementConstants& c = mode.block.element;
  // 1. Below emin the grid stops getting finer: the exponent stays, the shift grows.
  const int exponent = x.exponent - scale_exponent;
  const int grid = exponent < c.emin ? c.emin : exponent;
  const int wanted = kPoint - c.man_bits + (grid - exponent);
  // 2. The kept leading one is worth one exponent step: adding the steps above emin assembles the
  //    code, and a carry moves into the exponent field by itself.
  const auto base = static_cast<std::uint32_t>(grid - c.emin) << c.man_bits;
  if constexpr (kDraws) {
    // Deeper than 63 bits no random word carries.
    const int shift = wanted > 63 ? 63 : wanted;
    const bool up = draws_up(mode.drawing, mode.random_bits, x.significand, shift, random);
    return base + static_cast<std::uint32_t>(std::uint64_t{x.significand} >> shift) + (up ? 1 : 0);
  } else {
    // 3. A shift by 31 leaves less than half an ulp of any significand, so larger ones add nothing.
    const int shift = wanted > 31 ? 31 : wanted;
    const bool odd = ((base + (x.significand >> shift)) & 1u) != 0;
    const cpu::RoundingMasks& r = c.rounding;
    const bool up = ((r.by_odd != 0 && odd) != (r.by_negative != 0 && negative)) != (r.always != 0);
    // 4. To nearest, half an ulp less one, and one more that carries a tie; directed, all or
    //    nothing.
    const std::uint32_t ones = (std::uint32_t{1} << shift) - 1;
    const std::uint32_t addend = r.nearest != 0 ? (ones >> 1) + (up ? 1 : 0) : (up ? ones : 0);
    return base + ((x.significand + addend) >> shift);
  }
}

/// The code of a finite magnitude under a scale.
template <bool kDraws>
[[nodiscard]] MX_HOST_DEVICE inline Encoded encode(const Mode& mode, Normalized x, bool negative,
                                                   int scale_exponent, std::uint32_t random) {
  const cpu::ElementConstants& c = mode.block.element;
  const bool is_zero = x.significand == 0;
  const std::uint32_t magnitude =
      is_zero ? 0u : round_magnitude<kDraws>(mode, x, negative, scale_exponent, random);
  const std::uint32_t limit = negative ? c.limit[1] : c.limit[0];
  if (magnitude > limit) return {negative ? c.overflow.of[1] : c.overflow.of[0], kSaturated};
  const std::uint32_t report = magnitude == 0 && !is_zero ? kUnderflow : 0u;
  const bool drops =
      (magnitude == 0 && c.drops_zero_sign != 0) || (is_zero && c.drops_input_sign != 0);
  if (!negative || drops) return {magnitude, report};
  const std::uint32_t complement = (0u - magnitude) & c.code_mask;
  return {c.twos_complement != 0 ? complement : magnitude | c.sign_bit, report};
}

/// What a block's largest magnitude decides.
struct BlockScale {
  int code;
  int exponent;          ///< the codes stand for value / 2^exponent
  bool fills;            ///< every code is the constants' nan_fill
  std::uint32_t status;  ///< without has_inf, which the elements report
};

/// The exponent field and significand bits of a number that scale rules look at: a key
/// (fast/cpu/constants.hpp), below 0 where the field is. `amax` is not zero.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline int key_of(std::uint32_t amax) {
  constexpr int kBelow = kPoint - (cpu::kKeyBits - 1);
  constexpr int kRebias = (cpu::kKeyBias - Source::kBias) * (1 << cpu::kKeyBits);
  if (amax >= Source::kHiddenBit) {
    // Field and seven bits of a normal number stand side by side already.
    constexpr int kCut = Source::kManBits - (cpu::kKeyBits - 1);
    const bool sticky = (amax & ((1u << kCut) - 1)) != 0;
    return static_cast<int>(amax >> kCut << 1) + kRebias + (sticky ? 1 : 0);
  }
  const Normalized x = normalize<Source>(amax);
  const auto top = static_cast<int>(x.significand >> kBelow << 1) - (1 << cpu::kKeyBits);
  const bool sticky = (x.significand & ((1u << kBelow) - 1)) != 0;
  return (x.exponent + cpu::kKeyBias) * (1 << cpu::kKeyBits) + top + (sticky ? 1 : 0);
}

/// The scale of a block whose largest magnitude code is `amax`; Inf and NaN lie above all numbers.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline BlockScale scale_of(const cpu::BlockConstants& c,
                                                        std::uint32_t amax) {
  if (amax >= Source::kInf) {
    return {c.nan_scale, 0, true, amax > Source::kInf ? kHasNan : 0u};
  }
  // The grid of a block of zeros does not matter; that of scale 1 is in every kernel's range.
  if (amax == 0) return {c.zero_scale, 0, false, c.zero_status};
  const int field = (key_of<Source>(amax) + c.rule_addend) >> cpu::kKeyBits;
  if (field >= c.nan_field) return {c.nan_scale, 0, true, kScaleClamped};
  const int wanted = field + c.scale_offset;
  const int low = wanted < c.lowest_scale ? c.lowest_scale : wanted;
  const int code = low > c.highest_scale ? c.highest_scale : low;
  // code + element_offset is the key exponent field of emin, less one.
  const int exponent = code + c.element_offset - (c.element.emin + cpu::kKeyBias - 1);
  return {code, exponent, false, code != wanted ? kScaleClamped : 0u};
}

}  // namespace mx::fast::cuda
