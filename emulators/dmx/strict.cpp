#include "emulators/dmx/strict.hpp"

#include <algorithm>

#include "emulators/common/grid_simd.hpp"
#include "emulators/dmx/kernel/fixed_steps.hpp"
#include "emulators/dmx/kernel/float_simd.hpp"
#include "emulators/dmx/kernel/scaled_codes.hpp"
#include "emulators/dmx/rows.hpp"
#include "reference/arithmetic/arithmetic.hpp"

namespace mx::emulators::dmx {
namespace {

constexpr Bits kNan = 0x7FC00000;

Bits pattern_of(const Unpacked& x) { return x.cls == ValueClass::kNan ? kNan : fp32::round(x); }

/// code * 2^exponent, +0 for 0.
Bits pattern_of(std::int64_t code, int exponent) {
  const bool negative = code < 0;
  return fp32::round(
      unpack_integer(negative, static_cast<std::uint64_t>(negative ? -code : code), exponent));
}

int floor_log2(Bits magnitude) { return fp32::value(magnitude).exponent; }

/// A block of one: a precision without a limit to the exponent but binary32's.
Bits strict_single(int precision, Rounding rounding, Bits x, Words& words) {
  const std::uint32_t random = rounding == Rounding::kStochastic ? words.draw() : 0;
  const int field = exponent_field(x);
  if (rounding == Rounding::kNearest && precision < 25 && field >= 1 && field < 254) {
    return round_bits(x, precision - 2, BitRounding::kEven, 0, Platform::kX86);
  }
  if (magnitude_of(x) >= fp32::kInfinity) return kNan;
  if (magnitude_of(x) == 0) return 0;
  const Unpacked value = fp32::value(x);
  const int quantum = value.exponent - precision + 2;
  const int bits = precision < 25 ? 25 - precision : 0;
  // The magnitude is rounded stochastically, as a float is.
  Unpacked rounded = value;
  if (rounding == Rounding::kStochastic) rounded.negative = false;
  std::int64_t n = strict_integer(rounded, quantum, rounding, bits, random).value;
  if (rounding == Rounding::kStochastic && value.negative) n = -n;
  const std::int64_t carried = std::int64_t{1} << (precision - 1);
  if (value.exponent == 127 && (n >= carried || n <= -carried))
    n = n < 0 ? 1 - carried : carried - 1;
  return pattern_of(n, quantum);
}

/// The exact quotient x / c, c the largest magnitude over the largest code, as a code.
std::int64_t scaled_code(const FixedPoint& block, std::uint64_t largest, const Unpacked& reach,
                         Bits x, std::uint32_t random) {
  if (magnitude_of(x) == 0) return 0;
  const Unpacked part = multiply(fp32::value(x), unpack_integer(false, largest, 0));
  Unpacked ratio = exact_divide(part, reach).value;
  ratio.negative = sign_of(x) != 0;
  return strict_integer(ratio, 0, block.rounding, 24, random).value;
}

/// ST11.
class StrictScaled {
 public:
  explicit StrictScaled(const ScaledBlockFloatingPoint& format)
      : format_(format),
        largest_((std::uint64_t{1} << (format.block_format.precision - 1)) - 1),
        values_(StrictValues::of(format.scaler_format)),
        kernel_(FixedKernel::make(format.block_format.precision, 0, true, true,
                                  format.block_format.rounding, Platform::kX86)) {}

  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const FixedPoint& block = format_.block_format;
    const bool draws = block.rounding == Rounding::kStochastic;
    const Bits most = largest_magnitude(x);
    const bool is_nan = most >= fp32::kInfinity;
    const bool has_codes = most != 0 && !is_nan && largest_ != 0;
    const Unpacked reach = fp32::value(most);
    const Bits c =
        has_codes ? divide({}, most, fp32::from_integer(static_cast<std::uint32_t>(largest_))) : 0;
    const ScaledCodes quick(kernel_, block.precision, c);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint32_t random = draws ? words.draw() : 0;
      const auto code = quick.usable() ? quick(x[i]) : ScaledCodes::Code{};
      if (code.is_certain) {
        out[i] = exact_pattern(sign_of(x[i]), code.magnitude, 0);
      } else {
        out[i] = has_codes ? pattern_of(scaled_code(block, largest_, reach, x[i], random), 0) : 0;
      }
    }
    Unpacked step;
    if (has_codes) step = exact_divide(reach, unpack_integer(false, largest_, 0)).value;
    const Bits scale =
        fp32::round(strict_float(format_.scaler_format, values_, Beyond::kAsFormat, step, words));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Bits value = multiply({}, out[i], scale);
      // Codes are integers: their zero has no sign.
      out[i] = is_nan ? kNan : magnitude_of(value) == 0 ? 0 : value;
    }
  }

 private:
  ScaledBlockFloatingPoint format_;
  std::uint64_t largest_;
  StrictValues values_;
  FixedKernel kernel_;
};

