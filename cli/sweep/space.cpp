#include "cli/sweep/space.hpp"

#include <algorithm>

#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

/// The first magnitude pattern of the source whose value is 2^exponent or above; that of infinity
/// where none is.
std::uint64_t first_at(const ElementFormat& source, int exponent) {
  if (exponent > source.emax()) return source.inf_code();
  if (exponent >= source.emin()) {
    return static_cast<std::uint64_t>(exponent + source.bias) << source.man_bits;
  }
  const int place = exponent - source.emin() + source.man_bits;
  return place < 0 ? 1 : std::uint64_t{1} << place;
}

bool is_mx_element(const ElementFormat& format) {
  return std::ranges::any_of(mx_block_formats(),
                             [&](const BlockFormat& row) { return row.element == format; });
}

}  // namespace

std::string_view token_of(SweptWords words) { return words == SweptWords::kAll ? "all" : "block"; }

std::vector<WordRange> swept_ranges(const ConversionConfig& config, const SweepSpace& space) {
  const ElementFormat& source = config.source;
  const std::uint64_t end = source.code_mask() + 1;
  const std::uint64_t infinity = source.inf_code();
  const int above = config.destination.emax() + 1 + space.scale - kScaleOne;
  if (space.words == SweptWords::kAll || first_at(source, above) == infinity) return {{0, end}};
  const std::uint64_t beyond = first_at(source, above);
  const std::uint64_t sign = end / 2;
  return {{0, beyond}, {infinity, sign + beyond}, {sign + infinity, end}};
}

std::vector<WordRange> clipped(const std::vector<WordRange>& ranges, std::uint64_t first,
                               std::uint64_t last) {
  std::vector<WordRange> inside;
  for (const WordRange& each : ranges) {
    const WordRange part{std::max(each.first, first), std::min(each.last, last)};
    if (part.first < part.last) inside.push_back(part);
  }
  return inside;
}

std::uint64_t count_of(const std::vector<WordRange>& ranges) {
  std::uint64_t count = 0;
  for (const WordRange& each : ranges) count += each.last - each.first;
  return count;
}

std::uint8_t widest_scale(const ConversionConfig& config) {
  const int scale = kScaleOne + config.source.emax() - config.destination.emax();
  return static_cast<std::uint8_t>(std::clamp<int>(scale, 0, kLargestScale));
}

std::string space_problem(const ConversionConfig& config, const SweepSpace& space) {
  if (space.scale > kLargestScale) return "scale code 255 is NaN: every word has the same code";
  if (space == SweepSpace{}) return {};
  if (!is_mx_element(config.destination)) {
    return "scales are for the elements of OCP MX, and this is none of them";
  }
  if (config.policy.staging != Staging::kNone) return "scales are for conversions without staging";
  return {};
}

}  // namespace mx::cli
