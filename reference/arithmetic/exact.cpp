#include "reference/arithmetic/exact.hpp"

#include <bit>

namespace mx {
namespace {

__extension__ using Uint128 = unsigned __int128;

/// A magnitude of 256 bits, most significant word first: room for a 128-bit product and a 64-bit
/// addend at any distance at which both still matter.
struct Wide {
  std::uint64_t word[4] = {};

  [[nodiscard]] bool is_zero() const { return (word[0] | word[1] | word[2] | word[3]) == 0; }

  [[nodiscard]] int leading_zeros() const {
    for (int i = 0; i < 4; ++i) {
      if (word[i] != 0) return 64 * i + std::countl_zero(word[i]);
    }
    return 256;
  }

  [[nodiscard]] Wide shifted_left(int by) const {
    Wide out;
    const int words = by / 64, bits = by % 64;
    for (int i = 0; i + words < 4; ++i) {
      out.word[i] = word[i + words] << bits;
      if (bits != 0 && i + words + 1 < 4) out.word[i] |= word[i + words + 1] >> (64 - bits);
    }
    return out;
  }

  /// Shifts right; `lost` becomes true if a one falls off the end.
  [[nodiscard]] Wide shifted_right(int by, bool& lost) const {
    Wide out;
    if (by >= 256) {
      lost = lost || !is_zero();
      return out;
    }
    const int words = by / 64, bits = by % 64;
    for (int i = 3; i >= words; --i) {
      out.word[i] = word[i - words] >> bits;
      if (bits != 0 && i > words) out.word[i] |= word[i - words - 1] << (64 - bits);
    }
    lost = lost || out.shifted_left(by).word[0] != word[0] || !same_tail(out.shifted_left(by));
    return out;
  }

  [[nodiscard]] int compare(const Wide& other) const {
    for (int i = 0; i < 4; ++i) {
      if (word[i] != other.word[i]) return word[i] < other.word[i] ? -1 : 1;
    }
    return 0;
  }

