#include "tests/device/accumulators/stimuli.hpp"

#include <algorithm>
#include <string>

#include "tests/device/accumulators/edge_stimuli.hpp"

namespace mx::probe {
namespace {

void make_exact(DotMaker& dot) {
  // At most 32 * 49 + 64: exact in every output format, 14-bit sums too.
  const auto whole = [&](const Format& format, int most) {
    const int value = dot.random.between(-most, most);
    if (value == 0) return 0u;
    int exponent = 0;
    while ((2 << exponent) <= std::abs(value)) ++exponent;
    const auto rest = static_cast<std::uint32_t>(std::abs(value) - (1 << exponent));
    return dot.code(format, value < 0 ? kMinus : kPlus, exponent, Fraction::kZero) |
           (rest << (format.fraction_bits - exponent));
  };
  for (int at = 0; at < dot.k(); ++at) {
    dot.set_a(at, whole(dot.format_a(), 7));
    dot.set_b(at, whole(dot.format_b(), 7));
  }
  dot.c = whole(dot.output(), 64);
}

void make_mid(DotMaker& dot) {
  for (int at = 0; at < dot.k(); ++at) {
    dot.set_a(at,
              dot.code(dot.format_a(), dot.sign(), dot.random.between(-4, 4), Fraction::kRandom));
    dot.set_b(at,
              dot.code(dot.format_b(), dot.sign(), dot.random.between(-4, 4), Fraction::kRandom));
  }
  dot.carry(dot.sign(), dot.random.between(-4, 10), Fraction::kRandom);
}

void make_wide(DotMaker& dot) {
  const int spread = 2 + 4 * dot.random.below(4);
  const int centre = dot.is_wide() ? dot.random.between(-60, 60) : dot.random.between(-6, 6);
  dot.products(centre - spread, centre + spread);
  for (int at = 0; at < dot.k(); ++at) {
    if (dot.random.one_in(8)) dot.zero_product(at);
  }
  dot.carry(dot.sign(), centre + dot.random.between(-34, 34), Fraction::kRandom);
  if (dot.random.one_in(8)) dot.zero_carry();
}

/// A pair of lanes, or C and a lane, cancels; one small term says whether it was aligned with them.
void make_order(DotMaker& dot) {
  const int mode = dot.random.below(4);
  const int deepest = dot.lowest_product();
  int high = dot.random.between(-20, 40);
  if (!dot.is_wide()) high = dot.random.between(6, dot.highest_product());
  // Three in four stay within the result's range, where a group that holds one of the pair is
  // finite.
  if (dot.writes_fp16() && !dot.random.one_in(4)) high = dot.random.between(8, 15);
  const int low = std::max(deepest, high - dot.random.between(8, 45));
  const int first = dot.lane();
  const int second = (first + dot.random.between(1, dot.k() - 1)) % dot.k();
  int small = dot.lane();
  while (small == first || small == second) small = (small + 1) % dot.k();

  dot.zero_products();
  dot.zero_carry();
  const int sign = dot.sign();
  const int small_sign = dot.sign();
  if (mode == 3) {  // how many of the small terms survive
    for (int at = 0; at < dot.k(); ++at) dot.product(at, small_sign, low, Fraction::kZero);
  } else if (mode == 2) {
    dot.carry(small_sign, low, Fraction::kRandom);
  } else {
    dot.product(small, small_sign, low, Fraction::kRandom);
  }
  dot.product(first, sign, high, mode == 1 ? Fraction::kZero : Fraction::kRandom);
  if (mode == 1) {
    dot.carry(sign ^ 1, high, Fraction::kZero);
  } else {
    dot.negate(first, second);
  }
}

/// Exact halves of the result's last bit, and terms that lie just above and below the last kept
/// bit.
void make_ties(DotMaker& dot) {
  const int digits = dot.writes_fp16() ? 11 : 24;
  int top = dot.is_wide() ? dot.random.between(-40, 60) : dot.random.between(0, 15);
  if (dot.writes_fp16()) top = dot.random.between(-2, 14);
  const int depth = dot.random.between(10, 45);
  dot.zero_products();
  dot.zero_carry();
  const int first = dot.lane();
  const int second = (first + dot.random.between(1, dot.k() - 1)) % dot.k();
  const int third = (second + 1) % dot.k() == first ? second : (second + 1) % dot.k();
  const int sign = dot.sign();
  switch (dot.random.below(5)) {
    case 0:  // C and half of its last bit, sometimes with a little more or less
      dot.carry(sign, top, Fraction::kRandom);
      dot.product(first, dot.sign(), top - digits, Fraction::kZero);
      if (!dot.random.one_in(3)) {
        dot.product(second, dot.sign(), top - digits - dot.random.between(1, 20), Fraction::kZero);
      }
      break;
    case 1:  // a sum that outgrows its terms: the dropped bits were kept in the sum
      for (int at = 0; at < dot.k(); ++at) dot.product(at, sign, top, Fraction::kRandom);
      if (dot.random.one_in(2)) dot.carry(sign, top, Fraction::kRandom);
      break;
    case 2:  // a large product less a small one
      dot.product(first, sign, top, Fraction::kRandom);
      dot.product(second, sign ^ 1, top - depth, Fraction::kRandom);
      break;
    case 3:  // C less a small product
      dot.carry(sign, top, Fraction::kRandom);
      dot.product(first, sign ^ 1, top - depth, Fraction::kRandom);
      break;
    default:  // a tie made of products alone
      dot.product(first, sign, top, Fraction::kZero);
      dot.product(second, sign, top - digits, Fraction::kZero);
      if (third != second) {
        dot.product(third, dot.sign(), top - digits - dot.random.between(1, 20), Fraction::kZero);
      }
      break;
  }
}

using Make = void (*)(DotMaker&);

Make maker_of(std::string_view name) {
  if (name == "exact") return &make_exact;
  if (name == "mid") return &make_mid;
  if (name == "wide") return &make_wide;
  if (name == "bottom") return &make_bottom;
  if (name == "top") return &make_top;
  if (name == "special") return &make_special;
  if (name == "zeros") return &make_zeros;
  if (name == "order") return &make_order;
  return &make_ties;
}

/// The words that spec U4 b names stand first: 3 * 2^-149 where a zero C does not hide them.
void put_named_vectors(const Instruction& instruction, DotProducts& dots) {
  if (instruction.a.name != "bf16") return;
  const auto k = static_cast<std::size_t>(instruction.k);
  for (std::size_t at = 0; at < 2 * k; ++at) {
    const bool is_used = at < k || at % 2 == 0;
    dots.a[at] = is_used ? 0x19c0 : 0;
    dots.b[at] = is_used ? 0x1980 : 0;
  }
  dots.c[0] = dots.c[1] = 0;
}

}  // namespace

DotProducts make_stimuli(const Instruction& instruction, const StimulusClass& stimulus) {
  const std::string shape =
      std::string(instruction.a.name) + "." + std::string(instruction.b.name) + "." +
      std::string(instruction.output.name) + "." + std::to_string(instruction.k);
  const std::uint64_t key = key_of(stimulus.name, key_of(shape, kSeed));
  const Make make = maker_of(stimulus.name);
  DotProducts dots;
  for (std::size_t number = 0; number < stimulus.count; ++number) {
    DotMaker dot(instruction, mix(key + number));
    make(dot);
    dots.a.insert(dots.a.end(), dot.a.begin(), dot.a.end());
    dots.b.insert(dots.b.end(), dot.b.begin(), dot.b.end());
    dots.c.push_back(dot.c);
  }
  if (stimulus.name == "bottom") put_named_vectors(instruction, dots);
  return dots;
}

}  // namespace mx::probe
