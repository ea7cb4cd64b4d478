#include "fast/scaled_stochastic/resolve.hpp"

#include <bit>

#include "fast/cpu/resolve.hpp"
#include "fast/scaled/plain.hpp"
#include "fast/scaled/resolve.hpp"

namespace mx::fast::scaled {
namespace {

using cpu::no_path;

constexpr int kFar = 5000;  // an exponent beyond those of products

Factor multiplier(std::uint32_t factor) {
  const Real value = value32(factor);
  const int shift = 24 - static_cast<int>(std::bit_width(value.significand));
  return {.high = static_cast<std::uint32_t>(value.significand << shift),
          .exponent = value.exponent - shift + 23};
}

/// ceil(2^95 / D).
Factor reciprocal(Real divisor) {
  // Powers of two stand at the upper end, so that their reciprocal has 64 bits too.
  const auto width = static_cast<int>(std::bit_width(divisor.significand - 1));
  const std::uint64_t d = divisor.significand << (32 - width);
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  const std::uint64_t rest = kTop % d << 32;
  const std::uint64_t all = (kTop / d << 32) + rest / d + (rest % d != 0 ? 1 : 0);
  return {.high = static_cast<std::uint32_t>(all >> 32),
          .low = static_cast<std::uint32_t>(all),
          .exponent = -(divisor.exponent + width - 1)};
}

Factor factor_of(const Chain::Scaling& s) {
  if (s.to_zero) return {.exponent = -kFar};
  return s.is_exact ? reciprocal(s.divisor) : multiplier(s.factor);
}

}  // namespace

Checked<StochasticConstants> resolve_stochastic(const ScaledBlockJob& job) {
  const BlockJob& blocks = job.blocks;
  ScaledBlockJob cut = job;
  if (is_stochastic(cut.blocks.element.rounding))
    cut.blocks.element.rounding = Rounding::kTowardZero;
  const Checked<Constants> constants = resolve(cut);
  if (!constants) return Problem{std::string(constants.problem())};
  const Checked<cpu::ElementConstants> element =
      cpu::resolve_element(blocks.format.element, blocks.element, cpu::Drawing::kDrawn);
  if (!element) return Problem{std::string(element.problem())};
  if (constants->searches) return no_path("a search draws nothing");
  if (divides_in_fp32(blocks.block.rule)) return no_path("draws under a rule that divides");
  // A divisor of more than 28 bits is no multiple of 16.
  if (blocks.format.scale.man_bits > 3) return no_path("the scale format under draws");
  StochasticConstants c{
      .blocks = *constants, .draw = element->draw, .random_bits = element->random_bits};
  c.multiplies = blocks.block.rule != ScaleRule::kNvfp4Exact;
  const Chain chain(job);
  const auto largest = static_cast<std::uint32_t>(blocks.format.scale.max_code);
  for (std::uint32_t code = c.blocks.scale.code_of(0); code <= largest; ++code) {
    c.scalings[code] = chain.scaling(code);
    c.factors[code] = factor_of(c.scalings[code]);
    const std::uint32_t vanishes = c.blocks.vanishes[code];
    c.vanishes[code] =
        vanishes >= c.blocks.infinity ? kNever : word32_of(c.blocks.source, vanishes);
  }
  return c;
}

}  // namespace mx::fast::scaled
