// The short way of the fast kernels, which report no status: scales and elements of ties_to_even by
// one multiplication and one addition each. The exact rule's factors are no binary32 numbers: near
// a tie exact products decide.
#pragma once

#include "fast/cuda_nvfp4/coding.hpp"
#include "fast/cuda_nvfp4/rounding.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Codes of 16 elements, two a byte, the first in the low bits.
struct Nibbles {
  std::uint32_t word[2];
};

/// kExact: are the factors of all blocks normal numbers?
[[nodiscard]] MX_HOST_DEVICE inline bool has_factors(const Mode& mode, const Tensor& tensor) {
  constexpr std::uint32_t kLow = (127u - 100) << 23;
  constexpr std::uint32_t kHigh = (127u + 100) << 23;
  return mode.chain != Chain::kExact || (tensor.number >= kLow && tensor.number <= kHigh);
}

[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t saturated(std::uint32_t scale) {
  return scale < kLargestScale ? scale : kLargestScale;
}

/// Rare, and out of the way of the others.
[[nodiscard]] MX_HOST_DEVICE MX_NOINLINE inline std::uint32_t rare_scale(const Mode& mode,
                                                                         const Tensor& tensor,
                                                                         std::uint32_t amax) {
  return scale_of(mode, tensor.level, tensor.number, amax).code;
}

/// scale_of().code. `amax` may be infinite or NaN.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t short_scale(const Mode& mode,
                                                              const Tensor& tensor,
                                                              std::uint32_t amax) {
  if (amax >= kInfBits) return kNanScale;
  const float maximum = cuda::as_float(amax);
  if (mode.chain == Chain::kExact) {
    if (!has_factors(mode, tensor)) return rare_scale(mode, tensor, amax);
    const ToE4m3 scale(bounded(maximum * tensor.level.to_scale, 512.0f));
    if (!scale.is_near()) return saturated(scale.code());
    // Six ties of a 24-bit number: exact.
    const double unit = static_cast<double>(cuda::as_float(tensor.number));
    const double tie = static_cast<double>(scale.tie() * 6.0f) * unit;
    return saturated(scale.code_beside_tie(static_cast<double>(maximum) - tie));
  }
  float value = maximum * tensor.level.to_scale;
  if (mode.chain == Chain::kCublas) value = maximum / 6.0f;
  if (mode.chain == Chain::kTorchao) {
    value = (maximum / 6.0f) / tensor.level.to_scale;
    if (value != value) return kNanScale;
    if (value < 0x1p-6f) value = 0x1p-6f;
  }
  return saturated(ToE4m3(bounded(value, 512.0f)).code());
}

/// What elements are multiplied by under a scale that is no NaN: infinite where the short way has
/// no such factor.
[[nodiscard]] MX_HOST_DEVICE inline float short_factor(const Mode& mode, const Tensor& tensor,
                                                       std::uint32_t scale) {
  if (mode.chain != Chain::kExact) {
    return elements_under<false>(mode, tensor.level, tensor.number, scale).factor;
  }
  if (!has_factors(mode, tensor)) return cuda::as_float(kInfBits);
  if (scale == 0) return 0;
  return 1.0f / (scale_value(scale) * cuda::as_float(tensor.number));
}

/// Elements of a block, binary32 patterns with their signs.
template <int kCount>
struct Elements32 {
  std::uint32_t word[std::size_t{kCount}];
};

/// Elements by the coding's own arithmetic; `draws(i)` has the random words of elements i .. i + 3.
template <Coding kCoding, int kCount, class Draws>
[[nodiscard]] MX_HOST_DEVICE inline Nibbles long_codes(const Mode& mode, const Tensor& tensor,
                                                       std::uint32_t scale,
                                                       const Elements32<kCount>& block,
                                                       const Draws& draws) {
  const Elements elements = block_elements<kCoding>(mode, tensor, scale);
  Nibbles out{};
  cuda::FourWords random{};
  MX_UNROLL
  for (int i = 0; i < kCount; ++i) {
    if (kCoding == Coding::kCarries && i % 4 == 0) random = draws(i);
    const std::uint32_t word = block.word[i];
    const std::uint32_t code =
        encode_by<kCoding>(mode, elements, word & 0x7FFFFFFFu, word >> 31 != 0, random.word[i % 4])
            .code;
    out.word[i / 8] |= code << (i % 8 * 4);
  }
  return out;
}

