// One element: divided by the scale, clamped, rounded to the type, multiplied. spec S8.3.
#pragma once

#include <cstddef>
#include <optional>

#include "emulators/aimet/element/fake_cast.hpp"
#include "emulators/aimet/element/float_info.hpp"
#include "emulators/aimet/element/working.hpp"
#include "emulators/common/vector_target.hpp"

namespace mx::emulators::aimet {

/// How the quotient is rounded to the type.
enum class Route : std::uint8_t {
  kPattern,   ///< round_pattern(), by every mode where it is the same
  kFakeCast,  ///< compat, fake types whose formula is not that
  kScalar,    ///< compat, fake types on 0-dimensional tensors
  kExact      ///< strict, more than 20 mantissa bits
};

class ScaledKernel;
class UnitKernel;

class Kernel {
  friend class ScaledKernel;
  friend class UnitKernel;
  class UnitKernel;

 public:
  /// `working`: in compat the type that torch computes in, in strict the type of the results.
  /// `is_scalar`: tensor and scale are both 0-dimensional.
  Kernel(const FloatInfo& info, Mode mode, TensorType working, bool is_scalar);

  [[nodiscard]] TensorType working() const { return working_; }
  [[nodiscard]] const FloatInfo& info() const { return info_; }
  [[nodiscard]] Mode mode() const { return mode_; }

  /// Is the quotient rounded by round_pattern(), and nothing else?
  [[nodiscard]] bool is_by_pattern() const { return route_ == Route::kPattern && !is_unbounded(); }

  /// x / scale rounded to the type. All values are binary32 patterns.
  [[nodiscard]] Bits quantize(Bits x, Bits scale) const;

  /// Strict: quantize() by the reference's own division and encoder, whatever the operands.
  [[nodiscard]] Bits quantize_exact(Bits x, Bits scale) const;

  /// q * scale in the working type.
  [[nodiscard]] Bits dequantize(Bits q, Bits scale) const;

  [[nodiscard]] Bits operator()(Bits x, Bits scale) const {
    return dequantize(quantize(x, scale), scale);
  }

  /// fl_T(x / scale): what the clamp sees in compat.
  [[nodiscard]] Bits quotient(Bits x, Bits scale) const {
    return rounded(working_, divide(x, scale));
  }
  /// The clamp's bound in the working type.
  [[nodiscard]] Bits bound() const { return bound_; }
  /// The exponent of the smallest normal value.
  [[nodiscard]] int emin() const { return emin_; }

 private:
  /// Compat: the type's largest value is none of the working type, so that nothing is clamped
  /// (torch refuses that but on CUDA).
  [[nodiscard]] bool is_unbounded() const {
    return mode_ == Mode::kCompat && bound_ == fp32::kInfinity;
  }
  [[nodiscard]] Bits quantize_unbounded(Bits d) const;
  [[nodiscard]] Bits quantize_compat(Bits sign, Bits clamped) const;
  [[nodiscard]] Bits quantize_strict(Bits x, Bits scale) const;

  [[nodiscard]] Bits saturated(Bits sign, Bits magnitude) const {
    if (magnitude > max_) magnitude = beyond_;
    return magnitude == 0 && info_.unsigned_zero ? 0 : sign | magnitude;
  }

  FloatInfo info_;
  Mode mode_;
  TensorType working_;
  ElementFormat format_;
  Route route_ = Route::kPattern;
  Bits max_;     ///< the type's largest value
  Bits bound_;   ///< of the clamp; infinite where strict overflows to infinity
  Bits beyond_;  ///< what a rounded value above max_ becomes
  int emin_ = 0;
  std::optional<FakeCast> fake_;
  std::optional<ScalarFakeCast> scalar_;
};

/// A kernel under one scale: its division is a multiplication by the scale's reciprocal, which is
/// corrected. What is not normal is left to the kernel.
class ScaledKernel {
 public:
  ScaledKernel(const Kernel& kernel, Bits scale)
      : kernel_(kernel),
        scale_(scale),
        is_quick_(kernel.is_by_pattern() && is_normal(scale)),
        is_one_(scale == fp32::kOne),
        significand_((scale & 0x7FFFFF) | 0x800000),
        reciprocal_(~std::uint64_t{0} / significand_) {}

