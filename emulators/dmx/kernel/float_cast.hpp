// FloatingPoint.cast() of the package, value by value and row by row. Rule DX-F, spec S5.5.
#pragma once

#include <string>

#include "emulators/dmx/kernel/float_simd.hpp"
#include "emulators/dmx/kernel/kernels.hpp"

namespace mx::emulators::dmx {

[[nodiscard]] inline FloatKernel kernel_of(const FloatingPoint& format, Platform platform) {
  return {.exponent_bits = format.exponent,
          .mantissa_bits = format.mantissa,
          .bias = format.bias,
          .flush = format.flush_subnormal,
          .rounding = bit_rounding_of(format.rounding),
          .machine = SoftMachine{platform}};
}

[[nodiscard]] inline bool is_float32(const FloatingPoint& format) {
  return repr(format) == "FP[1|8|23,127](_N)";
}

/// Lanes that compute what a kernel to nearest does.
[[nodiscard]] FloatSimd lanes_of(const FloatKernel& kernel);

/// float_quantize() of many values.
void run_kernel(const FloatKernel& kernel, const FloatSimd& lanes, std::span<const Bits> x,
                Words& words, std::span<Bits> out);

class FloatCast {
 public:
  FloatCast(const FloatingPoint& format, Platform platform)
      : kernel_(kernel_of(format, platform)),
        lanes_(lanes_of(kernel_)),
        passes_(is_float32(format)),
        is_float16_(repr(format) == "FP[1|5|10,15](FN)"),
        is_unsigned_(format.is_unsigned) {}

  [[nodiscard]] Bits operator()(Bits x, Words& words) const {
    return finished(passes_ ? x : kernel_(x, words));
  }

  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const;

  /// Lanes that give the whole cast, for blocks of x * 2^-shift; nullptr where there are none.
  [[nodiscard]] const FloatSimd* block_lanes() const {
    return passes_ || is_float16_ || is_unsigned_ || !lanes_.usable() ? nullptr : &lanes_;
  }

  /// Does the cast tell values below 2^-126 from zero?
  [[nodiscard]] bool sees_below_binary32() const {
    return passes_ || kernel_.least_field() < 30 || kernel_.mantissa_bits == 23;
  }

 private:
  [[nodiscard]] Bits finished(Bits y) const {
    constexpr Bits kSmallestNormal = 0x38800000;  // 2^-14
    if (is_float16_ && magnitude_of(y) < kSmallestNormal) y = 0;
    return is_unsigned_ ? magnitude_of(y) : y;
  }

  FloatKernel kernel_;
  FloatSimd lanes_;
  bool passes_;
  bool is_float16_;
  bool is_unsigned_;
};

}  // namespace mx::emulators::dmx
