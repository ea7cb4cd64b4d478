#include "emulators/aimet/element/fake_cast.hpp"

#include <algorithm>
#include <utility>

#include "emulators/aimet/element/logarithm.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::aimet {
namespace {

/// 2^exponent in a type: 0 at and below half of its smallest subnormal.
Bits power_of_two(TensorType type, int exponent) {
  return rounded(type, fp32::round(unpack_integer(false, 1, exponent)));
}

/// To the nearest integer, ties to even, the sign kept.
Bits nearest_integer(Bits x) {
  const Bits magnitude = magnitude_of(x);
  const int exponent = exponent_field(magnitude) - 127;
  if (exponent >= 23) return x;
  if (exponent < -1) return sign_of(x);
  if (exponent == -1) return sign_of(x) | (magnitude > 0x3F000000 ? fp32::kOne : 0);
  return sign_of(x) | round_at(magnitude, 23 - exponent);
}

/// The word of 2^exponent in a type of floats, subnormals included; the words below it count down
/// through the values below.
std::uint64_t word_of_power(TensorType type, int exponent) {
  return narrow(type, fp32::round(unpack_integer(false, 1, exponent)));
}

}  // namespace

FakeCast::FakeCast(const FloatInfo& info, TensorType working)
    : info_(info),
      working_(working),
      bias_((1 << info.exponent_bits) - 1 - info.emax()),
      max_(rounded(working, info.max_fp32())) {
  bool slips = false;
  for (int k = 2 - bias_; k <= info.emax() + 1; ++k) {
    slips_.push_back(slips_below(k));
    // Below 2^k everything within a quarter of the coarser quantum rounds to 2^k either way; the
    // factor 2 is for binades of subnormals.
    const int harmless = 1 << std::max(0, precision_of(working) - 1 - info.mantissa_bits - 1);
    slips = slips || 2 * slips_.back() >= harmless;
  }
  const bool fits = info.mantissa_bits < precision_of(working) - 1 && info.mantissa_bits <= 22;
  const bool has_scale = power_of_two(working, 1 - info.mantissa_bits - bias_) != 0;
  const bool counts =
      rounded(working, power_of_two(TensorType::kFp32, info.mantissa_bits + 1)) < fp32::kInfinity;
  // Without exponent bits the maximum is half a quantum off the grid.
  is_plain_ = info.exponent_bits > 0 && !slips && fits && has_scale && counts;
}

int FakeCast::slips_below(int exponent) const {
  const int target = exponent + bias_;  // the integer that the sum should stay below
  const Bits wanted = fp32::round(unpack_integer(false, static_cast<std::uint64_t>(target), 0));
  const Bits bias = fp32::from_integer(static_cast<std::uint32_t>(bias_));
  const std::uint64_t power = word_of_power(working_, exponent);
  const auto slips = [&](int below) {
    if (static_cast<std::uint64_t>(below) >= power) return false;
    const Bits x = widened(working_, power - static_cast<std::uint64_t>(below));
    const Bits logarithm = rounded(working_, log2_fp32(x));
    const Bits sum = rounded(working_, SoftMachine{}.add(logarithm, bias));
    return sum < fp32::kSignBit && sum >= wanted;
  };
  // They are few: looked for in steps that double.
  const int most = 1 << (precision_of(working_) - 1);
  int known = 0, beyond = 1;
  while (beyond < most && slips(beyond)) known = std::exchange(beyond, 2 * beyond);
  while (beyond - known > 1) {
    const int middle = known + (beyond - known) / 2;
    (slips(middle) ? known : beyond) = middle;
  }
  return known;
}

int FakeCast::exponent_of(Bits magnitude) const {
  int exponent = exponent_field(magnitude) - 127;
  if (exponent < -126) exponent = fp32::value(magnitude).exponent;
  const int index = exponent + 1 - (2 - bias_);
  if (index < 0) return 1 - bias_;
  if (static_cast<std::size_t>(index) < slips_.size()) {
    const int slips = slips_[static_cast<std::size_t>(index)];
    const std::uint64_t distance =
        word_of_power(working_, exponent + 1) - narrowed(working_, magnitude);
    if (distance <= static_cast<std::uint64_t>(slips)) ++exponent;
  }
  return std::max(exponent, 1 - bias_);
}

