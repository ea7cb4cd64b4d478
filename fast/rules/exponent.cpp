// SPDX-License-Identifier: Apache-2.0
#include "fast/rules/exponent.hpp"

#include <algorithm>
#include <bit>

namespace mx::fast {
namespace {

constexpr std::uint32_t kFraction = 0x7FFFFF;
/// Of a ratio that became 0: below every scale.
constexpr int kBelowAll = -150;
constexpr int kLeastNormal = -126;

/// 2^exponent * (1 + fraction / 2^23).
struct Parts {
  int exponent;
  std::uint32_t fraction;
};

Parts parts_of(std::uint32_t a) {
  const auto field = static_cast<int>(a >> 23);
  if (field != 0) return {field - 127, a & kFraction};
  const int shift = std::countl_zero(a) - 8;
  return {kLeastNormal - shift, (a << shift) & kFraction};
}

/// floor(ln 2 * 2^j): as many numbers as round to a logarithm within half a unit of its
/// last place, where that is 2^(j - 23).
int near_count(int j) {
  constexpr std::uint64_t kLn2 = 0xB17217F7D1CF79AC;  // ln 2 * 2^64
  return j <= 0 ? 0 : static_cast<int>(kLn2 >> (64 - j));
}

int floor_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }
/// j with 2^j < n <= 2^(j + 1).
int below_log2(int n) { return n == 1 ? -1 : floor_log2(n - 1); }

/// How many numbers just below 2^k have the logarithm k in binary32.
int count_below(int k) {
  if (k == 0) return 0;
  const int count = near_count(k > 0 ? below_log2(k) : floor_log2(-k));
  return k <= kLeastNormal ? count >> (kLeastNormal + 1 - k) : count;
}

/// How many just above; they lie twice as far apart.
int count_above(int k) {
  if (k == 0) return 0;
  const int count = near_count((k > 0 ? floor_log2(k) : below_log2(-k)) - 1);
  return k < kLeastNormal ? count >> (kLeastNormal - k) : count;
}

/// How many numbers lie between 2^k and a, in units of those below 2^(k + 1).
std::uint32_t units(Parts x) {
  return x.exponent >= kLeastNormal ? x.fraction : x.fraction >> (kLeastNormal - x.exponent);
}

int ceil_log2f(std::uint32_t a) {
  const Parts x = parts_of(a);
  return x.exponent + (static_cast<int>(units(x)) > count_above(x.exponent) ? 1 : 0);
}

/// 2^23 (sqrt(2) - 1), and how much less of it is enough for each unit 2^-24 that a logarithm of
/// e + 1/2 may be short of it: sqrt(2) ln(2) / 2. Both times 2^16.
constexpr std::uint64_t kRootTwo = (std::uint64_t{3474675} << 16) + 13310;
constexpr std::uint64_t kRootTwoSlope = 32121;

int nearest_log2f(std::uint32_t a) {
  const Parts x = parts_of(a);
  const int whole = x.exponent >= 0 ? x.exponent : -x.exponent - 1;  // of |e + 1/2|
  const std::uint64_t short_of =
      whole == 0 ? kRootTwoSlope / 2 : kRootTwoSlope << floor_log2(whole);
  return x.exponent + (std::uint64_t{x.fraction} << 16 >= kRootTwo - short_of ? 1 : 0);
}

int exponent_by(ExponentStep step, std::uint32_t v) {
  if (v == 0) return kBelowAll;
  if (v >= kInf32) return 128;
  const Parts x = parts_of(v);
  switch (step) {
    case ExponentStep::kCeil:
      return x.exponent + (x.fraction != 0 ? 1 : 0);
    case ExponentStep::kNearestLog:
      return x.exponent + (std::uint64_t{x.fraction} << 16 > kRootTwo ? 1 : 0);
    case ExponentStep::kFloorLog2f:
      return floor_log2f(v);
    case ExponentStep::kCeilLog2f:
      return ceil_log2f(v);
    case ExponentStep::kNearestLog2f:
      return nearest_log2f(v);
    case ExponentStep::kNone:
      break;
  }
  return x.exponent;
}

ExponentStep step_of(ScaleRule rule) {
  switch (rule) {
    case ScaleRule::kRceil:
      return ExponentStep::kCeil;
    case ScaleRule::kNearestLog:
      return ExponentStep::kNearestLog;
    case ScaleRule::kFloorLog2f:
      return ExponentStep::kFloorLog2f;
    case ScaleRule::kCeilLog2f:
    case ScaleRule::kRceilLog2f:
      return ExponentStep::kCeilLog2f;
    case ScaleRule::kNearestLog2f:
      return ExponentStep::kNearestLog2f;
    default:
      return ExponentStep::kNone;
  }
}

/// The largest number of a format, as binary32 holds it.
std::uint32_t largest_of(const ElementFormat& f) {
  if (f.is_fixed()) return word32({f.max_code, -f.frac_bits});
  const std::uint64_t field = f.max_code >> f.man_bits;
  const std::uint64_t hidden = field != 0 ? std::uint64_t{1} << f.man_bits : 0;
  const int exponent = static_cast<int>(std::max<std::uint64_t>(field, 1)) - f.bias - f.man_bits;
  return word32({(f.max_code & f.man_mask()) | hidden, exponent});
}

/// te's reciprocals of the largest number, of 16 bits: of fp16 for a source of fp16, otherwise of
/// bf16.
std::uint32_t half_reciprocal(const ElementFormat& source, const ElementFormat& element) {
  const bool is_wide = largest_of(element) > 0x44000000;  // e5m2's
  if (source.exp_bits != 5) return is_wide ? 0x37920000 : 0x3B120000;
  return word32(value_in({10, 15}, is_wide ? 0x0125 : 0x1892));
}

}  // namespace

