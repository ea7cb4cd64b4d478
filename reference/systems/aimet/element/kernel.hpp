// One element: divided by the scale, clamped, rounded to the type, multiplied. spec S8.3.
#pragma once

#include <optional>

#include "reference/systems/aimet/element/fake_cast.hpp"
#include "reference/systems/aimet/element/float_info.hpp"
#include "reference/systems/aimet/element/working.hpp"

namespace mx::systems::aimet {

/// How the quotient is rounded to the type.
enum class Route : std::uint8_t {
  kPattern,   ///< round_pattern(), by every mode where it is the same
  kFakeCast,  ///< compat, fake types whose formula is not that
  kScalar,    ///< compat, fake types on 0-dimensional tensors
  kExact      ///< strict, more than 20 mantissa bits
};

class Kernel {
 public:
  /// `working`: in compat the type that torch computes in, in strict the type of the results.
  /// `is_scalar`: tensor and scale are both 0-dimensional.
  Kernel(const FloatInfo& info, Mode mode, TensorType working, bool is_scalar);

  [[nodiscard]] TensorType working() const { return working_; }
  [[nodiscard]] const FloatInfo& info() const { return info_; }
  [[nodiscard]] Mode mode() const { return mode_; }

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

 private:
  [[nodiscard]] Bits quantize_strict(Bits x, Bits scale) const;

  [[nodiscard]] Bits saturated(Bits sign, Bits magnitude) const;

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

/// Does the package refuse the type for tensors of the working type? "" if not. The clamp's bound
/// must not exceed the working type's largest value.
[[nodiscard]] std::string_view clamp_problem(const FloatInfo& info, TensorType working);

}  // namespace mx::systems::aimet
