#include "fast/scaled_stochastic/plain.hpp"

#include <algorithm>
#include <bit>

namespace mx::fast::scaled {
namespace {

/// significand * 2^exponent, and whether a little less than a unit is added.
struct Scaled {
  Real value;
  bool more = false;
};

/// x / divisor to 62 bits or one more.
Scaled divide(Real x, Real divisor) {
  const auto raise = [](Real r, int bits) {
    const int shift = bits - static_cast<int>(std::bit_width(r.significand));
    return Real{r.significand << shift, r.exponent - shift};
  };
  const Real n = raise(x, 32);
  const Real d = raise(divisor, 32);
  const std::uint64_t whole = (n.significand << 31) / d.significand;
  const std::uint64_t rest = ((n.significand << 31) % d.significand) << 31;
  return {{whole << 31 | rest / d.significand, n.exponent - d.exponent - 62},
          rest % d.significand != 0};
}

/// The magnitude code of a number above 0, up to 8: above the largest.
unsigned draw_code(const StochasticConstants& c, const Scaled& y, std::uint32_t word) {
  const int top = y.value.exponent + static_cast<int>(std::bit_width(y.value.significand)) - 1;
  if (top > 2) return kSteps;
  if (top < -40) return 0;
  // e2m1fn: two significand bits, a unit of at least 1/2. The lower code, and what lies above it.
  const int binade = std::max(top, 0);
  const int shift = binade - 1 - y.value.exponent;
  std::uint64_t kept = 0;
  std::uint64_t fraction = 0;
  bool below = y.more;
  if (shift <= 0) {
    kept = y.value.significand << -shift;
  } else if (shift < 64) {
    kept = y.value.significand >> shift;
    fraction = y.value.significand << (64 - shift);
  } else {
    const int deep = shift - 64;
    fraction = y.value.significand >> deep;
    below = below || fraction << deep != y.value.significand;
  }
  const bool up = cpu::drawn_up(c.draw, c.random_bits, fraction, below, word);
  return static_cast<unsigned>(kept) + 2 * static_cast<unsigned>(binade) + (up ? 1 : 0);
}

/// The magnitude code of a finite magnitude under a scale.
unsigned code_of(const StochasticConstants& c, std::uint32_t word32, std::uint8_t scale,
                 std::uint32_t word) {
  const Chain::Scaling& s = c.scalings[scale];
  if (word32 == 0 || s.to_zero) return 0;
  if (s.is_exact) return draw_code(c, divide(value32(word32), s.divisor), word);
  const std::uint32_t product = multiply32(word32, s.factor);
  return product == 0 ? 0 : draw_code(c, {value32(product)}, word);
}

}  // namespace

std::uint16_t quantize_plain(const StochasticConstants& c, const PlainBlock& block) {
  const Constants& b = c.blocks;
  const std::size_t width = cpu::word_bytes(b.source);
  const BlockScale chosen = choose_scale(b, block);
  const auto scale = static_cast<std::uint8_t>(chosen.status);
  unsigned status = chosen.status;
  for (std::size_t i = 0; i < block.count; ++i) {
    const std::size_t place = block.place(i);
    std::uint8_t& code = block.codes[place];
    const Word x = read_word(b.source, block.source + place * width);
    const bool is_number = x.magnitude < b.infinity;
    if (chosen.is_nan) {
      code = 0;
    } else if (x.magnitude > b.infinity) {
      code = b.nan[x.sign];
    } else if (!is_number && !b.zeroes[scale]) {
      code = b.infinity_code[x.sign];
      status |= cpu::kSaturated;
    } else {
      const std::uint64_t index = block.index + place;
      const std::uint32_t word = cpu::random_word(block.draws, c.random_bits, index);
      const unsigned drawn =
          is_number ? code_of(c, word32_of(b.source, x.magnitude), scale, word) : 0;
      const bool vanishes = x.magnitude <= b.vanishes[scale];
      const bool drops = (drawn == 0 && b.drops_zero_sign) || (vanishes && b.drops_input_sign);
      if (drawn == 0 && !vanishes) status |= cpu::kToZero;
      if (drawn >= kSteps) status |= cpu::kSaturated;
      code = static_cast<std::uint8_t>(std::min(drawn, 7U) | (drops ? 0 : x.sign << 3));
    }
  }
  return static_cast<std::uint16_t>(status);
}

}  // namespace mx::fast::scaled