  [[nodiscard]] Wide plus(const Wide& other) const {
    Wide out;
    Uint128 carry = 0;
    for (int i = 3; i >= 0; --i) {
      carry += static_cast<Uint128>(word[i]) + other.word[i];
      out.word[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return out;
  }

  /// This minus `other` minus `borrow`; the result must not be negative.
  [[nodiscard]] Wide minus(const Wide& other, bool borrow) const {
    Wide out;
    std::uint64_t take = borrow ? 1 : 0;
    for (int i = 3; i >= 0; --i) {
      const Uint128 difference = static_cast<Uint128>(word[i]) - other.word[i] - take;
      out.word[i] = static_cast<std::uint64_t>(difference);
      take = (difference >> 64) != 0 ? 1 : 0;
    }
    return out;
  }

 private:
  [[nodiscard]] bool same_tail(const Wide& other) const {
    return word[1] == other.word[1] && word[2] == other.word[2] && word[3] == other.word[3];
  }
};

/// A finite nonzero term: magnitude * 2^(exponent - 254), leading one at bit 254 of 255..0, which
/// leaves the top bit free for a carry.
struct Term {
  bool negative = false;
  int exponent = 0;
  Wide magnitude;
};

Unpacked finite(bool negative, int exponent, std::uint64_t significand, bool sticky) {
  return {.cls = ValueClass::kFinite,
          .negative = negative,
          .sticky = sticky,
          .exponent = exponent,
          .significand = significand};
}

Unpacked zero(bool negative) { return {.negative = negative}; }
Unpacked infinity(bool negative) { return {.cls = ValueClass::kInf, .negative = negative}; }
bool is(const Unpacked& x, ValueClass cls) { return x.cls == cls; }

Term term_of(const Unpacked& x) {
  Term term{x.negative, x.exponent, {}};
  term.magnitude.word[0] = x.significand >> 1;
  term.magnitude.word[1] = x.significand << 63;
  return term;
}

Term product_of(const Unpacked& a, const Unpacked& b) {
  const Uint128 product = static_cast<Uint128>(a.significand) * b.significand;
  const bool carries = (product >> 127) != 0;
  Term term{a.negative != b.negative, a.exponent + b.exponent + (carries ? 1 : 0), {}};
  Wide wide;
  wide.word[0] = static_cast<std::uint64_t>(product >> 64);
  wide.word[1] = static_cast<std::uint64_t>(product);
  bool lost = false;
  term.magnitude = carries ? wide.shifted_right(1, lost) : wide;
  return term;
}

/// The top 64 bits of a term and whether anything lies below.
Unpacked collect(bool negative, int exponent, const Wide& magnitude, bool lost) {
  const int zeros = magnitude.leading_zeros();
  const Wide top = magnitude.shifted_left(zeros);
  const bool sticky = lost || (top.word[1] | top.word[2] | top.word[3]) != 0;
  return finite(negative, exponent + 1 - zeros, top.word[0], sticky);
}

Unpacked sum_of(const Term& a, const Term& b, Rounding rounding) {
  const bool a_larger =
      a.exponent != b.exponent ? a.exponent > b.exponent : a.magnitude.compare(b.magnitude) >= 0;
  const Term& large = a_larger ? a : b;
  const Term& small = a_larger ? b : a;
  bool lost = false;
  const Wide aligned = small.magnitude.shifted_right(large.exponent - small.exponent, lost);
  if (a.negative == b.negative) {
    return collect(large.negative, large.exponent, large.magnitude.plus(aligned), lost);
  }
  // What was lost makes the difference smaller by less than one unit of the last bit.
  const Wide difference = large.magnitude.minus(aligned, lost);
  if (difference.is_zero() && !lost) return zero(rounding == Rounding::kTowardNegative);
  return collect(large.negative, large.exponent, difference, lost);
}

RealResult add_to_product(const Unpacked& product, const Term* product_term, const Unpacked& c,
                          Rounding rounding) {
  const bool product_inf = is(product, ValueClass::kInf), c_inf = is(c, ValueClass::kInf);
  if (product_inf && c_inf && product.negative != c.negative) return invalid_result();
  if (product_inf || c_inf) return {infinity(product_inf ? product.negative : c.negative)};
  if (is(product, ValueClass::kZero) && is(c, ValueClass::kZero)) {
    const bool negative =
        product.negative == c.negative ? c.negative : rounding == Rounding::kTowardNegative;
    return {zero(negative)};
  }
  if (is(product, ValueClass::kZero)) return {c};
  if (is(c, ValueClass::kZero)) {
    return {
        collect(product_term->negative, product_term->exponent, product_term->magnitude, false)};
  }
  return {sum_of(*product_term, term_of(c), rounding)};
}

}  // namespace

RealResult exact_add(const Unpacked& a, const Unpacked& b, Rounding rounding) {
  if (const auto nan = propagate_nan({&a, &b})) return *nan;
  const Term term = is(a, ValueClass::kFinite) ? term_of(a) : Term{};
  return add_to_product(a, &term, b, rounding);
}

RealResult exact_multiply(const Unpacked& a, const Unpacked& b) {
  if (const auto nan = propagate_nan({&a, &b})) return *nan;
  const Unpacked product = multiply(a, b);
  return {product, is(product, ValueClass::kNan), false};
}

RealResult exact_fma(const Unpacked& a, const Unpacked& b, const Unpacked& c, Rounding rounding) {
  const Unpacked product = multiply(a, b);
  const bool no_product =
      is(product, ValueClass::kNan) && !is(a, ValueClass::kNan) && !is(b, ValueClass::kNan);
  if (const auto nan = propagate_nan({&a, &b, &c})) {
    return {nan->value, nan->invalid || no_product, false};
  }
  if (no_product) return invalid_result();
  const Term term = is(product, ValueClass::kFinite) ? product_of(a, b) : Term{};
  return add_to_product(product, &term, c, rounding);
}

RealResult exact_divide(const Unpacked& a, const Unpacked& b) {
  if (const auto nan = propagate_nan({&a, &b})) return *nan;
  const bool negative = a.negative != b.negative;
  if (a.cls == b.cls && !is(a, ValueClass::kFinite)) return invalid_result();  // 0 / 0, Inf / Inf
  if (is(a, ValueClass::kInf)) return {infinity(negative)};
  if (is(a, ValueClass::kZero) || is(b, ValueClass::kInf)) return {zero(negative)};
  if (is(b, ValueClass::kZero)) return {infinity(negative), false, true};
  // Scale the dividend so that the quotient has exactly 64 bits.
  const bool shrink = a.significand >= b.significand;
  const Uint128 dividend = static_cast<Uint128>(a.significand) << (shrink ? 63 : 64);
  const auto quotient = static_cast<std::uint64_t>(dividend / b.significand);
  const bool sticky = dividend % b.significand != 0;
  return {finite(negative, a.exponent - b.exponent - (shrink ? 0 : 1), quotient, sticky)};
}

RealResult exact_sqrt(const Unpacked& a) {
  if (const auto nan = propagate_nan({&a})) return *nan;
  if (is(a, ValueClass::kZero)) return {a};
  if (a.negative) return invalid_result();
  if (is(a, ValueClass::kInf)) return {a};
  // The radicand with an even exponent, as a 128-bit integer whose root has exactly 64 bits.
  const bool odd = (a.exponent & 1) != 0;
  const Uint128 radicand = static_cast<Uint128>(a.significand) << (odd ? 64 : 63);
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t trial = root | std::uint64_t{1} << bit;
    if (static_cast<Uint128>(trial) * trial <= radicand) root = trial;
  }
  const bool sticky = static_cast<Uint128>(root) * root != radicand;
  return {finite(false, (a.exponent - (odd ? 1 : 0)) / 2, root, sticky)};
}

}  // namespace mx
