// Two 16-bit words at a time, as a device multiplies them, and powers of two of the words' formats.
#pragma once

#include "fast/cuda/units.hpp"

namespace mx::fast::cuda_dequantize {

/// Bytes 0 and 1, or 2 and 3, of a word in the low bits of a half each.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t spread_bytes(std::uint32_t word, int upper) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, 0, upper != 0 ? 0x4342 : 0x4140);
#else
  const std::uint32_t both = upper != 0 ? word >> 16 : word & 0xFFFFu;
  return (both & 0xFFu) | (both << 8 & 0xFF0000u);
#endif
}

/// The pattern of 2^exponent in a format: normal, of fp16 subnormal too.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t power_of_two(int exponent) {
  const auto field = static_cast<std::uint32_t>(exponent + Words::kBias);
  if constexpr (Words::kBias == 127) return field << Words::kManBits;
  constexpr int kEmin = 1 - Words::kBias;
  if (exponent >= kEmin) return field << Words::kManBits;
  return std::uint32_t{1} << (exponent - kEmin + Words::kManBits);
}

/// A nonnegative number in range as the magnitude of a 16-bit word. It needs rounding only where
/// fp16 has subnormals: half an ulp of one half is the last of them.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t narrow(float value) {
  const std::uint32_t bits = cuda::as_bits(value);
  if constexpr (Words::kBias == 127) return bits >> 16;
  constexpr std::uint32_t kSmallestNormal = (127u - 14u) << 23;
  if (bits >= kSmallestNormal) return (bits - (112u << 23)) >> 13;
  return cuda::as_bits(value + 0.5f) - cuda::as_bits(0.5f);
}

/// The products of two pairs of nonnegative 16-bit words, subnormals among them: exact but where
/// those of fp16 are subnormal, which are rounded to nearest, ties to even.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t scaled_halves(std::uint32_t words,
                                                                std::uint32_t factors) {
#if defined(__CUDA_ARCH__)
  std::uint32_t products = 0;
  if constexpr (Words::kBias == 127) {
    // sm_80 multiplies bf16 only where it adds: -0 changes nothing.
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(products)
        : "r"(words), "r"(factors), "r"(0x80008000u));
  } else {
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(products) : "r"(words), "r"(factors));
  }
  return products;
#else
  std::uint32_t products = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    // As a device has it: what is no number stays none.
    if ((words >> shift & Words::kMagnitudeMask) >= Words::kInf) {
      products |= Words::kMagnitudeMask << shift;
      continue;
    }
    const float a = cuda::as_float(cuda::wide_magnitude<Words>(words >> shift));
    const float b = cuda::as_float(cuda::wide_magnitude<Words>(factors >> shift));
    products |= narrow<Words>(a * b) << shift;
  }
  return products;
#endif
}

}  // namespace mx::fast::cuda_dequantize
