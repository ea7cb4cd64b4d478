// NVIDIA's units: spec U1 and U2.
#include "oracle/unit/parts.hpp"

namespace mx::oracle::unit {
namespace {

/// U1, step 5.
std::uint64_t project(const UnitConfig& config, const Extended& sum) {
  if (sum.zero()) return 0;
  const bool is_half = config.result.bits == 16;
  const ElementFormat& format = is_half ? config.result : config.unit.sum32;
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.rounding = is_half ? Rounding::kTiesToEven : Rounding::kTowardZero;
  Extended x = sum;
  if (x.magnitude >= dyadic(1, format.bias + 1)) x.kind = Kind::kInf;
  const std::uint64_t code = encode_extended(format, x, policy).code
                             << (config.result.bits - format.bits);
  return (code & config.result.magnitude_mask()) == 0 ? 0 : code;
}

/// U1, steps 2 to 6, for the terms of one group.
std::uint64_t aligned(const UnitConfig& config, Parts parts) {
  const Extended exact = sum_of(parts);
  if (is_special(exact)) return special(config, exact);
  const auto& zero =
      config.result.bits == 16 ? config.unit.zero_exponent16 : config.unit.zero_exponent32;
  std::optional<int> top;
  for (const Part& part : parts) {
    const std::optional<int> own = part.counts() ? std::optional(part.exponent) : zero;
    if (own) top = std::max(top.value_or(*own), *own);
  }
  if (!top) return 0;
  for (Part& part : parts) {
    part.value = multiple(part.value, *top - config.unit.fraction_bits, Down::kMagnitude);
  }
  return project(config, sum_of(parts));
}

}  // namespace

std::uint64_t groups(const Dot& dot, std::uint64_t c) {
  for (std::size_t at = 0; at < dot.size(); at += dot.group()) {
    Parts parts{dot.carry(c)};
    for (std::size_t i = at; i < std::min(at + dot.group(), dot.size()); ++i) {
      Part part = dot.product(i);
      if (dot.config.a.scale) {
        for (const auto& [side, codes] :
             {std::pair{&dot.config.a, &dot.a}, {&dot.config.b, &dot.b}}) {
          const std::uint64_t code = codes->scales[dot.block_of(i)];
          part.value = times(part.value, number(side->scale->format, code));
          part.exponent += field_exponent(side->scale->format, code);
        }
      }
      parts.push_back(part);
    }
    c = aligned(dot.config, parts);
  }
  return c;
}

namespace {

/// IEEE 754 addition to nearest.
Extended nearest_sum(const ElementFormat& format, const Extended& a, const Extended& b) {
  Extended sum = plus(a, b);
  if (sum.zero() && a.negative != b.negative) sum.negative = false;
  return rounded(format, sum);
}

}  // namespace

std::uint64_t pairs(const Dot& dot, std::uint64_t c) {
  for (std::size_t at = 0; at < dot.size(); at += 32) {
    std::uint64_t chain = 0;
    for (const bool second : {false, true}) {
      Parts parts{dot.carry(chain)};
      for (std::size_t i = at; i < std::min(at + 32, dot.size()); ++i) {
        if ((i % 4 >= 2) == second) parts.push_back(dot.product_of_halves(i));
      }
      chain = aligned(dot.config, parts);
    }
    const ElementFormat& f = dot.config.result;
    const Extended sum = nearest_sum(f, number(f, c), number(f, chain));
    c = sum.nan() ? special(dot.config, sum) : code_of(f, sum);
  }
  return c;
}

namespace {

/// Sixteen products under their scales.
Part scaled_group(const Dot& dot, std::size_t at, std::size_t end) {
  Parts parts;
  bool all_zero = true;
  for (std::size_t i = at; i < end; ++i) {
    parts.push_back({dot.product_value(i), 0});
    all_zero = all_zero && parts.back().value.zero();
  }
  const std::size_t block = dot.block_of(at);
  const std::uint64_t code_a = dot.a.scales[block];
  const std::uint64_t code_b = dot.b.scales[block];
  const ScaleFormat& format = dot.config.a.scale->format;
  const Extended scale = times(number(format, code_a), number(format, code_b));
  Part part{times(sum_of(parts), scale),
            field_exponent(format, code_a) + field_exponent(format, code_b)};
  // A sum that cancels keeps its exponent: a zero that aligns. NaN stays NaN.
  if (all_zero || scale.zero()) part.exponent = *dot.config.unit.zero_exponent32;
  return part;
}

}  // namespace

std::uint64_t scaled_groups(const Dot& dot, std::uint64_t c) {
  for (std::size_t at = 0; at < dot.size(); at += dot.group()) {
    Parts parts{dot.carry(c)};
    if (parts[0].value.zero()) parts[0].exponent = *dot.config.unit.zero_exponent32;
    const std::size_t end = std::min(at + dot.group(), dot.size());
    for (std::size_t i = at; i < end; i += 16) {
      parts.push_back(scaled_group(dot, i, std::min(i + 16, end)));
    }
    const Extended exact = sum_of(parts);
    if (is_special(exact)) {
      c = special(dot.config, exact);
      continue;
    }
    int top = parts[0].exponent;
    for (const Part& part : parts) top = std::max(top, part.exponent);
    for (Part& part : parts)
      part.value = multiple(part.value, top - dot.config.unit.fraction_bits, Down::kMagnitude);
    c = project(dot.config, sum_of(parts));
  }
  return c;
}

}  // namespace mx::oracle::unit
