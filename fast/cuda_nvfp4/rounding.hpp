// Rounding to E2M1 and to E4M3 by one binary32 addition, to nearest, ties to even, as the device
// computes unless it is compiled with -ftz=true: what the fast kernels do where nobody asks for
// status words.
#pragma once

#include <cmath>

#include "fast/cuda_nvfp4/mode.hpp"

namespace mx::fast::cuda_nvfp4 {

/// A format's magnitudes: kManBits below the leading one, and no finer than at 2^kEmin.
template <int kManBits, int kEmin>
class ByAddition {
  /// Bits of a binary32 significand below the kept ones.
  static constexpr int kLift = 23 - kManBits;
  static constexpr std::uint32_t kGrid = static_cast<std::uint32_t>(kEmin + 127) << 23;
  /// Half a step in the binade of 1; and of its last bits as many as are more than a 2^21st of a
  /// number below 2.
  static constexpr std::uint32_t kHalf = static_cast<std::uint32_t>(126 - kManBits) << 23;
  static constexpr std::uint32_t kMargin = 0x40u << kManBits;

 public:
  /// `x` is at least 0 and far from the end of binary32's range.
  MX_HOST_DEVICE explicit ByAddition(float x) : x_(x) {
    const std::uint32_t own = cuda::as_bits(x) & 0x7F800000u;
    binade_ = own > kGrid ? own : kGrid;
    lifted_ = cuda::as_float(binade_) * cuda::as_float((127u + kLift) << 23);
    sum_ = x + lifted_;
  }

  /// The code, and what has to be taken off it: several codes may have that done at once.
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t raised_code() const {
    return cuda::as_bits(sum_) - binade_ + (binade_ >> kLift);
  }
  static constexpr std::uint32_t kRaise =
      (std::uint32_t{kLift} << 23) + (static_cast<std::uint32_t>(kEmin + 127) << kManBits);

  [[nodiscard]] MX_HOST_DEVICE std::uint32_t code() const { return raised_code() - kRaise; }
  [[nodiscard]] MX_HOST_DEVICE float value() const { return sum_ - lifted_; }

  /// Could a number within 2^-21 of x, as a part of it, round otherwise?
  [[nodiscard]] MX_HOST_DEVICE bool is_near() const {
    return std::fabs(x_ - value()) > cuda::as_float(binade_) * cuda::as_float(kHalf - kMargin);
  }
  /// The tie that x is near to, and the code of a number that lies above it, at it or below it
  /// (`side` above, at or below 0).
  [[nodiscard]] MX_HOST_DEVICE float tie() const {
    const float half = cuda::as_float(binade_) * cuda::as_float(kHalf);
    return x_ > value() ? value() + half : value() - half;
  }
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t code_beside_tie(double side) const {
    const std::uint32_t lower = code() - (x_ > value() ? 0u : 1u);
    const bool goes_up = side > 0 || (side == 0 && (lower & 1u) != 0);
    return lower + (goes_up ? 1u : 0u);
  }

 private:
  float x_;
  float lifted_;
  float sum_;
  std::uint32_t binade_;
};

using ToE2m1 = ByAddition<1, 0>;
using ToE4m3 = ByAddition<3, -6>;

/// The smaller of a number and a finite bound; NaN is above it.
[[nodiscard]] MX_HOST_DEVICE inline float bounded(float x, float most) {
#if defined(__CUDA_ARCH__)
  return fminf(x, most);
#else
  return x < most ? x : most;
#endif
}

/// The rounded magnitude of E4M3, above the largest where it overflows.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t scale_code(float x) {
  return ToE4m3(bounded(x, 512.0f)).code();
}

/// An element at scale 1, saturated.
[[nodiscard]] MX_HOST_DEVICE inline ToE2m1 rounded_element(float x) {
  return ToE2m1(bounded(x, 6.0f));
}

/// What makes codes of elements under a scale: a multiplication and a rounding.
struct ByFactor {
  float factor;

  [[nodiscard]] MX_HOST_DEVICE ToE2m1 rounded(std::uint32_t word) const {
    return rounded_element(std::fabs(cuda::as_float(word)) * factor);
  }
  static constexpr std::uint32_t kRaise = ToE2m1::kRaise;
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t raised_code(std::uint32_t word) const {
    return rounded(word).raised_code();
  }
};

/// The same where `factor` is only near 1 / unit, and elements near ties are compared with them:
/// products of a unit's 28 bits and a tie's 3 are exact.
struct ByUnit {
  ByFactor near;
  double unit;

  static constexpr std::uint32_t kRaise = 0;
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t raised_code(std::uint32_t word) const {
    const ToE2m1 element = near.rounded(word);
    if (!element.is_near()) return element.code();
    const double x = static_cast<double>(std::fabs(cuda::as_float(word)));
    return element.code_beside_tie(x - static_cast<double>(element.tie()) * unit);
  }
};

/// Codes of eight elements, binary32 patterns with their signs, from the low bits on.
template <class Coder>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t eight_codes(const Coder& coder,
                                                              const std::uint32_t* words) {
  std::uint32_t raised = 0;
  std::uint32_t signs = 0;
  MX_UNROLL
  for (int i = 7; i >= 0; --i) {
    raised = raised * 16 + coder.raised_code(words[i]);
    signs = signs << 4 | words[i] >> 31;
  }
  // The raise of each of the eight, in its place.
  return (raised - Coder::kRaise * 0x11111111u) | signs << 3;
}

}  // namespace mx::fast::cuda_nvfp4
