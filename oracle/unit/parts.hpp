// What the oracle's matrix units share: terms with their exponents, multiples, codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/block/block.hpp"
#include "oracle/element/real.hpp"
#include "oracle/unit/unit.hpp"

namespace mx::oracle::unit {

inline Extended number(const ElementFormat& format, std::uint64_t code) {
  Extended x = extended(value_of(format, code));
  x.signaling = false;
  return x;
}

/// The exponent that the fields of a code say.
inline int field_exponent(const ElementFormat& format, std::uint64_t code) {
  const auto field = static_cast<int>((code & format.magnitude_mask()) >> format.man_bits);
  return (field == 0 && format.zero != ZeroKind::kNone ? 1 : field) - format.bias;
}

/// What a step adds: an extended real, and the exponent that it is aligned by.
struct Part {
  Extended value;
  int exponent = 0;
  [[nodiscard]] bool counts() const { return value.kind == Kind::kFinite && !value.zero(); }
};
using Parts = std::vector<Part>;

struct Dot {
  const UnitConfig& config;
  const DotSide& a;
  const DotSide& b;

  [[nodiscard]] std::size_t size() const { return a.codes.size(); }
  [[nodiscard]] std::size_t group() const { return static_cast<std::size_t>(config.unit.group); }
  [[nodiscard]] Extended product_value(std::size_t i) const {
    return times(number(config.a.element, a.codes[i]), number(config.b.element, b.codes[i]));
  }
  [[nodiscard]] Part product(std::size_t i) const {
    return {product_value(i), field_exponent(config.a.element, a.codes[i]) +
                                  field_exponent(config.b.element, b.codes[i])};
  }
  /// As a product of binary16 numbers, in which most subnormals of FP8 are normal.
  [[nodiscard]] Part product_of_halves(std::size_t i) const {
    Part part{product_value(i), 0};
    if (!part.counts()) return part;
    const auto exponent = [](const ElementFormat& format, std::uint64_t code) {
      return std::max(floor_log2(number(format, code).magnitude), -14);
    };
    part.exponent = exponent(config.a.element, a.codes[i]) + exponent(config.b.element, b.codes[i]);
    return part;
  }
  [[nodiscard]] Part carry(std::uint64_t code) const {
    return {number(config.result, code), field_exponent(config.result, code)};
  }
  [[nodiscard]] std::size_t block_of(std::size_t i) const {
    return i / static_cast<std::size_t>(config.a.scale->block_size);
  }
};

/// The largest multiple of 2^unit that is not above x, or x's magnitude.
enum class Down : std::uint8_t { kMagnitude, kValue };
inline Extended multiple(const Extended& x, int unit, Down down) {
  if (x.kind != Kind::kFinite) return x;
  const Rational ratio = x.magnitude * dyadic(1, -unit);
  Integer whole = mp::numerator(ratio) / mp::denominator(ratio);
  if (down == Down::kValue && x.negative && Rational(whole) != ratio) whole += 1;
  Extended out = x;
  out.magnitude = Rational(whole) * dyadic(1, unit);
  return out;
}

inline Extended sum_of(const Parts& parts) {
  Extended sum;
  for (const Part& part : parts) sum = plus(sum, part.value);
  if (sum.zero()) sum.negative = false;
  return sum;
}

/// NaN, infinity or a number; the codes of the first two.
inline bool is_special(const Extended& x) { return x.kind != Kind::kFinite; }
inline std::uint64_t special(const UnitConfig& config, const Extended& x) {
  const ElementFormat& f = config.result;
  if (x.nan()) return config.unit.nan == UnitNan::kAllOnes ? f.sign_bit() - 1 : f.canonical_nan;
  return f.inf_code() | (x.negative ? f.sign_bit() : 0);
}

inline std::uint64_t code_of(const ElementFormat& format, const Extended& x) {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  return encode_extended(format, x, policy).code;
}

// The ways to sum: oracle/unit/nvidia.cpp and amd.cpp. The code of D.
std::uint64_t groups(const Dot& dot, std::uint64_t c);
std::uint64_t pairs(const Dot& dot, std::uint64_t c);
std::uint64_t scaled_groups(const Dot& dot, std::uint64_t c);
std::uint64_t exact(const Dot& dot, std::uint64_t c);
std::uint64_t tree(const Dot& dot, std::uint64_t c);
std::uint64_t two_stages(const Dot& dot, std::uint64_t c);

}  // namespace mx::oracle::unit