/// Rare, and out of the way of the others.
template <int kCount>
[[nodiscard]] MX_HOST_DEVICE MX_NOINLINE Nibbles rare_codes(const Mode& mode, const Tensor& tensor,
                                                            std::uint32_t scale,
                                                            Elements32<kCount> block) {
  return long_codes<Coding::kThresholds>(mode, tensor, scale, block,
                                         [](int) { return cuda::FourWords{}; });
}

template <int kCount, class Coder>
[[nodiscard]] MX_HOST_DEVICE inline Nibbles short_codes(const Coder& coder,
                                                        const Elements32<kCount>& block) {
  Nibbles out{};
  MX_UNROLL
  for (int i = 0; i < kCount / 8; ++i) out.word[i] = eight_codes(coder, block.word + 8 * i);
  return out;
}

/// Where an element is near a tie: by itself, since its registers would be those of the kernel.
template <int kCount>
[[nodiscard]] MX_HOST_DEVICE MX_NOINLINE Nibbles near_codes(ByFactor factor, double unit,
                                                            Elements32<kCount> block) {
  return short_codes(ByUnit{factor, unit}, block);
}

/// Is an element near a tie under a factor?
template <int kCount>
[[nodiscard]] MX_HOST_DEVICE inline bool is_near_tie(const ByFactor& coder,
                                                     const Elements32<kCount>& block) {
  bool is_near = false;
  MX_UNROLL
  for (const std::uint32_t word : block.word) is_near |= coder.rounded(word).is_near();
  return is_near;
}

/// The codes of elements of a block under its scale.
template <Coding kCoding, int kCount, class Draws>
[[nodiscard]] MX_HOST_DEVICE inline Nibbles codes_of(const Mode& mode, const Tensor& tensor,
                                                     std::uint32_t scale,
                                                     const Elements32<kCount>& block,
                                                     const Draws& draws) {
  if (scale == kNanScale) return {};
  if constexpr (kCoding == Coding::kCarries || kCoding == Coding::kSearch) {
    return long_codes<kCoding>(mode, tensor, scale, block, draws);
  } else {
    const ByFactor coder{short_factor(mode, tensor, scale)};
    if (cuda::as_bits(coder.factor) >= kInfBits) return rare_codes(mode, tensor, scale, block);
    if (mode.chain != Chain::kExact || !is_near_tie(coder, block)) return short_codes(coder, block);
    const double number = static_cast<double>(cuda::as_float(tensor.number));
    return near_codes(coder, static_cast<double>(scale_value(scale)) * number, block);
  }
}

/// The scale of a block in the fast kernels: block_scale().code.
template <Coding kCoding, class MagnitudeAt>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t fast_scale(const Mode& mode, const Tensor& tensor,
                                                             std::uint32_t amax,
                                                             const MagnitudeAt& magnitude_at) {
  if constexpr (kCoding == Coding::kSearch || kCoding == Coding::kCandidates) {
    return block_scale<kCoding>(mode, tensor, amax, 16, magnitude_at).code;
  }
  return short_scale(mode, tensor, amax);
}

/// Eight codes of a word, a byte each.
struct Bytes8 {
  std::uint32_t word[2];
};
[[nodiscard]] MX_HOST_DEVICE inline Bytes8 spread(std::uint32_t codes) {
  Bytes8 out{};
  MX_UNROLL
  for (int i = 0; i < 8; ++i) out.word[i / 4] |= (codes >> (i * 4) & 0xFu) << (i % 4 * 8);
  return out;
}

/// As a call packs them.
[[nodiscard]] MX_HOST_DEVICE inline cuda::PackedUnit packed(cuda::Packing packing,
                                                            const Nibbles& codes) {
  if (packing != cuda::Packing::kBytes) return {{codes.word[0], codes.word[1], 0, 0}};
  const Bytes8 low = spread(codes.word[0]);
  const Bytes8 high = spread(codes.word[1]);
  return {{low.word[0], low.word[1], high.word[0], high.word[1]}};
}

}  // namespace mx::fast::cuda_nvfp4
