#include "golden/compare/element_thresholds.hpp"

#include <algorithm>

#include "golden/points/gaps.hpp"

namespace mx::golden {
namespace {

/// Quirks decide below 2^(emin + 1); there every pattern is converted.
constexpr std::uint32_t kMostQuirkPatterns = 1 << 24;

std::uint32_t quirk_end(const ConversionConfig& c) {
  return static_cast<std::uint32_t>(
      SourceGrid(c.source).floor(unpack_integer(false, 1, c.destination.emin() + 1)));
}

/// Puts the reference's own codes in place of those of a step function, below a magnitude.
void replace_below(const Conversion& c, std::uint32_t end, ConversionThresholds& thresholds) {
  for (const std::size_t sign : {std::size_t{0}, std::size_t{1}}) {
    const std::uint32_t bit = sign == 0 ? 0 : std::uint32_t{1} << (thresholds.source_bits - 1);
    std::vector<ThresholdStep> segments;
    const auto append = [&](std::uint32_t first, std::uint64_t code) {
      const auto narrow = static_cast<std::uint8_t>(code);
      if (segments.empty() || segments.back().code != narrow) segments.push_back({first, narrow});
    };
    for (std::uint32_t u = 0; u < end; ++u) append(u, c(u | bit).code);
    append(end, code_of(thresholds, end | bit));
    for (const ThresholdStep& each : thresholds.finite[sign]) {
      if (each.first > end) append(each.first, each.code);
    }
    thresholds.finite[sign] = std::move(segments);
  }
}

}  // namespace

std::vector<Interval> differing_intervals(const ConversionThresholds& a,
                                          const ConversionThresholds& b) {
  std::vector<Interval> found;
  for (const std::size_t sign : {std::size_t{0}, std::size_t{1}}) {
    const auto& sa = a.finite[sign];
    const auto& sb = b.finite[sign];
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < sa.size() && j < sb.size()) {
      const std::uint32_t end_a = i + 1 < sa.size() ? sa[i + 1].first : a.infinity_pattern;
      const std::uint32_t end_b = j + 1 < sb.size() ? sb[j + 1].first : b.infinity_pattern;
      const std::uint32_t first = std::max(sa[i].first, sb[j].first);
      const std::uint32_t end = std::min(end_a, end_b);
      if (first < end && sa[i].code != sb[j].code) found.push_back({first, end - 1, sign});
      if (end_a == end) ++i;
      if (end_b == end) ++j;
    }
    if (a.infinity[sign] != b.infinity[sign]) {
      found.push_back({a.infinity_pattern, a.infinity_pattern, sign});
    }
    const std::uint32_t last = (std::uint32_t{1} << (a.source_bits - 1)) - 1;
    if (a.nan[1][sign] != b.nan[1][sign]) {
      found.push_back({a.infinity_pattern + 1, a.quiet_pattern - 1, sign});
    }
    if (a.nan[0][sign] != b.nan[0][sign]) found.push_back({a.quiet_pattern, last, sign});
  }
  std::ranges::sort(found, {}, [](const Interval& x) { return std::pair(x.first, x.sign); });
  return found;
}

bool has_thresholds(const ConversionConfig& c) {
  return certificate_problem(c.source, c.destination).empty() && is_certified(c.policy) &&
         (c.policy.e8m0_quirk == E8m0Quirk::kNone || quirk_end(c) <= kMostQuirkPatterns);
}

const ConversionThresholds& ThresholdCache::thresholds_of(const ConversionConfig& conversion) {
  Pair& pair = pair_of(conversion);
  for (const auto& [known, result] : pair.thresholds) {
    if (known.policy == conversion.policy) return result;
  }
  ConversionThresholds made = conversion_thresholds(pair.certificate, conversion.policy);
  if (conversion.policy.e8m0_quirk != E8m0Quirk::kNone) {
    replace_below(Conversion::make(conversion).value(), quirk_end(conversion), made);
  }
  pair.thresholds.emplace_back(conversion, std::move(made));
  return pair.thresholds.back().second;
}

ThresholdCache::Pair& ThresholdCache::pair_of(const ConversionConfig& conversion) {
  for (Pair& each : pairs_) {
    if (each.certificate.source == conversion.source &&
        each.certificate.destination == conversion.destination) {
      return each;
    }
  }
  pairs_.push_back({make_certificate(conversion.source, conversion.destination), {}});
  return pairs_.back();
}

}  // namespace mx::golden
