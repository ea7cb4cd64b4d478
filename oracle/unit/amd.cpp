// AMD's units: spec U2.
#include "oracle/unit/parts.hpp"

namespace mx::oracle::unit {
std::uint64_t exact(const Dot& dot, std::uint64_t c) {
  for (std::size_t at = 0; at < dot.size(); at += dot.group()) {
    Parts parts{dot.carry(c)};
    for (std::size_t i = at; i < std::min(at + dot.group(), dot.size()); ++i) {
      parts.push_back(dot.product(i));
    }
    const Extended sum = sum_of(parts);
    c = is_special(sum) ? special(dot.config, sum) : code_of(dot.config.result, sum);
  }
  return c;
}

namespace {

const Rational& smallest_normal() {
  static const Rational value = dyadic(1, -126);
  return value;
}

/// Rounded to binary32, its subnormals zeros of their sign.
Extended flushed(const Extended& x) {
  Extended out = fl32(x);
  if (out.kind == Kind::kFinite && out.magnitude < smallest_normal()) out.magnitude = 0;
  return out;
}

/// An operand of CDNA2: below the normal numbers, and -0, it is +0.
Extended normal_operand(const ElementFormat& format, std::uint64_t code) {
  const Extended x = number(format, code);
  const bool is_small = x.kind == Kind::kFinite && x.magnitude < dyadic(1, 1 - format.bias);
  return is_small ? Extended{} : x;
}

Extended flushed_sum(const Extended& a, const Extended& b) {
  Extended sum = plus(a, b);
  if (sum.zero() && a.negative != b.negative) sum.negative = false;
  return flushed(sum);
}

}  // namespace

std::uint64_t tree(const Dot& dot, std::uint64_t c) {
  Extended carry = normal_operand(dot.config.result, c);
  for (std::size_t at = 0; at < dot.size(); at += dot.group()) {
    std::vector<Extended> row;
    for (std::size_t i = at; i < at + dot.group(); ++i) {
      row.push_back(flushed(times(normal_operand(dot.config.a.element, dot.a.codes[i]),
                                  normal_operand(dot.config.b.element, dot.b.codes[i]))));
    }
    Extended sum = flushed_sum(row[0], row[1]);
    if (row.size() == 4) sum = flushed_sum(sum, flushed_sum(row[2], row[3]));
    carry = flushed_sum(carry, sum);
  }
  return is_special(carry) ? special(dot.config, carry) : code_of(dot.config.result, carry);
}

namespace {

/// The products of one stage: cut to 24 bits below the largest exponent, and added.
struct Stage {
  Extended sum;
  std::optional<int> exponent;
};
Stage stage_of(Parts parts) {
  Stage stage;
  for (Part& part : parts) {
    if (part.counts() && part.value.magnitude >= dyadic(1, 128)) part.value.kind = Kind::kInf;
    if (part.counts())
      stage.exponent = std::max(stage.exponent.value_or(part.exponent), part.exponent);
  }
  for (Part& part : parts) {
    if (part.counts()) part.value = multiple(part.value, *stage.exponent - 24, Down::kMagnitude);
  }
  stage.sum = sum_of(parts);
  return stage;
}

std::uint64_t finish_stages(const Dot& dot, const Stage& stage, const Part& c) {
  const int c_exponent = c.value.zero() ? -126 : c.exponent;
  const int top = std::max(stage.exponent.value_or(c_exponent), c_exponent);
  const bool is_apart = dot.config.unit.sum == UnitSum::kTwoStagesApart;
  Parts parts{{multiple(stage.sum, top - 32, Down::kValue), 0}};
  if (!is_apart || c_exponent >= top - 25) {
    parts.push_back({multiple(c.value, top - 24, Down::kValue), 0});
  }
  const Extended sum = sum_of(parts);
  if (sum.zero()) return 0;
  const int unit = std::max(floor_log2(sum.magnitude), -126) - 31;
  return code_of(dot.config.result, multiple(sum, unit, Down::kValue));
}

}  // namespace

std::uint64_t two_stages(const Dot& dot, std::uint64_t c) {
  const bool is_apart = dot.config.unit.sum == UnitSum::kTwoStagesApart;
  for (std::size_t at = 0; at < dot.size(); at += dot.group()) {
    Parts even, odd;
    for (std::size_t i = at; i < std::min(at + dot.group(), dot.size()); ++i) {
      (is_apart && i % 2 == 1 ? odd : even).push_back(dot.product(i));
    }
    const Stage first = stage_of(even);
    const Stage second = stage_of(odd);
    const Part carry = dot.carry(c);
    const Extended all = plus(plus(first.sum, second.sum), carry.value);
    if (is_special(all)) {
      c = special(dot.config, all);
      continue;
    }
    Stage both;
    for (const Stage* stage : {&first, &second}) {
      if (stage->exponent)
        both.exponent = std::max(both.exponent.value_or(*stage->exponent), *stage->exponent);
    }
    for (const Stage* stage : {&first, &second}) {
      if (!stage->exponent) continue;
      both.sum = plus(both.sum, multiple(stage->sum, *both.exponent - 24, Down::kValue));
    }
    c = finish_stages(dot, both, carry);
  }
  return c;
}

}  // namespace mx::oracle::unit
