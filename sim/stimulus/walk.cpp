#include "sim/stimulus/walk.hpp"

#include <algorithm>
#include <bit>

#include "sim/stimulus/walk_words.hpp"

namespace mx::sim {
namespace {

/// The fraction bits of a word whose code a rounding keeps, and the guard below them, for elements
/// one binade under the maximum.
int guard_position(const QuantizerConfig& config) {
  const ElementFormat& element = config.format.element;
  const int kept = element.is_fixed() ? element.rule_man_bits() - 1 : element.man_bits;
  return std::clamp(config.source.man_bits - kept - 1, 0, config.source.man_bits - 1);
}

// Rounds of a walk. They differ in the lane of the maximum, which does not walk, and in the
// exponent, so that each of its bits is seen set and clear.
constexpr std::size_t kRounds = 3;

/// One block of a round: the maximum, and what `lane(i)` says of the others, which are so many
/// binades `below` it.
template <typename Lane>
WalkBlock under_maximum(const Words& words, std::size_t round, std::size_t turn, Lane lane,
                        std::uint32_t below = 1) {
  const std::size_t pin = (turn + 11 * round) % kLanes;
  const std::uint32_t field = words.middle() + static_cast<std::uint32_t>(round);
  WalkBlock block;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const bool negative = (i + turn + round) % 2 != 0;
    if (i == pin) {
      block.source[i] = words.word(negative, field, 0);
      continue;
    }
    const auto [fraction, random] = lane(i);
    block.source[i] = words.word(negative, field - below, fraction);
    block.random[i] = random;
  }
  return block;
}

struct Pattern {
  std::uint32_t fraction = 0;
  std::uint32_t random = 0;
};

void walk_fractions(const QuantizerConfig& config, const Words& words,
                    std::vector<WalkBlock>& out) {
  const auto bits = static_cast<std::size_t>(words.fraction_bits());
  const std::uint32_t tie = 1U << guard_position(config);
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < bits; ++turn) {
      out.push_back(under_maximum(words, round, turn, [&](std::size_t i) -> Pattern {
        const std::uint32_t bit = 1U << (turn + i) % bits;
        return {tie | (bit == tie ? 1U : bit)};
      }));
    }
    // Without the bit: the tie itself, a value that is exact, and all that lies below the tie.
    for (const std::uint32_t fraction : {tie, 0U, tie - 1}) {
      out.push_back(under_maximum(words, round, round + fraction,
                                  [&](std::size_t) -> Pattern { return {fraction}; }));
    }
  }
}

void walk_random(const QuantizerConfig& config, const Words& words, std::vector<WalkBlock>& out) {
  const int count = config.element.random_bits;
  // The discarded bit of weight 2^j stands at lowest + j.
  const int lowest = guard_position(config) + 1 - count;
  const int first = std::max(0, -lowest);
  if (count > 31 || first >= count) return;
  const auto bits = static_cast<std::size_t>(count - first);
  const std::uint32_t end = 1U << count;
  const auto at = [&](std::uint32_t discarded) {
    return lowest >= 0 ? discarded << lowest : discarded >> -lowest;
  };
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < bits; ++turn) {
      // Discarded bits + random word reach the carry, or fall short of it by the bit alone.
      for (const int kind : {0, 1, 2, 3}) {
        out.push_back(under_maximum(words, round, turn, [&](std::size_t i) -> Pattern {
          const std::uint32_t bit = 1U << (static_cast<std::size_t>(first) + (turn + i) % bits);
          if (kind == 0) return {at(bit), end - bit};
          if (kind == 1) return {0, end - bit};
          if (kind == 2) return {at(end - bit), bit};
          return {at(end - bit), 0};
        }));
      }
    }
  }
}

/// A number of its own for each turn and lane.
std::uint32_t mixed(std::size_t turn, std::size_t lane) {
  const auto number = static_cast<std::uint32_t>(turn * kLanes + lane + 1);
  const std::uint32_t spread = number * 0x9E3779B1U;
  return (spread ^ spread >> 15) * 0x85EBCA77U ^ number;
}

/// Any discarded bits, and the random word with which they just reach the carry, or just do not: a
/// bit that is another one changes the code, whatever the bits beside it. In fixed point the lowest
/// ones are seen in the binade of the maximum alone.
void walk_random_crosses(const QuantizerConfig& config, const Words& words,
                         std::vector<WalkBlock>& out) {
  constexpr std::size_t kTurns = 16;
  const int count = config.element.random_bits;
  for (const std::uint32_t below : {1U, 0U}) {
    if (below == 0 && !config.format.element.is_fixed()) continue;
    const int lowest = guard_position(config) + static_cast<int>(below) - count;
    if (count > 31 || lowest < 0) continue;
    const std::uint32_t end = 1U << count;
    for (std::size_t turn = 0; turn < 2 * kTurns; ++turn) {
      const auto pattern = [&](std::size_t lane) -> Pattern {
        std::uint32_t fraction = mixed(turn / 2, lane) & words.ones();
        if ((fraction >> lowest) % end == 0) fraction |= 1U << lowest;
        const std::uint32_t reaches = end - (fraction >> lowest) % end;
        return {fraction, reaches - static_cast<std::uint32_t>(turn % 2)};
      };
      out.push_back(under_maximum(words, turn % kRounds, turn, pattern, below));
    }
  }
}