  [[nodiscard]] Bits operator()(Bits x) const {
    Bits q = 0;
    if (!is_quick_ || !quantized(x, q)) return kernel_(x, scale_);
    if (magnitude_of(q) == 0) return q ^ sign_of(scale_);
    if (is_one_) return rounded(kernel_.working_, q);
    Bits y = 0;
    if (kernel_.mode_ == Mode::kStrict && kernel_.working_ != TensorType::kFp32) {
      if (!multiply_normal<LastPlace::kOdd>(q, scale_, y)) return kernel_(x, scale_);
    } else if (!multiply_normal(q, scale_, y)) {
      return kernel_(x, scale_);
    }
    return rounded(kernel_.working_, y);
  }

 private:
  /// The value of the type, where the quotient is a normal number or zero.
  [[nodiscard]] bool quantized(Bits x, Bits& q) const {
    Bits d = x ^ sign_of(scale_);
    if (magnitude_of(x) != 0 && !is_one_) {
      const bool is_strict = kernel_.mode_ == Mode::kStrict;
      if (!(is_strict ? divided<LastPlace::kOdd>(x, d) : divided<LastPlace::kNearestEven>(x, d))) {
        return false;
      }
      if (!is_strict) d = rounded(kernel_.working_, d);
    }
    const Bits magnitude = magnitude_of(d);
    if (magnitude >= fp32::kInfinity) return false;
    const Bits clamped = magnitude < kernel_.bound_ ? magnitude : kernel_.bound_;
    q = kernel_.saturated(sign_of(d),
                          round_pattern(clamped, kernel_.emin_, kernel_.info_.mantissa_bits));
    return true;
  }

  template <LastPlace kPlace>
  [[nodiscard]] bool divided(Bits x, Bits& quotient) const {
    if (!is_normal(x)) return false;
    const std::uint32_t numerator = (x & 0x7FFFFF) | 0x800000;
    const int below = numerator < significand_ ? 1 : 0;
    const std::uint64_t shifted = std::uint64_t{numerator} << (24 + below);
    std::uint64_t wide = high_product(shifted, reciprocal_);
    std::uint64_t rest = shifted - wide * significand_;
    const std::uint64_t short_by_one = rest >= significand_ ? 1 : 0;
    wide += short_by_one;
    rest -= short_by_one * significand_;
    const int field = exponent_field(x) - exponent_field(scale_) + 127 - below;
    return pack_normal<kPlace>((x ^ scale_) & fp32::kSignBit, field,
                               static_cast<std::uint32_t>(wide), rest != 0, quotient);
  }

  [[nodiscard]] static std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Uint128 = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Uint128>(a) * b >> 64);
  }

  const Kernel& kernel_;
  Bits scale_;
  bool is_quick_, is_one_;
  std::uint64_t significand_;
  std::uint64_t reciprocal_;
};

/// A kernel under the scale 1 on binary32, many elements at once; for types whose subnormals are
/// rare, because a stretch with one is rounded one by one.
class UnitKernel {
 public:
  explicit UnitKernel(const Kernel& kernel, VectorTarget target = vector_target())
      : kernel_(kernel), target_(target) {}

  [[nodiscard]] bool applies() const {
    return kernel_.is_by_pattern() && kernel_.working_ == TensorType::kFp32 &&
           !kernel_.info_.unsigned_zero && kernel_.info_.mantissa_bits > 0 &&
           (kernel_.info_.mantissa_bits > 4 || kernel_.info_.exponent_bits > 4);
  }
  void operator()(const std::byte* values, std::byte* results, std::size_t count) const;

 private:
  const Kernel& kernel_;
  VectorTarget target_;
};

/// Does the package refuse the type for tensors of the working type? "" if not. The clamp's bound
/// must not exceed the working type's largest value.
[[nodiscard]] std::string_view clamp_problem(const FloatInfo& info, TensorType working);

}  // namespace mx::emulators::aimet
