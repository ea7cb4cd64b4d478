#include "oracle/block/block.hpp"

#include <algorithm>
#include <stdexcept>

namespace mx::oracle {
namespace {

constexpr int kLowestPower = -1500;
constexpr int kHighestPower = 1500;

const std::vector<Rational>& powers_of_two() {
  static const std::vector<Rational> powers = [] {
    std::vector<Rational> all;
    for (int e = kLowestPower; e <= kHighestPower; ++e) all.push_back(RationalField::make(1, e));
    return all;
  }();
  return powers;
}

Rational power_of_two(int e) { return RationalField::make(1, e); }

Rational magnitude_of(const Real& x) { return RationalField::make(x.significand, x.exponent); }

Rational largest_element(const ElementFormat& element) {
  if (element.kind == FormatKind::kFloat) return magnitude_of(value_of(element, element.max_code));
  const std::uint64_t top =
      (std::uint64_t{1} << (element.is_signed ? element.bits - 1 : element.bits)) - 1;
  return RationalField::make(top, -element.frac_bits);
}

/// Which elements the maximum looks at, and the largest of them.
struct Scan {
  bool nan = false;
  bool inf = false;
  Rational amax = 0;
  int argmax = -1;
};

Scan scan(std::span<const Real> values, AmaxOver over) {
  Scan scan;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real& x = values[i];
    if (x.kind == Kind::kNan) {
      scan.nan = scan.nan || over == AmaxOver::kAll;
      continue;
    }
    if (x.kind == Kind::kInf) {
      if (over != AmaxOver::kFiniteOnly && !scan.inf) {
        scan.inf = true;
        scan.argmax = static_cast<int>(i);
      }
      continue;
    }
    const Rational magnitude = magnitude_of(x);
    if (!scan.inf && (scan.argmax < 0 || scan.amax < magnitude)) {
      scan.argmax = static_cast<int>(i);
      scan.amax = magnitude;
    }
  }
  return scan;
}

/// clamp to 00 .. FE by scale_sat, NaN by even_carry: spec F12.1 step 5.
void apply_rule(const BlockCase& block, const Rational& amax, ScaleOutcome& out) {
  const ElementFormat& scale = block.format.scale;
  const RuleCode rule = rule_code(block.block.rule, block.format.element, amax);
  const long top = static_cast<long>(scale.max_code);
  out.rule_applied = true;
  out.unclamped = rule.code;
  out.clamped = rule.code < 0 || rule.code > top;
  out.code = static_cast<std::uint64_t>(std::clamp(rule.code, 0L, top));
  const bool above_to_nan = rule.code > top && block.block.scale_sat == ScaleSat::kToNan;
  const bool carry_to_nan = rule.to_nan_carry && block.block.even_carry == EvenCarry::kToNan;
  if (above_to_nan || carry_to_nan) {
    out.code = scale.canonical_nan;
    out.nan = true;
    out.clamped = true;
  }
}

}  // namespace

int floor_log2(const Rational& v) {
  const auto above = std::upper_bound(powers_of_two().begin(), powers_of_two().end(), v);
  if (above == powers_of_two().begin() || above == powers_of_two().end()) {
    throw std::range_error("logarithm outside the oracle's table");
  }
  return static_cast<int>(above - powers_of_two().begin()) - 1 + kLowestPower;
}

int ceil_log2(const Rational& v) {
  const int e = floor_log2(v);
  return v == power_of_two(e) ? e : e + 1;
}

RuleCode rule_code(ScaleRule rule, const ElementFormat& element, const Rational& amax) {
  const Rational largest = largest_element(element);
  const int e_max = floor_log2(largest);
  const int e = floor_log2(amax);
  RuleCode out;
  switch (rule) {
    case ScaleRule::kFloor:
      out.code = e - e_max + 127;
      return out;
    case ScaleRule::kCeil:
      out.code = ceil_log2(amax) - e_max + 127;
      return out;
    case ScaleRule::kRceil:
      out.code = ceil_log2(Rational(amax / largest)) + 127;
      return out;
    case ScaleRule::kEvenUp:
    case ScaleRule::kEvenDown:
      break;
    default:
      throw std::logic_error("a rule of oracle_rules.hpp");
  }
  // Element significand bits below the leading one; fixed elements have frac_bits + e_max.
  const int m = element.kind == FormatKind::kFloat ? element.man_bits : element.frac_bits + e_max;
  const Rational fraction = amax / power_of_two(e) - 1;
  const Rational threshold = 1 - power_of_two(-(m + 1));
  const bool up = rule == ScaleRule::kEvenUp ? !(fraction < threshold) : threshold < fraction;
  const int rounded = e + (up ? 1 : 0);
  out.code = rounded - e_max + 127;
  out.to_nan_carry = rounded >= 128;
  return out;
}

Real infinity_as_number(const BlockCase& block, const Real& x) {
  if (x.kind != Kind::kInf || block.block.inf_block != InfBlock::kAsTwoTo128 ||
      block.block.amax_over == AmaxOver::kFiniteOnly) {
    return x;
  }
  return {.negative = x.negative, .significand = 1, .exponent = 128};
}

std::uint64_t wrapped(const ElementFormat& output, bool negative, const Rational& magnitude,
                      Rounding rounding) {
  int exponent = floor_log2(magnitude);
  const Rational in_ulps = magnitude / power_of_two(exponent - output.man_bits);
  Integer whole = mp::numerator(in_ulps) / mp::denominator(in_ulps);
  const Rational rest = in_ulps - Rational(whole);
  const int half = rest.compare(power_of_two(-1));
  const Position gap{.exact = rest == 0, .half = half, .odd = whole % 2 != 0};
  if (goes_up(rounding, negative, gap, 1, 0)) ++whole;
  const Integer one = 1;
  if (whole == one << (output.man_bits + 1)) {
    whole = one << output.man_bits;
    ++exponent;
  }
  const int fields = 1 << output.exp_bits;
  const int field = ((exponent + output.bias) % fields + fields) % fields;
  const std::uint64_t sign = negative ? 1 : 0;
  return (sign << output.exp_bits | static_cast<std::uint64_t>(field)) << output.man_bits |
         static_cast<std::uint64_t>(whole - (one << output.man_bits));
}

ScaleOutcome choose_scale(const BlockCase& block, std::span<const Real> values) {
  const ElementFormat& scale = block.format.scale;
  const Scan seen = scan(values, block.block.amax_over);
  ScaleOutcome out;
  out.argmax = seen.argmax;
  if (seen.nan) {
    out.nan = true;
    out.code = scale.canonical_nan;
  } else if (seen.inf) {
    switch (block.block.inf_block) {
      case InfBlock::kScaleNan:
      case InfBlock::kAllNan:
        out.nan = true;
        out.code = scale.canonical_nan;
        break;
      case InfBlock::kScaleMax:
        out.code = scale.max_code;
        break;
      case InfBlock::kAsE255:
      case InfBlock::kAsTwoTo128:
        apply_rule(block, power_of_two(128), out);
        break;
    }
  } else if (seen.amax == 0) {
    out.zero_block = true;
    // The smallest normal e8m0 code is the smallest: min_normal is code_00 there.
    out.code = block.block.zero_block_scale == ZeroBlockScale::kOne ? 127 : 0;
    if (block.block.zero_block_scale == ZeroBlockScale::kMinAmax) {
      apply_rule(block, power_of_two(-126), out);
    }
  } else {
    apply_rule(block, seen.amax, out);
  }
  return out;
}

}  // namespace mx::oracle
