// Walks of what decides a scale: exponents, and the fraction bits that a rule looks at.
#include <optional>

#include "sim/stimulus/walk.hpp"
#include "sim/stimulus/walk_words.hpp"

namespace mx::sim {
namespace {

void walk_exponents(const Words& words, std::vector<WalkBlock>& out) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (int b = 0; b < words.exponent_bits(); ++b) {
      const std::uint32_t bit = 1U << b;
      const std::uint32_t set = words.top_bit() | (bit == words.top_bit() ? 1U : bit);
      const std::uint32_t clear = (words.top_bit() - 1) & ~bit;
      for (const std::uint32_t field : {set, clear}) {
        WalkBlock block;
        block.source.fill(words.word(false, 1, 0));
        block.source[lane] = words.word((lane + field) % 2 != 0, field, 0);
        out.push_back(block);
      }
    }
  }
}

/// Words of one binade, by what stands below its first: with a hidden bit or of subnormals.
struct Binade {
  std::uint32_t field = 0;
  std::uint32_t first = 0;  ///< fraction of the smallest word
  std::uint32_t last = 0;   ///< above that one, of the largest
};

/// The smallest fraction of the binade, above its first word, with which a maximum has a larger
/// scale than without, or one that is not clamped any more, if there is one. Scales grow with the
/// maximum.
std::optional<std::uint32_t> threshold(const QuantizerConfig& config, const Words& words,
                                       const Binade& binade) {
  const Checked<Quantizer> quantizer = Quantizer::make(config);
  if (!quantizer) return std::nullopt;
  const auto scale = [&](std::uint32_t fraction) {
    std::array<std::uint64_t, kLanes> source{};
    std::array<std::uint64_t, kLanes> codes{};
    const std::array<std::uint32_t, kLanes> random{};
    source[0] = words.word(false, binade.field, binade.first | fraction);
    const BlockResult result = quantizer.value().quantize_block(source, random, codes);
    const bool is_clamped = quantizer.value().explain_scale(source).unclamped < 0;
    return 2 * result.scale_code + (is_clamped ? 0 : 1);
  };
  const std::uint64_t below = scale(0);
  if (scale(binade.last) == below) return std::nullopt;
  std::uint32_t low = 0;
  std::uint32_t high = binade.last;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (scale(middle) == below ? low : high) = middle;
  }
  return high;
}

/// Fraction bits that a rule looks at: with the bit the fraction reaches `least`, without it falls
/// short.
void walk_rule(const Words& words, const Binade& binade, std::uint32_t least,
               std::vector<WalkBlock>& out) {
  const auto at = [&](bool negative, std::uint32_t fraction) {
    return words.word(negative, binade.field, binade.first | fraction);
  };
  std::vector<std::uint32_t> critical;  // fractions, each with its bit
  std::vector<std::uint32_t> bits;
  for (std::uint32_t bit = 1; bit <= binade.last; bit <<= 1U) {
    if ((least & bit) == 0 && ((least - 1) & bit) != 0) continue;
    critical.push_back((least & bit) != 0 ? least : (least - 1) | bit);
    bits.push_back(bit);
  }
  for (std::size_t k = 0; k < bits.size(); ++k) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      WalkBlock block;
      block.source.fill(at(false, 0));
      block.source[lane] = at(lane % 2 != 0, critical[k]);
      out.push_back(block);
    }
    // Clear in every lane: one that sees it set has the larger scale alone.
    WalkBlock block;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t turn = (k + lane) % bits.size();
      block.source[lane] = at(lane % 2 != 0, critical[turn] & ~bits[turn]);
    }
    out.push_back(block);
  }
}

}  // namespace

std::vector<WalkBlock> walk_keys(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk()) return out;
  walk_exponents(words, out);
  const Binade middle{words.middle(), 0, words.ones()};
  if (const auto least = threshold(config, words, middle)) walk_rule(words, middle, *least, out);
  return out;
}

std::vector<WalkBlock> walk_subnormal_keys(const QuantizerConfig& config) {
  const Words words(config.source);
  std::vector<WalkBlock> out;
  if (!words.can_walk()) return out;
  // Further down every scale is clamped.
  for (const int top : {words.fraction_bits() - 1, words.fraction_bits() - 2}) {
    const Binade binade{0, 1U << top, (1U << top) - 1};
    const auto least = threshold(config, words, binade);
    if (least) walk_rule(words, binade, *least, out);
  }
  return out;
}

}  // namespace mx::sim