/// The random word with which a subnormal just reaches the carry under the smallest scale, of fp32
/// and bf16; of other sources some word.
std::uint32_t reaching_word(const QuantizerConfig& config, std::uint32_t fraction) {
  const int count = config.element.random_bits;
  if (!is_stochastic(config.element.rounding) || count > 16) return 0;
  const ElementFormat& element = config.format.element;
  const int kept = element.is_fixed() ? element.rule_man_bits() : element.man_bits;
  const int smallest =
      config.source.man_bits - 1 + (element.is_fixed() ? 0 : element.emin()) - kept;
  const int last = std::max(smallest, static_cast<int>(std::bit_width(fraction)) - 1 - kept);
  const int lowest = last - count;
  const std::uint32_t end = 1U << count;
  const std::uint64_t wide = std::uint64_t{fraction} << 32;
  const auto discarded = static_cast<std::uint32_t>(wide >> (32 + lowest)) & (end - 1);
  return discarded == 0 ? end - 1 : end - discarded;
}

/// The uppermost bit walks above others that are drawn, so that each of them is seen beside each;
/// now and then under the largest maximum there is, which they are furthest below.
void add_drawn_subnormals(const QuantizerConfig& config, const Words& words, std::size_t turn,
                          std::vector<WalkBlock>& out) {
  // With a random word, a bit is seen by half of the draws only.
  const std::size_t draws = is_stochastic(config.element.rounding) ? 32 : 8;
  const auto bits = static_cast<std::size_t>(words.fraction_bits());
  for (std::size_t draw = 0; draw < draws; ++draw) {
    WalkBlock block;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint32_t bit = 1U << (turn + i) % bits;
      const std::uint32_t drawn = mixed(turn * draws + draw, i);
      const std::uint32_t fraction = bit | (drawn & (bit - 1));
      block.source[i] = words.word((drawn >> 31) != 0, 0, fraction);
      const std::uint32_t reaching = reaching_word(config, fraction);
      block.random[i] = reaching - (reaching != 0 && draw % 2 != 0 ? 1U : 0U);
    }
    const std::size_t pin = (turn + 11 * draw) % kLanes;
    if (draw % 4 == 0) block.source[pin] = words.word(false, words.special() - 1, 0);
    out.push_back(block);
  }
}

}  // namespace

std::vector<WalkBlock> walk_elements(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk()) return out;
  walk_fractions(config, words, out);
  if (is_stochastic(config.element.rounding)) {
    walk_random(config, words, out);
    walk_random_crosses(config, words, out);
  }
  return out;
}

std::vector<WalkBlock> walk_subnormals(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk()) return out;
  const auto bits = static_cast<std::size_t>(words.fraction_bits());
  const auto add = [&](std::size_t turn, const auto& below) {
    WalkBlock block;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint32_t bit = 1U << (turn + i) % bits;
      block.source[i] = words.word((i + turn) % 2 != 0, 0, bit | below(bit));
    }
    out.push_back(block);
  };
  // Where any bit that is lost rounds up, each one below the uppermost counts.
  const bool sees_each = config.element.rounding == Rounding::kAwayFromZero;
  for (std::size_t turn = 0; turn < bits; ++turn) {
    add(turn, [](std::uint32_t) { return 0U; });
    add(turn, [](std::uint32_t bit) { return bit - 1; });
    for (std::size_t down = 1; down < (sees_each ? bits : 2); ++down) {
      add(turn, [&](std::uint32_t bit) { return bit >> down; });
    }
    add_drawn_subnormals(config, words, turn, out);
  }
  return out;
}

std::vector<WalkBlock> walk_specials(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk() || config.source.inf != InfKind::kIeeeTop) return out;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (int k = -1; k < words.fraction_bits(); ++k) {
      WalkBlock block;
      block.source[lane] = words.word(k % 2 != 0, words.special(), k < 0 ? 0 : 1U << k);
      out.push_back(block);
    }
  }
  return out;
}

std::vector<WalkBlock> tops_beside_specials(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk() || config.source.inf != InfKind::kIeeeTop) return out;
  const std::uint32_t top = words.word(false, words.special() - 1, words.ones());
  const std::uint32_t infinity = words.word(true, words.special(), 0);
  const std::uint32_t nan = words.word(false, words.special(), words.ones());
  for (std::size_t lane = 0; lane < kLanes; lane += 8) {
    for (const bool has_infinity : {false, true}) {
      for (const bool has_nan : {false, true}) {
        WalkBlock block;
        block.source.fill(words.word(false, words.middle(), 0));
        block.source[lane] = top;
        if (has_infinity) block.source[(lane + 5) % kLanes] = infinity;
        if (has_nan) block.source[(lane + 11) % kLanes] = nan;
        out.push_back(block);
      }
    }
  }
  // Infinities of both signs in every lane.
  for (const std::size_t turn : {0U, 1U, 2U, 3U}) {
    WalkBlock block;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const bool is_infinite = (i + turn) % 2 == 0;
      const std::uint32_t field = is_infinite ? words.special() : words.middle();
      block.source[i] = words.word(((i + turn) & 2) != 0, field, 0);
    }
    out.push_back(block);
  }
  return out;
}

std::vector<WalkBlock> walk_shapes(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk()) return out;
  for (std::size_t length = 1; length < kLanes; ++length) {
    WalkBlock block;
    block.keep = kAllLanes >> (kLanes - length);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto below = static_cast<std::uint32_t>(i < length ? i % 3 : 0);
      const std::uint32_t field = words.middle() - below + (i < length ? 0 : 2);
      block.source[i] = words.word(i % 2 != 0, field, words.ones() >> i % 4);
    }
    out.push_back(block);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    WalkBlock block;
    block.source[lane] = words.word(lane % 2 != 0, words.middle(), words.ones() >> lane % 4);
    out.push_back(block);
  }
  return out;
}

}  // namespace mx::sim
