// fake_cast_to_ieee_float: the documented formula, evaluated as torch evaluates it. spec S8.5.
#pragma once

#include <cstdint>
#include <vector>

#include "emulators/aimet/element/float_info.hpp"
#include "emulators/aimet/element/working.hpp"

namespace mx::emulators::aimet {

/// The formula for a maximum that is the type's own, so that B is an integer: 2^E - 1 - emax, which
/// is the IEEE bias plus one (KA1).
class FakeCast {
 public:
  /// `working`: the type of the tensor that the formula is evaluated on.
  FakeCast(const FloatInfo& info, TensorType working);

  /// The largest value in the working type; infinite where it overflows there.
  [[nodiscard]] Bits max() const { return max_; }

  /// A value of the working type as a binary32 pattern, and the result likewise.
  [[nodiscard]] Bits operator()(Bits x) const;

  /// The exponent L - B that the formula finds for a finite magnitude that is not 0: at least
  /// 1 - B. It is one more than the true one just below some powers of two, where the logarithm is
  /// rounded up to the integer (KA10).
  [[nodiscard]] int exponent_of(Bits magnitude) const;

  /// The formula's s for a finite magnitude: 0 where it underflows in the working type.
  [[nodiscard]] Bits scale_of(Bits magnitude) const;

  /// Is the formula round_pattern() with emin 1 - B, clamped? Where no logarithm slips over a
  /// rounding boundary and no scale underflows.
  [[nodiscard]] bool is_plain() const { return is_plain_; }

  [[nodiscard]] int bias() const { return bias_; }

 private:
  [[nodiscard]] int slips_below(int exponent) const;

  FloatInfo info_;
  TensorType working_;
  int bias_;  ///< B
  Bits max_;
  bool is_plain_ = false;
  std::vector<int> slips_;  ///< how many values below 2^k are misread, from k = 2 - B on
};

/// The formula on a 0-dimensional tensor, which torch evaluates in binary64: there B is off an
/// integer by a few units of the last place, so that ties go to one side (KA12). `x` and the result
/// are binary32 patterns.
class ScalarFakeCast {
 public:
  explicit ScalarFakeCast(const FloatInfo& info);
  [[nodiscard]] Bits operator()(Bits x) const;
  /// B as a binary64 pattern.
  [[nodiscard]] std::uint64_t bias() const { return bias_; }

 private:
  FloatInfo info_;
  std::uint64_t max_ = 0;
  std::uint64_t bias_ = 0;
};

}  // namespace mx::emulators::aimet