Bits FakeCast::scale_of(Bits magnitude) const {
  const int exponent = magnitude == 0 ? 1 - bias_ : exponent_of(magnitude);
  return power_of_two(working_, exponent - info_.mantissa_bits);
}

Bits FakeCast::operator()(Bits x) const {
  if (fp32::is_nan(x)) return kNan;
  const Bits magnitude = std::min(magnitude_of(x), max_);
  if (magnitude == fp32::kInfinity) return kNan;  // only where max() is: Inf / Inf
  const Bits scale = scale_of(magnitude);
  const Bits count = rounded(working_, divide(magnitude, scale));
  const Bits result = rounded(working_, multiply(nearest_integer(count), scale));
  return fp32::is_nan(result) ? kNan : sign_of(x) | result;
}

namespace {

const Arithmetic& binary64() {
  static const Arithmetic arithmetic = Arithmetic::ieee(formats::fp64);
  return arithmetic;
}

constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};

std::uint64_t fp64_of(const Unpacked& x) { return encode(x, formats::fp64, kIeee, 0).code; }

/// floor of a finite binary64.
int floor_of(std::uint64_t pattern) {
  const Unpacked x = decode(formats::fp64, pattern);
  if (x.cls == ValueClass::kZero) return 0;
  if (x.exponent < 0) return x.negative ? -1 : 0;
  const std::uint64_t whole = x.significand >> (63 - x.exponent);
  const bool is_whole = whole << (63 - x.exponent) == x.significand;
  const int floor = static_cast<int>(whole);
  return x.negative ? -floor - (is_whole ? 0 : 1) : floor;
}

}  // namespace

ScalarFakeCast::ScalarFakeCast(const FloatInfo& info) : info_(info) {
  const Arithmetic& fp64 = binary64();
  const std::uint64_t one = fp64_of(unpack_integer(false, 1, 0));
  max_ = fp64_of(info.max());
  const std::uint64_t top = fp64_of(unpack_integer(false, 1, info.exponent_bits));
  const std::uint64_t ones = (std::uint64_t{2} << info.mantissa_bits) - 1;
  const Unpacked largest = unpack_integer(false, ones, -info.mantissa_bits);
  const std::uint64_t above = fp64_of(log2(largest));
  bias_ = fp64.subtract(top, fp64_of(log2(info.max()))).code;
  bias_ = fp64.subtract(fp64.add(bias_, above).code, one).code;
}

Bits ScalarFakeCast::operator()(Bits x) const {
  const Arithmetic& fp64 = binary64();
  if (fp32::is_nan(x)) return kNan;
  const std::uint64_t value = std::min(fp64_of(fp32::value(magnitude_of(x))), max_);
  std::int64_t level = 1;
  if (value != 0) {
    const std::uint64_t logarithm = fp64_of(log2(decode(formats::fp64, value)));
    level = std::max(1, floor_of(fp64.add(logarithm, bias_).code));
  }
  const bool below = level < info_.mantissa_bits;
  const auto steps =
      static_cast<std::uint64_t>(below ? info_.mantissa_bits - level : level - info_.mantissa_bits);
  const std::uint64_t exponent =
      fp64.subtract(fp64_of(unpack_integer(below, steps, 0)), bias_).code;
  const std::uint64_t scale = fp64_of(exp2(decode(formats::fp64, exponent)));
  const Unpacked count = decode(formats::fp64, fp64.divide(value, scale).code);
  // To the nearest integer: a format whose quantum is 1.
  constexpr ElementFormat kIntegers = {.bits = 60,
                                       .storage_bits = 64,
                                       .exp_bits = 6,
                                       .man_bits = 53,
                                       .bias = -52,
                                       .max_code = (std::uint64_t{1} << 59) - 1};
  const std::uint64_t nearest = fp64_of(decode(kIntegers, encode(count, kIntegers, kIeee, 0).code));
  const std::uint64_t result = fp64.multiply(nearest, scale).code;
  return sign_of(x) | fp32::round(decode(formats::fp64, result));
}

}  // namespace mx::emulators::aimet