/// A format's casts, by lanes where they can.
class StrictFloats {
 public:
  StrictFloats(const FloatingPoint& format, Beyond beyond)
      : format_(format), beyond_(beyond), values_(StrictValues::of(format)) {
    const bool is_usual = format.rounding == Rounding::kNearest && !format.is_unsigned &&
                          format.mantissa <= 22 && values_.least_exponent >= -126 &&
                          values_.least_exponent <= 126;
    if (!is_usual) return;
    Words none;
    const auto plain = [&](Bits m) { return one(fp32::value(m), none); };
    const Bits most =
        pattern_of(unpack_integer(false, values_.most, values_.most_exponent - values_.mantissa));
    const bool has_most = most < fp32::kInfinity;
    lanes_ = FloatSimd({.mantissa_bits = format.mantissa,
                        .least_normal = power_of_two(values_.least_exponent),
                        .most = has_most ? most : fp32::kInfinity,
                        .beyond = has_most ? plain(fp32::kInfinity) : fp32::kInfinity,
                        .zero_keeps_sign = true,
                        .nan_is_canonical = true},
                       plain);
  }

  [[nodiscard]] const FloatingPoint& format() const { return format_; }
  [[nodiscard]] int most_exponent() const { return values_.most_exponent; }

  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const auto plain = [&](Bits each) { return one(fp32::value(each), words); };
    if (lanes_.usable()) {
      lanes_(x, out);
      return lanes_.patch(x, plain, out);
    }
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = plain(x[i]);
  }

  /// x * 2^-scale cast, times 2^scale.
  void block(std::span<const Bits> x, int scale, Words& words, std::span<Bits> out) const {
    if (lanes_.takes(scale)) return lanes_(x, scale, out);
    for (std::size_t i = 0; i < x.size(); ++i) {
      Unpacked value = fp32::value(x[i]);
      value.exponent -= value.cls == ValueClass::kFinite ? scale : 0;
      Unpacked rounded = strict_float(format_, values_, beyond_, value, words);
      rounded.exponent += rounded.cls == ValueClass::kFinite ? scale : 0;
      out[i] = pattern_of(rounded);
    }
  }

 private:
  [[nodiscard]] Bits one(const Unpacked& x, Words& words) const {
    return pattern_of(strict_float(format_, values_, beyond_, x, words));
  }

  FloatingPoint format_;
  Beyond beyond_;
  StrictValues values_;
  FloatSimd lanes_;
};

/// ST9.
void mx_block(const StrictFloats& elements, std::span<const Bits> x, Words& words,
              std::span<Bits> out) {
  const Bits most = largest_magnitude(x);
  if (most < fp32::kInfinity && most != 0) {
    const int scale = std::clamp(floor_log2(most) - elements.most_exponent(), -127, 127);
    return elements.block(x, scale, words, out);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (elements.format().rounding == Rounding::kStochastic) (void)words.draw();
    const Bits zero = elements.format().is_unsigned ? 0 : sign_of(x[i]);
    out[i] = most == 0 ? zero : kNan;
  }
}

struct StrictCaster {
  const Source& source;
  Words& words;
  std::span<Bits> out;

