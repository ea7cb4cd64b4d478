#include "tests/device/accumulators/edge_stimuli.hpp"

#include <algorithm>
#include <cstddef>

namespace mx::probe {
namespace {

/// The exponents of products among which zero exponents would show.
int bottom_exponent(DotMaker& dot) {
  if (dot.is_wide()) return dot.random.between(-165, -120);
  return dot.lowest_product() + dot.random.between(0, 20);
}

void bottom_carry(DotMaker& dot) {
  const Format& format = dot.output();
  dot.carry(dot.sign(), dot.random.between(format.lowest(), format.emin() + 3), Fraction::kRandom);
}

/// Exactly some last bits of the result (for fp16 and a half) and a small term beside them:
/// rounding toward zero, and a tie, show the small one however small it is, unless alignment
/// dropped it.
void make_amplified(DotMaker& dot) {
  const bool is_half = dot.writes_fp16();
  const int last = is_half ? -25 : -149;
  const int first = dot.lane();
  const int second = (first + dot.random.between(1, dot.k() - 1)) % dot.k();
  const int sign = dot.sign();
  dot.product(first, sign, is_half ? last : last + dot.random.below(3), Fraction::kZero);
  const int depth = is_half ? dot.random.between(10, 26) : dot.random.between(1, 30);
  const int small = last - depth;
  const int small_sign = is_half ? dot.sign() : sign ^ 1;
  dot.product(second, small_sign, small, Fraction::kRandom);
  // Without a zero among the terms there is no zero exponent.
  if (dot.random.one_in(2)) return;
  for (int at = 0; at < dot.k(); ++at) {
    if (at == first || at == second) continue;
    dot.product(at, small_sign, small - dot.random.below(3), Fraction::kRandom);
  }
}

void make_subnormal_inputs(DotMaker& dot, bool with_large) {
  const Format& a = dot.format_a();
  const Format& b = dot.format_b();
  int top = -200;
  for (int at = 0; at < dot.k(); ++at) {
    const int small = dot.random.between(a.lowest(), a.emin() - 1);
    const int other = with_large ? dot.random.between(std::max(b.emin(), b.emax() - 20), b.emax())
                                 : dot.random.between(b.lowest(), b.emin() + 2);
    dot.set_a(at, dot.code(a, dot.sign(), small, Fraction::kRandom));
    dot.set_b(at, dot.code(b, dot.sign(), other, Fraction::kRandom));
    top = std::max(top, small + other);
  }
  dot.carry(dot.sign(), top + dot.random.between(-6, 30), Fraction::kRandom);
  if (!with_large || dot.random.one_in(3)) dot.zero_carry();
}

}  // namespace

void make_bottom(DotMaker& dot) {
  const int exponent = bottom_exponent(dot);
  const int lane = dot.lane();
  dot.zero_products();
  dot.zero_carry();
  switch (dot.random.below(12)) {
    case 0:
      dot.products(exponent - 3, exponent + 3);
      break;
    case 1:
      dot.product(lane, dot.sign(), exponent, Fraction::kRandom);
      break;
    case 2:
      dot.products(exponent - 20, exponent);
      break;
    case 3:  // nothing but C
      bottom_carry(dot);
      break;
    case 4:  // no zero anywhere
      dot.products(exponent - 3, exponent + 3);
      bottom_carry(dot);
      break;
    case 5:
      for (int at = 0; at < dot.k(); ++at) {
        if (dot.random.one_in(2)) dot.product(at, dot.sign(), exponent, Fraction::kRandom);
      }
      if (dot.random.one_in(2)) bottom_carry(dot);
      break;
    case 6:
      make_subnormal_inputs(dot, true);
      break;
    case 7:
      make_subnormal_inputs(dot, false);
      break;
    case 8: {  // every lane alike, as in spec U4 b
      dot.product(0, dot.sign(), exponent, Fraction::kRandom);
      for (int at = 1; at < dot.k(); ++at) {
        dot.set_a(at, dot.a[0]);
        dot.set_b(at, dot.b[0]);
      }
      break;
    }
    case 9:  // C of a few last bits, and a small term: alone, or beside half of a last bit
      dot.carry(dot.sign(), dot.output().lowest() + dot.random.below(3), Fraction::kZero);
      if (dot.writes_fp16()) {
        make_amplified(dot);
      } else {
        dot.product(lane, dot.sign(), dot.output().lowest() - dot.random.between(1, 30),
                    Fraction::kRandom);
      }
      break;
    default:
      make_amplified(dot);
      break;
  }
}

void make_top(DotMaker& dot) {
  const int most = dot.output().emax();
  const int reach = dot.highest_product();
  const int lane = dot.lane();
  const int sign = dot.sign();
  switch (dot.random.below(5)) {
    case 0:  // sums on either side of the largest finite value
      dot.products(most - 9, most);
      dot.carry(dot.sign(), dot.random.between(most - 9, most), Fraction::kRandom);
      break;
    case 1: {  // products above the range cancel
      dot.products(most - 27, most);
      dot.carry(dot.sign(), dot.random.between(most - 27, most), Fraction::kRandom);
      const int above = dot.random.between(most + 1, std::min(reach, most + 14));
      dot.product(lane, sign, above, Fraction::kRandom);
      dot.negate(lane, (lane + dot.random.between(1, dot.k() - 1)) % dot.k());
      break;
    }
    case 2: {  // the largest finite C, or a little less, and parts of its last bit
      const int digits = dot.writes_fp16() ? 11 : 24;
      const std::uint32_t infinity =
          dot.code(dot.output(), kPlus, most, Fraction::kZero) + (1u << dot.output().fraction_bits);
      dot.zero_products();
      dot.c = (infinity - 1 - static_cast<std::uint32_t>(dot.random.below(3))) |
              dot.sign_bit(dot.output(), sign);
      for (int parts = dot.random.between(1, 4); parts > 0; --parts) {
        dot.product(dot.lane(), dot.random.one_in(3) ? sign ^ 1 : sign,
                    most - digits + dot.random.between(-6, 3),
                    dot.random.one_in(2) ? Fraction::kZero : Fraction::kRandom);
      }
      break;
    }
    case 3:  // far above, all of one sign but perhaps C
      for (int at = 0; at < dot.k(); ++at) {
        dot.product(at, sign, dot.random.between(most - 3, most + 3), Fraction::kRandom);
      }
      dot.carry(dot.sign(), dot.random.between(most - 3, most), Fraction::kRandom);
      break;
    default:  // no C; few large products
      dot.zero_products();
      dot.zero_carry();
      for (int parts = dot.random.between(1, 4); parts > 0; --parts) {
        dot.product(dot.lane(), dot.sign(), dot.random.between(most - 2, most + 2),
                    Fraction::kRandom);
      }
      break;
  }
}

namespace {

std::uint32_t special_code(DotMaker& dot, const Format& format) {
  const std::uint32_t sign = dot.sign_bit(format, dot.sign());
  const std::uint32_t field = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  const std::uint32_t fraction = (1u << format.fraction_bits) - 1;
  if (dot.random.one_in(4)) return sign;
  if (!format.has_inf) return sign | field | fraction;
  if (dot.random.one_in(2)) return sign | field;
  std::uint32_t payload = dot.random.word() & fraction;
  // tf32: a payload that stands in the dropped bits alone.
  if (format.kept_bits < format.fraction_bits && dot.random.one_in(2)) payload &= 0x1fff;
  return sign | field | std::max(payload, 1u);
}

}  // namespace

void make_special(DotMaker& dot) {
  dot.products(-6, 6);
  dot.carry(dot.sign(), dot.random.between(-4, 10), Fraction::kRandom);
  const int mode = dot.random.below(8);
  if (mode == 0) {  // finite products above the range, and an Inf
    const int sign = dot.sign();
    for (int at = 0; at < dot.k(); ++at) {
      dot.product(at, sign, dot.output().emax() + dot.random.below(3), Fraction::kRandom);
    }
  }
  for (int count = dot.random.between(1, 3); count > 0; --count) {
    switch (dot.random.below(4)) {
      case 0:
        dot.c = special_code(dot, dot.output());
        break;
      case 1:
        dot.set_b(dot.lane(), special_code(dot, dot.format_b()));
        break;
      default:
        dot.set_a(dot.lane(), special_code(dot, dot.format_a()));
        break;
    }
  }
}

void make_zeros(DotMaker& dot) {
  dot.zero_products();
  dot.zero_carry();
  const int lane = dot.lane();
  const int mode = dot.random.below(6);
  if (mode <= 1) {  // every product of one sign
    const int sign = dot.sign();
    for (int at = 0; at < dot.k(); ++at) {
      const int sign_a = dot.sign();
      dot.set_a(at, dot.sign_bit(dot.format_a(), sign_a));
      dot.set_b(at, dot.code(dot.format_b(), sign ^ sign_a, 0, Fraction::kRandom));
    }
  } else if (mode == 2) {  // lanes that cancel
    dot.product(lane, dot.sign(), dot.random.between(-8, 8), Fraction::kRandom);
    dot.negate(lane, (lane + dot.random.between(1, dot.k() - 1)) % dot.k());
  } else if (mode == 3) {  // C that cancels a product
    const int exponent = dot.random.between(-8, 8);
    dot.product(lane, kPlus, exponent, Fraction::kZero);
    dot.carry(kMinus, exponent, Fraction::kZero);
  } else if (mode == 4) {  // below half of the last bit of the result
    const int last = dot.output().lowest();
    dot.product(lane, dot.sign(), last - dot.random.between(1, 20), Fraction::kRandom);
  }
}

}  // namespace mx::probe
