#include "reference/systems/dmx/strict.hpp"

#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/systems/dmx/patterns.hpp"
#include "reference/systems/dmx/rows.hpp"

namespace mx::systems::dmx {
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

Checked<std::vector<Bits>> cast_bfp(const BlockFloatingPoint& format, const Source& source,
                                    const Rows& rows, Words& words) {
  const std::vector<Bits> values = rows.gather(source.values);
  std::vector<Bits> out(values.size());
  if (format.block_size == 1) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = strict_single(format.precision, format.rounding, source.values[i], words);
    }
    return out;
  }
  const std::size_t n = rows.columns();
  for_each_block(rows.rows(), n, static_cast<std::size_t>(format.block_size),
                 [&](std::size_t row, std::size_t c, std::size_t w) {
                   strict_block(format.precision, format.symmetric, format.rounding,
                                std::span(values).subspan(row * n + c, w), words,
                                std::span(out).subspan(row * n + c, w));
                 });
  return rows.scatter(std::move(out));
}

/// ST11.
void scaled_block(const ScaledBlockFloatingPoint& format, std::span<const Bits> x, Words& words,
                  std::span<Bits> out) {
  const Bits most = largest_magnitude(x);
  const FixedPoint& block = format.block_format;
  const std::uint64_t largest = (std::uint64_t{1} << (block.precision - 1)) - 1;
  std::vector<std::int64_t> codes(x.size());
  const Unpacked reach = fp32::value(most);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t random = block.rounding == Rounding::kStochastic ? words.draw() : 0;
    if (most == 0 || most >= fp32::kInfinity || largest == 0 || magnitude_of(x[i]) == 0) continue;
    const bool negative = sign_of(x[i]) != 0;
    const Unpacked part = multiply(fp32::value(x[i]), unpack_integer(false, largest, 0));
    Unpacked ratio = exact_divide(part, reach).value;
    ratio.negative = negative;
    codes[i] = strict_integer(ratio, 0, block.rounding, 24, random).value;
  }
  Unpacked step;
  if (largest != 0) step = exact_divide(reach, unpack_integer(false, largest, 0)).value;
  const StrictValues values = StrictValues::of(format.scaler_format);
  const Unpacked scale = strict_float(format.scaler_format, values, Beyond::kAsFormat, step, words);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t code = codes[i];
    if (most >= fp32::kInfinity) {
      out[i] = kNan;
    } else if (code == 0 || scale.cls == ValueClass::kZero) {
      out[i] = 0;
    } else {
      const auto magnitude = static_cast<std::uint64_t>(code < 0 ? -code : code);
      out[i] = fp32::round(multiply(unpack_integer(code < 0, magnitude, 0), scale));
    }
  }
}

/// ST9.
void mx_block(const FloatingPoint& element, const StrictValues& values, std::span<const Bits> x,
              Words& words, std::span<Bits> out) {
  const Bits most = largest_magnitude(x);
  if (most >= fp32::kInfinity || most == 0) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (element.rounding == Rounding::kStochastic) (void)words.draw();
      const Bits zero = element.is_unsigned ? 0 : sign_of(x[i]);
      out[i] = most == 0 ? zero : kNan;
    }
    return;
  }
  const int scale = std::clamp(floor_log2(most) - values.most_exponent, -127, 127);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Unpacked value = fp32::value(x[i]);
    value.exponent -= value.cls == ValueClass::kFinite ? scale : 0;
    Unpacked rounded = strict_float(element, values, Beyond::kSaturates, value, words);
    rounded.exponent += rounded.cls == ValueClass::kFinite ? scale : 0;
    out[i] = pattern_of(rounded);
  }
}

struct Caster {
  const Source& source;
  Words& words;

  using Result = Checked<std::vector<Bits>>;

  Result operator()(const Same&) const {
    return std::vector<Bits>(source.values.begin(), source.values.end());
  }
  Result operator()(const FixedPoint& format) const {
    std::vector<Bits> out(source.values.size());
    strict_fixed(format, source.values, words, out);
    return out;
  }
  Result operator()(const FloatingPoint& format) const {
    const StrictValues values = StrictValues::of(format);
    std::vector<Bits> out(source.values.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = pattern_of(
          strict_float(format, values, Beyond::kAsFormat, fp32::value(source.values[i]), words));
    }
    return out;
  }
  Result operator()(const BlockFloatingPoint& format) const {
    const auto rows = Rows::make(source.shape, source.axis);
    if (!rows) return Problem{std::string(rows.problem())};
    return cast_bfp(format, source, *rows, words);
  }
  Result operator()(const ScaledBlockFloatingPoint& format) const {
    return by_blocks(format.block_size, [&](std::span<const Bits> x, std::span<Bits> out) {
      scaled_block(format, x, words, out);
    });
  }
  Result operator()(const Mxfp& format) const {
    const StrictValues values = StrictValues::of(format.element_format);
    return by_blocks(format.block_size, [&](std::span<const Bits> x, std::span<Bits> out) {
      mx_block(format.element_format, values, x, words, out);
    });
  }

 private:
  template <typename Cast>
  Result by_blocks(std::int64_t block_size, Cast cast) const {
    const auto rows = Rows::make(source.shape, source.axis);
    if (!rows) return Problem{std::string(rows.problem())};
    const std::vector<Bits> values = rows->gather(source.values);
    std::vector<Bits> out(values.size());
    const std::size_t n = rows->columns();
    for_each_block(rows->rows(), n, static_cast<std::size_t>(block_size),
                   [&](std::size_t row, std::size_t c, std::size_t w) {
                     cast(std::span(values).subspan(row * n + c, w),
                          std::span(out).subspan(row * n + c, w));
                   });
    return rows->scatter(std::move(out));
  }
};

}  // namespace

Checked<std::vector<Bits>> strict_cast(const Format& format, const Source& source, Words& words) {
  return std::visit(Caster{source, words}, format);
}

void strict_fixed(const FixedPoint& format, std::span<const Bits> values, Words& words,
                  std::span<Bits> out) {
  constexpr std::int64_t kFar = 2000;
  const int quantum = static_cast<int>(-std::clamp(format.fraction, -kFar, kFar));
  const std::int64_t width = std::clamp<std::int64_t>(format.precision, 1, 38);
  const std::int64_t most = (std::int64_t{1} << (width - 1)) - 1;
  const std::int64_t least = format.symmetric ? -most : -most - 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t random = format.rounding == Rounding::kStochastic ? words.draw() : 0;
    if (fp32::is_nan(values[i])) {
      out[i] = kNan;
      continue;
    }
    const Unpacked x = fp32::value(values[i]);
    const StrictInteger n = strict_integer(x, quantum, format.rounding, 24, random);
    if (n.is_huge) {
      out[i] = format.clamp ? pattern_of(x.negative ? least : most, quantum) : values[i];
    } else {
      out[i] = pattern_of(format.clamp ? std::clamp(n.value, least, most) : n.value, quantum);
    }
  }
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

}  // namespace mx::systems::dmx