  std::string operator()(const Same&) const {
    std::copy(source.values.begin(), source.values.end(), out.begin());
    return {};
  }
  std::string operator()(const FixedPoint& format) const {
    strict_fixed(format, source.values, words, out);
    return {};
  }
  std::string operator()(const FloatingPoint& format) const {
    const StrictFloats floats(format, Beyond::kAsFormat);
    floats(source.values, words, out);
    return {};
  }
  std::string operator()(const BlockFloatingPoint& format) const {
    if (format.block_size == 1) {
      const auto axis = axis_of(source.shape, source.axis);
      if (!axis) return std::string(axis.problem());
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = strict_single(format.precision, format.rounding, source.values[i], words);
      }
      return {};
    }
    using Lanes = GridSimd<GridRounding::kEven>;
    const int kept = format.precision - 2;
    return by_blocks(format.block_size, order_of(is_stochastic(Format(format))),
                     [&](std::span<const Bits> x, std::span<Bits> y) {
                       const Bits most = largest_magnitude(x);
                       const int field = exponent_field(most);
                       if (format.rounding == Rounding::kNearest && Lanes::takes(field, kept)) {
                         Lanes lanes(field, kept);
                         if (!format.symmetric) lanes.take_twice_the_power();
                         lanes(x, y);
                         return;
                       }
                       strict_block(format.precision, format.symmetric, format.rounding, x, words,
                                    y);
                     });
  }
  std::string operator()(const ScaledBlockFloatingPoint& format) const {
    const StrictScaled cast(format);
    return by_blocks(format.block_size, order_of(is_stochastic(Format(format))),
                     [&](std::span<const Bits> x, std::span<Bits> y) { cast(x, words, y); });
  }
  std::string operator()(const Mxfp& format) const {
    const StrictFloats elements(format.element_format, Beyond::kSaturates);
    return by_blocks(
        format.block_size, order_of(is_stochastic(Format(format))),
        [&](std::span<const Bits> x, std::span<Bits> y) { mx_block(elements, x, words, y); });
  }

 private:
  template <typename CastBlock>
  std::string by_blocks(std::int64_t block_size, BlockOrder order, CastBlock cast) const {
    const auto rows = Rows::make(source.shape, source.axis);
    if (!rows) return std::string(rows.problem());
    Matrix matrix(*rows, source.values, out);
    for_each_block(order, *rows, static_cast<std::size_t>(block_size),
                   [&](std::size_t row, std::size_t first, std::size_t width) {
                     cast(matrix.in(row, first, width), matrix.out(row, first, width));
                   });
    matrix.finish();
    return {};
  }
};

}  // namespace

std::string strict_cast(const Format& format, const Source& source, Words& words,
                        std::span<Bits> out) {
  return std::visit(StrictCaster{source, words, out}, format);
}

void strict_fixed(const FixedPoint& format, std::span<const Bits> values, Words& words,
                  std::span<Bits> out) {
  constexpr std::int64_t kFar = 2000;
  const int quantum = static_cast<int>(-std::clamp(format.fraction, -kFar, kFar));
  const std::int64_t width = std::clamp<std::int64_t>(format.precision, 1, 38);
  const std::int64_t most = (std::int64_t{1} << (width - 1)) - 1;
  const std::int64_t least = format.symmetric ? -most : -most - 1;
  const auto plain = [&](Bits value) -> Bits {
    const std::uint32_t random = format.rounding == Rounding::kStochastic ? words.draw() : 0;
    if (fp32::is_nan(value)) return kNan;
    const Unpacked x = fp32::value(value);
    const StrictInteger n = strict_integer(x, quantum, format.rounding, 24, random);
    if (!n.is_huge) {
      return pattern_of(format.clamp ? std::clamp(n.value, least, most) : n.value, quantum);
    }
    return format.clamp ? pattern_of(x.negative ? least : most, quantum) : value;
  };
  if (quantum >= -60 && quantum <= 60 && width >= 2 && width <= 22) {
    const FixedLimits limits{-quantum, format.clamp, static_cast<std::int32_t>(most),
                             static_cast<std::int32_t>(least)};
    if (run_fixed_steps<FixedResults::kExact>(format.rounding, limits, values, plain, out)) return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = plain(values[i]);
}

void strict_block(int precision, bool symmetric, Rounding rounding, std::span<const Bits> values,
                  Words& words, std::span<Bits> out) {
  const Bits reach = largest_magnitude(values);
  const bool is_nan = reach >= fp32::kInfinity;
  const int exponent = is_nan || reach == 0 ? 0 : floor_log2(reach);
  const int quantum = exponent - precision + 2;
  const std::int64_t most = (std::int64_t{1} << (precision - 1)) - 1;
  // -2^128 is no binary32 number.
  const std::int64_t least = symmetric || exponent == 127 ? -most : -most - 1;
  // As many random bits as the package's kernel has, where it has any.
  const int bits = precision < 23 ? 23 - precision : 31;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t random = rounding == Rounding::kStochastic ? words.draw() : 0;
    if (is_nan) {
      out[i] = kNan;
      continue;
    }
    const std::int64_t code =
        strict_integer(fp32::value(values[i]), quantum, rounding, bits, random).value;
    out[i] = pattern_of(std::clamp(code, least, most), quantum);
  }
}

}  // namespace mx::emulators::dmx
