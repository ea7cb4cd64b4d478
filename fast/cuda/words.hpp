// Source words as the CUDA path reads them, on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "fast/cpu/constants.hpp"
#include "reference/format/rows.hpp"

#if defined(__CUDACC__)
#define MX_HOST_DEVICE __host__ __device__
#define MX_NOINLINE __noinline__
#else
#define MX_HOST_DEVICE
#define MX_NOINLINE
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "the CUDA path needs compute capability 8.0: set CMAKE_CUDA_ARCHITECTURES to 80 or above"
#endif

// Host compilers do not know this pragma.
#if defined(__CUDA_ARCH__)
#define MX_UNROLL _Pragma("unroll")
#else
#define MX_UNROLL
#endif

namespace mx::fast::cuda {

/// What the arithmetic needs of an IEEE-like source format of at most 32 bits.
template <const ElementFormat& kFormat, cpu::Source kSource>
struct SourceTraits {
  static_assert(kFormat.kind == FormatKind::kFloat && kFormat.is_signed);
  static_assert(kFormat.inf == InfKind::kIeeeTop && kFormat.nan == NanKind::kIeeeAll);
  static_assert(kFormat.has_subnormal && kFormat.zero == ZeroKind::kPosAndNeg);
  static_assert(kFormat.storage_bits == 16 || kFormat.storage_bits == 32);

  using Word = std::conditional_t<kFormat.storage_bits == 16, std::uint16_t, std::uint32_t>;
  static constexpr cpu::Source kId = kSource;
  static constexpr int kManBits = kFormat.man_bits;
  static constexpr int kBias = kFormat.bias;
  static constexpr auto kHiddenBit = std::uint32_t{1} << kManBits;
  static constexpr auto kMagnitudeMask = static_cast<std::uint32_t>(kFormat.magnitude_mask());
  static constexpr auto kInf = static_cast<std::uint32_t>(kFormat.inf_code());
};

using Fp32 = SourceTraits<formats::fp32, cpu::Source::kFp32>;
using Bf16 = SourceTraits<formats::bf16, cpu::Source::kBf16>;
using Fp16 = SourceTraits<formats::fp16, cpu::Source::kFp16>;

/// Leading zeros of a nonzero word.
[[nodiscard]] MX_HOST_DEVICE inline int leading_zeros(std::uint32_t nonzero) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(nonzero));
#else
  return __builtin_clz(nonzero);
#endif
}

/// Word `index` of an array in the host's byte order. On the device the array is aligned to its
/// words, on the host it may start anywhere.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t load(const std::byte* words, std::size_t index) {
  using Word = typename Source::Word;
#if defined(__CUDA_ARCH__)
  return reinterpret_cast<const Word*>(words)[index];
#else
  Word word;
  std::memcpy(&word, words + index * sizeof(Word), sizeof(Word));
  return word;
#endif
}

template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline bool is_negative(std::uint32_t word) {
  return word > Source::kMagnitudeMask;
}

/// The bits below a normalised significand's leading one.
inline constexpr int kPoint = 29;

/// A magnitude significand * 2^(exponent - kPoint), significand in [2^29, 2^30): the two bits above
/// the leading one leave room for the rounding addend, and a shift by 31 discards every
/// significand. Zero has significand 0 and a meaningless exponent.
struct Normalized {
  std::uint32_t significand;
  int exponent;
};

/// Subnormals included: their leading one moves up as well, because a tiny block scales them up
/// into normal element values.
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

}  // namespace mx::fast::cuda
