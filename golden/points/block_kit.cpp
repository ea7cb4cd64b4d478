#include "golden/points/block_kit.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

constexpr int kLowestScale = -127;
constexpr int kHighestScale = 127;
/// Bits of a drawn word that make a significand.
constexpr int kSignificandWidth = 23;
constexpr std::uint32_t kSignificandBits = (1U << kSignificandWidth) - 1;

}  // namespace

BlockKit::BlockKit(const ElementFormat& source, const ElementFormat& element)
    : grid_(source), element_(element), ladder_(element) {}

BlockKit::Bound BlockKit::bound(ScaleRule rule, int t) const {
  const int emax = element_.emax();
  const int m = element_.rule_man_bits();
  switch (rule) {
    case ScaleRule::kFloor:
      return {unpack_integer(false, 1, emax + 1 + t), false};
    case ScaleRule::kCeil:
      return {unpack_integer(false, 1, emax + t), true};
    case ScaleRule::kRceil:
      return {scaled(start_of(ladder_.last()), t), true};
    default:  // the even rules; the stimulus knows no other
      break;
  }
  // 2 - 2^-(m+1): where the maximum rounded to m + 1 bits reaches the next power of two.
  const std::uint64_t units = (std::uint64_t{1} << (m + 2)) - 1;
  return {unpack_integer(false, units, emax + t - m - 1), rule == ScaleRule::kEvenDown};
}

std::uint64_t BlockKit::largest_within(const Bound& bound) const {
  const std::uint64_t floor = grid_.floor(bound.value);
  const bool at_bound = compare_magnitude(decode(grid_.format(), floor), bound.value) == 0;
  return at_bound && !bound.inclusive && floor > 0 ? floor - 1 : floor;
}

std::optional<std::uint64_t> BlockKit::pin(ScaleRule rule, int t) const {
  const std::uint64_t pin = largest_within(bound(rule, t));
  if (pin <= largest_within(bound(rule, t - 1))) return std::nullopt;
  return pin;
}

int BlockKit::lowest_scale(ScaleRule rule) const {
  int t = kLowestScale;
  while (t < kHighestScale && !pin(rule, t)) ++t;
  return t;
}

int BlockKit::highest_scale(ScaleRule rule) const {
  int t = kHighestScale;
  while (t > kLowestScale && !pin(rule, t)) --t;
  return t;
}

int BlockKit::middle_scale(ScaleRule rule) const {
  const int low = lowest_scale(rule);
  const int high = highest_scale(rule);
  // The whole element range should lie among the normal numbers of the source.
  return low < 0 && high > 0 ? 0 : low + (high - low) / 2;
}

void BlockKit::append_near(const Unpacked& at, int t,
                           std::vector<std::uint64_t>& magnitudes) const {
  const std::uint64_t floor = grid_.floor(scaled(at, t));
  const std::uint64_t last = std::min(floor + 2, grid_.max());
  for (std::uint64_t m = floor - std::min<std::uint64_t>(floor, 1); m <= last; ++m) {
    magnitudes.push_back(m);
  }
}

namespace {

void keep_sorted(std::vector<std::uint64_t>& magnitudes, std::uint64_t limit) {
  sort_unique(magnitudes);
  magnitudes.erase(std::ranges::upper_bound(magnitudes, limit), magnitudes.end());
}

}  // namespace

std::vector<std::uint64_t> BlockKit::thresholds(int t, std::uint64_t limit) const {
  std::vector<std::uint64_t> magnitudes;
  for (const Gap& gap : ladder_.gaps()) {
    append_near(start_of(gap), t, magnitudes);
    append_near(midpoint(gap), t, magnitudes);
  }
  append_near(end_of(ladder_.last()), t, magnitudes);
  keep_sorted(magnitudes, limit);
  return magnitudes;
}

std::vector<std::uint64_t> BlockKit::sticky(int t, std::uint64_t limit) const {
  std::vector<std::uint64_t> magnitudes;
  for (const Gap& gap : ladder_.gaps()) {
    const std::uint64_t start = grid_.floor(scaled(start_of(gap), t));
    const std::uint64_t middle = grid_.floor(scaled(midpoint(gap), t));
    const std::uint64_t width = grid_.floor(scaled(end_of(gap), t)) - start;
    for (std::uint64_t bit = 1; bit != 0 && bit < width; bit <<= 1) {
      for (const std::uint64_t base : {start, middle}) {
        magnitudes.push_back(std::min(base + bit, grid_.max()));
        magnitudes.push_back(base - std::min(base, bit));
      }
    }
  }
  keep_sorted(magnitudes, limit);
  return magnitudes;
}

std::uint64_t BlockKit::below(std::uint32_t word, std::uint64_t magnitude, int distance) const {
  const ElementFormat& format = grid_.format();
  const std::uint64_t field = magnitude >> format.man_bits;
  const auto d = static_cast<std::uint64_t>(distance);
  if (field > d) return (field - d) << format.man_bits | (word & format.man_mask());
  // Among subnormals a binade is one bit position.
  const std::uint64_t top = format.man_mask() >> std::min<std::uint64_t>(d - field, 63);
  const std::uint64_t drawn = (top + 1) * (word & kSignificandBits) >> kSignificandWidth;
  return std::min(drawn, magnitude - std::min<std::uint64_t>(magnitude, 1));
}

int BlockKit::near_distance(std::uint32_t word) {
  return std::countl_zero(static_cast<std::uint8_t>(word >> kSignificandWidth & 0xFFU));
}

int BlockKit::widest_spread() const {
  const int source = grid_.format().man_bits + 1 + 4;
  const int range = element_.emax() - ladder_.first().exponent + 4;
  return std::max(source, range);
}

bool has_exact_stimulus(const QuantizerConfig& config) {
  const BlockFormat& format = config.format;
  const ElementFormat& source = config.source;
  const bool is_ieee = source.kind == FormatKind::kFloat && source.is_signed &&
                       source.inf == InfKind::kIeeeTop && source.man_bits >= 7;
  constexpr std::array kRules{ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                              ScaleRule::kEvenUp, ScaleRule::kEvenDown};
  const bool is_plain = format.extent == BlockExtent::kElements && format.sublevels[0] == 0 &&
                        format.cut_from == 0 && !format.rule_emax && format.scale_limit == 0;
  ScaleFormat scale = format.scale;
  scale.name = formats::e8m0.name;
  return is_ieee && is_plain && scale == formats::e8m0 && format.element.is_signed &&
         std::ranges::find(kRules, config.block.rule) != kRules.end();
}

}  // namespace mx::golden
