#include "emulators/aimet/element/scale.hpp"

#include <algorithm>

#include "emulators/aimet/element/logarithm.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/number/log2f.hpp"

namespace mx::emulators::aimet {
namespace {

Bits power_of_two(int exponent) { return fp32::round(unpack_integer(false, 1, exponent)); }

/// fl(fl(log2 |maxval|) - fl(log2 max)).
Bits log2_scale(Bits maxval, const FloatInfo& info) {
  return SoftMachine{}.subtract(log2_fp32(maxval), log2_fp32(info.max_fp32()));
}

}  // namespace

Bits scale_of(Bits maxval, const FloatInfo& info, Mode mode) {
  if (mode == Mode::kStrict) return divide(magnitude_of(maxval), info.max_fp32());
  return exp2_fp32(log2_scale(maxval, info));
}

Bits mxfp4_scale(Bits maxval, Mode mode) {
  const Bits magnitude = magnitude_of(maxval);
  if (magnitude == 0 || magnitude >= fp32::kInfinity) return magnitude;
  if (mode == Mode::kCompat) {
    const Bits difference = log2_scale(maxval, kFloat4E2m1fn);
    // To an integer, ties to even: binary32 as a grid of quantum 1.
    const Bits count = round_pattern(magnitude_of(difference), 22, 22);
    return exp2_fp32(sign_of(difference) | count);
  }
  const Unpacked value = fp32::value(magnitude);
  const Unpacked six = unpack_integer(false, 6, 0);
  const int below = exact_divide(value, six).value.exponent;
  // maxval / 6 >= sqrt(2) * 2^below, squared.
  const bool up =
      compare_magnitude(mx::multiply(value, value), unpack_integer(false, 36, 2 * below + 1)) >= 0;
  return power_of_two(std::clamp(below + (up ? 1 : 0), -127, 127));
}

Bits mxfp4_weight_scale(Bits amax, Mode mode) {
  const Bits magnitude = magnitude_of(amax);
  if (magnitude > fp32::kInfinity) return kNan;
  if (mode == Mode::kCompat) {
    const Bits quarter = divide(magnitude, 0x40800000);
    if (quarter == 0) return fp32::kOne;
    if (quarter == fp32::kInfinity) return quarter;
    return power_of_two(log2f::floor_exponent(quarter));
  }
  if (magnitude == 0) return power_of_two(-127);
  if (magnitude == fp32::kInfinity) return kNan;
  return power_of_two(std::clamp(fp32::value(magnitude).exponent - 2, -127, 127));
}

}  // namespace mx::emulators::aimet