int floor_log2f(std::uint32_t a) {
  const Parts x = parts_of(a);
  const int next = x.exponent + 1;
  const int unit = next <= kLeastNormal ? kLeastNormal + 1 - next : 0;
  const auto missing = static_cast<int>((kFraction + 1 - x.fraction) >> unit);
  return missing <= count_below(next) ? next : x.exponent;
}

int ExponentRule::of(std::uint32_t maximum) const {
  std::uint32_t v = maximum;
  if (ratio == RatioStep::kDivide) v = divide32(maximum, operand);
  if (ratio == RatioStep::kMultiply) v = multiply32(maximum, operand);
  const int exponent = exponent_by(step, v) - less;
  return lifts && v != 0 && exponent < kLeastNormal ? kLeastNormal : exponent;
}

bool has_known_ratio(const BlockPolicy& block) {
  if (!facts_of(block.rule).reads_ratio_op) return true;
  return block.ratio_op == RatioOp::kExact || block.ratio_op == RatioOp::kFp32Div ||
         block.ratio_op == RatioOp::kFp32RcpMul || block.ratio_op == RatioOp::kHalfRcpMul;
}

ExponentRule exponent_rule(const ElementFormat& source, const ElementFormat& element, int emax,
                           const BlockPolicy& block, E8m0Quirk quirk) {
  ExponentRule rule{.step = step_of(block.rule)};
  if (!rule.any()) return rule;
  if (!facts_of(block.rule).reads_ratio_op) {
    rule.less = emax;
    return rule;
  }
  rule.lifts = block.rule == ScaleRule::kRceil && quirk == E8m0Quirk::kOnnxUp;
  switch (block.ratio_op) {
    case RatioOp::kExact:
      // A rounded logarithm has a rounded ratio.
      if (block.rule != ScaleRule::kRceilLog2f) return {};
      [[fallthrough]];
    case RatioOp::kFp32Div:
      rule.ratio = RatioStep::kDivide;
      rule.operand = largest_of(element);
      break;
    case RatioOp::kFp32RcpMul:
      rule.ratio = RatioStep::kMultiply;
      rule.operand = divide32(kOne32, largest_of(element));
      break;
    case RatioOp::kHalfRcpMul:
      rule.ratio = RatioStep::kMultiply;
      rule.operand = half_reciprocal(source, element);
      break;
    default:  // none with a path: has_known_ratio
      return {};
  }
  return rule;
}

}  // namespace mx::fast
