// One number at a time: rounded once, exactly.
#include "emulators/dmx/strict.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx::emulators::dmx {
namespace {

mx::Rounding rounding_of_magnitude(Rounding rounding) {
  switch (rounding) {
    case Rounding::kUp:
      return mx::Rounding::kTowardPositive;
    case Rounding::kDown:
      return mx::Rounding::kTowardNegative;
    case Rounding::kNearest:
      return mx::Rounding::kTiesToEven;
    case Rounding::kStochastic:
      return mx::Rounding::kStochasticA;
  }
  return mx::Rounding::kTiesToEven;
}

/// The decision for one binade; `quantum` is the exponent of the last place.
struct Step {
  const FloatingPoint& format;
  std::uint32_t random = 0;

  [[nodiscard]] std::uint64_t operator()(const Unpacked& x, int quantum, bool is_subnormal) const {
    const kernel::Cut cut = kernel::cut_at(x, quantum);
    // Without stored significand bits the parity is that of the exponent code.
    const bool odd = format.mantissa > 0 ? (cut.kept & 1) != 0
                                         : !is_subnormal && ((quantum + format.bias) & 1) != 0;
    mx::Rounding rounding = rounding_of_magnitude(format.rounding);
    const int bits = 23 - format.mantissa;
    if (rounding == mx::Rounding::kStochasticA && bits == 0) rounding = mx::Rounding::kTowardZero;
    const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
    const bool up = round_up(rounding, x.negative, odd, cut.discarded, bits, random & mask);
    return cut.kept + (up ? 1 : 0);
  }
};

Unpacked beyond(const FloatingPoint& format, const StrictValues& values, Beyond policy,
                const Unpacked& x) {
  const bool stays_finite =
      x.cls != ValueClass::kInf && ((format.rounding == Rounding::kUp && x.negative) ||
                                    (format.rounding == Rounding::kDown && !x.negative));
  if (values.has_infinity && policy == Beyond::kAsFormat && !stays_finite) {
    return Unpacked{.cls = ValueClass::kInf, .negative = x.negative};
  }
  return unpack_integer(x.negative, values.most, values.most_exponent - values.mantissa);
}

bool is_recognised(const FloatingPoint& format, int exponent, int mantissa, int bias) {
  return format.exponent == exponent && format.mantissa == mantissa && format.bias == bias;
}

}  // namespace

StrictValues StrictValues::of(const FloatingPoint& format) {
  StrictValues values;
  values.mantissa = format.mantissa;
  values.bias = format.bias;
  values.least_exponent = 1 - format.bias;
  values.most_exponent = (1 << format.exponent) - 1 - format.bias;
  values.most = (std::uint32_t{2} << format.mantissa) - 1;
  const bool is_ieee = is_recognised(format, 5, 10, 15) || is_recognised(format, 8, 7, 127) ||
                       is_recognised(format, 8, 23, 127);
  if (is_ieee || is_recognised(format, 5, 2, 15)) --values.most_exponent;
  values.has_infinity = is_ieee;
  if (is_recognised(format, 4, 3, 7)) --values.most;
  return values;
}

Unpacked strict_float(const FloatingPoint& format, const StrictValues& values, Beyond policy,
                      const Unpacked& x, Words& words) {
  const std::uint32_t random = format.rounding == Rounding::kStochastic ? words.draw() : 0;
  if (x.cls == ValueClass::kNan) return x;
  Unpacked zero;
  zero.negative = x.negative && !format.is_unsigned;
  if (x.cls == ValueClass::kZero || (x.negative && format.is_unsigned)) return zero;
  if (x.cls == ValueClass::kInf || x.exponent > values.most_exponent) {
    return beyond(format, values, policy, x);
  }
  const Step step{format, random};
  const bool is_subnormal = x.exponent < values.least_exponent;
  if (is_subnormal && format.flush_subnormal) {
    // With unbounded exponent: what reaches the smallest normal value is kept.
    const int quantum = x.exponent - format.mantissa;
    const std::uint64_t n = step(x, quantum, false);
    const bool reaches = x.exponent == values.least_exponent - 1 && n == std::uint64_t{2}
                                                                             << format.mantissa;
    return reaches ? unpack_integer(x.negative, n, quantum) : zero;
  }
  const int top = is_subnormal ? values.least_exponent : x.exponent;
  const int quantum = top - format.mantissa;
  const std::uint64_t n = step(x, quantum, is_subnormal);
  if (n == 0) return zero;
  const bool carried = n >> (format.mantissa + 1) != 0;
  const int exponent = top + (carried ? 1 : 0);
  if (exponent > values.most_exponent ||
      (exponent == values.most_exponent && !carried && n > values.most)) {
    return beyond(format, values, policy, x);
  }
  return unpack_integer(x.negative, n, quantum);
}

StrictInteger strict_integer(const Unpacked& x, int quantum, Rounding rounding, int bits,
                             std::uint32_t random) {
  if (x.cls == ValueClass::kZero) return {};
  if (x.cls == ValueClass::kInf || x.exponent - quantum >= 39) return {.is_huge = true};
  const kernel::Cut cut = kernel::cut_at(x, quantum);
  const auto kept = static_cast<std::int64_t>(cut.kept);
  bool up = false;
  if (rounding != Rounding::kStochastic) {
    up = round_up(rounding_of_magnitude(rounding), x.negative, (cut.kept & 1) != 0, cut.discarded,
                  0, 0);
  } else if (bits > 0) {
    const std::uint64_t one = std::uint64_t{1} << bits;
    const std::uint64_t low = random & (one - 1);
    const std::uint64_t fraction = cut.discarded.fraction >> (64 - bits);
    const bool more = (cut.discarded.fraction << bits) != 0 || cut.discarded.below;
    // floor(x + r): of a negative number the magnitude grows unless r reaches the fraction.
    up = x.negative ? low < fraction + (more ? 1 : 0) : fraction + low >= one;
  }
  const std::int64_t magnitude = kept + (up ? 1 : 0);
  return {.value = x.negative ? -magnitude : magnitude};
}

}  // namespace mx::emulators::dmx
