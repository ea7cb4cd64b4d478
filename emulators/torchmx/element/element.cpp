#include "emulators/torchmx/element/element.hpp"

#include <bit>

#include "emulators/torchmx/element/fields.hpp"
#include "reference/element/encode.hpp"

namespace mx::emulators::torchmx {
namespace {

/// Ties to even, saturating, -0 kept: the default.
constexpr ElementPolicy kPolicy = {};

constexpr int kBf16Mantissa = 7;

}  // namespace

std::uint8_t simulated_code(Bits value, std::uint8_t shared_exponent, const DType& elem_dtype,
                            Mode mode) {
  const Bits quotient = SoftMachine{}.divide(value, get_fp_scale(shared_exponent));
  if (fp32::is_nan(quotient)) return 0;
  // Saturation is the clamp: what exceeds the largest value becomes it.
  const ElementFormat& format = format_of(elem_dtype, mode);
  return static_cast<std::uint8_t>(encode(fp32::value(quotient), format, kPolicy, 0).code);
}

std::uint8_t hw_exact_code(std::uint16_t word, std::uint8_t shared_exponent,
                           const DType& elem_dtype) {
  const bool is_nan_scale = shared_exponent == kE8m0ExponentNanVal;
  const bool is_zero = (word & 0x7FFF) == 0;
  const int bits = elem_dtype.mantissa_bits;
  const Fields fields = unpack_bfloat16(word);
  const int sign = is_nan_scale ? 0 : fields.sign;
  int exponent = fields.exponent;
  std::int64_t mantissa = static_cast<std::int64_t>(fields.mantissa);
  if (exponent == 0 && !is_zero) {  // 1: normalise
    const int leading_one = leading_one_position(mantissa);
    mantissa = mantissa << (7 - leading_one) & 0x7F;
    exponent = leading_one - 6;
  }
  int new_exponent = exponent - shared_exponent + elem_dtype.exponent_bias;  // 2
  const auto is_subnormal = [&] { return new_exponent <= 0 && new_exponent >= -bits && !is_zero; };
  std::int64_t rounded = 0;  // 3
  if (new_exponent > 0) rounded = round_to_even(mantissa, kBf16Mantissa - bits);
  if (is_subnormal()) {
    const std::int64_t sticky = (mantissa & 0xF) != 0 ? 1 : 0;
    const std::int64_t shifted = 1 << 6 | (mantissa >> 4) << 3 | sticky << 2;
    rounded = round_to_even(shifted, kBf16Mantissa - bits - new_exponent);
  }
  if (rounded > n_ones(bits)) {
    rounded = 0;
    ++new_exponent;
  }
  // Later writes win: a subnormal is written over an underflow, so over the NaN block's zero too.
  const int top = (1 << elem_dtype.exponent_bits) - 1;
  const bool is_e4m3 = elem_dtype == kFloat8E4m3;
  const bool is_underflow = new_exponent < -bits || is_nan_scale || is_zero;
  const bool is_saturated = new_exponent > top || (is_e4m3 && new_exponent == 15 && rounded == 7);
  std::int64_t code = 0;
  if (is_subnormal()) {
    code = rounded;
  } else if (is_saturated) {
    code = is_e4m3 ? 0x7E : n_ones(bits + elem_dtype.exponent_bits);
  } else if (!is_underflow) {
    code = std::int64_t{new_exponent} << bits | rounded;
  }
  return static_cast<std::uint8_t>(sign << (bits + elem_dtype.exponent_bits) | code);
}

CodeTable::CodeTable(const DType& elem_dtype, Mode mode) {
  const ElementFormat& format = format_of(elem_dtype, mode);
  // From a tie below the smallest magnitude, which becomes zero, to one binade above the largest.
  const bool is_integer = format.kind == FormatKind::kTwosComplement;
  const int smallest = is_integer ? -format.frac_bits : 1 - format.bias - format.man_bits;
  const int largest = shared_exponent_offset(elem_dtype, mode);
  first_ = (smallest - 1) * 128;
  last_ = (largest + 1) * 128 - first_;
  codes_.reserve(static_cast<std::size_t>(last_ + 1) * 2);
  for (int position = first_; position <= first_ + last_; ++position) {
    const std::uint64_t significand = 128 + static_cast<std::uint64_t>(position & 127);
    const int exponent = (position >> 7) - 7;
    for (const bool negative : {false, true}) {
      const Unpacked x = unpack_integer(negative, significand, exponent);
      codes_.push_back(static_cast<std::uint8_t>(encode(x, format, kPolicy, 0).code));
    }
  }
  for (int m = 1; m < 128; ++m) {
    const int shift = std::countl_zero(static_cast<std::uint32_t>(m)) - 24;
    subnormal_[m] = (1 - shift) * 128 + ((m << shift) & 127);
  }
  subnormal_[0] = -(1 << 20);
}

const CodeTable& code_table(const DType& elem_dtype, Mode mode) {
  static const CodeTable e4m3(kFloat8E4m3, Mode::kStrict);
  static const CodeTable e3m2(kFloat6E3m2, Mode::kStrict);
  static const CodeTable e2m3(kFloat6E2m3, Mode::kStrict);
  static const CodeTable e2m1(kFloat4E2m1, Mode::kStrict);
  static const CodeTable mxint8(kInt8, Mode::kStrict);
  static const CodeTable whole_int8(kInt8, Mode::kCompat);
  if (elem_dtype == kFloat8E4m3) return e4m3;
  if (elem_dtype == kFloat6E3m2) return e3m2;
  if (elem_dtype == kFloat6E2m3) return e2m3;
  if (elem_dtype == kFloat4E2m1) return e2m1;
  return mode == Mode::kStrict ? mxint8 : whole_int8;
}

}  // namespace mx::emulators::torchmx
