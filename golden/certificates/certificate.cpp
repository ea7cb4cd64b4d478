#include "golden/certificates/certificate.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "golden/certificates/ranks.hpp"
#include "golden/certificates/rules.hpp"
#include "golden/text/filled.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

std::size_t index(Staging staging) { return static_cast<std::size_t>(staging); }

/// The first source pattern that the staging format receives as its magnitude pattern `staged` or
/// above: rounding is ties_to_even, and a pattern is even if its last bit is 0.
std::uint32_t first_staged(const ElementFormat& source, const ElementFormat& via,
                           std::uint32_t staged) {
  if (staged == 0) return 0;
  const Unpacked lower = decode(via, staged - 1);
  // The pattern of +Inf stands for the value that would follow the largest.
  const Unpacked upper =
      staged == via.inf_code() ? unpack_integer(false, 1, lower.exponent + 1) : decode(via, staged);
  const bool lower_is_odd = ((staged - 1) & 1) != 0;
  return first_pattern(source, ray_of(LadderKind::kNe, lower, upper, lower_is_odd));
}

CertificateLadder make_ladder(const ElementFormat& source, const RankLadder& ranks,
                              LadderKind kind) {
  CertificateLadder ladder;
  ladder.thresholds.push_back(0);
  for (std::size_t k = 1; k < ranks.values.size(); ++k) {
    const Ray ray = ray_of(kind, ranks.values[k - 1], ranks.values[k], ranks.odd[k - 1]);
    ladder.thresholds.push_back(first_pattern(source, ray));
  }
  ladder.first_step = ladder.thresholds[1];
  if (ranks.grid.cls != ValueClass::kZero) {  // the lowest step of the grid counts as even
    ladder.first_step = first_pattern(source, ray_of(kind, Unpacked{}, ranks.grid, false));
  }
  return ladder;
}

/// The smallest normal value, where flushing results looks for it.
std::uint32_t first_normal(const ElementFormat& source, const ElementFormat& f) {
  if (f.kind != FormatKind::kFloat || f.zero == ZeroKind::kNone) return 1;
  const Ray normal{unpack_integer(false, 1, f.emin()), RayEnd::kClosed};
  return std::max(first_pattern(source, normal), std::uint32_t{1});
}

ThresholdSet make_set(const ElementFormat& source, const ElementFormat& destination,
                      const RankLadder& ranks) {
  ThresholdSet set;
  set.stagings = {Staging::kNone};
  set.first_infinite = static_cast<std::uint32_t>(source.inf_code());
  set.first_normal = first_normal(source, destination);
  for (std::size_t i = 0; i < kLadders; ++i) {
    set.ladders[i] = make_ladder(source, ranks, static_cast<LadderKind>(i));
  }
  return set;
}

/// A step function over the staged patterns, seen from the source: both maps are monotone.
ThresholdSet compose(const ElementFormat& source, const ElementFormat& via,
                     const ThresholdSet& inner) {
  const auto through = [&](std::uint32_t staged) { return first_staged(source, via, staged); };
  ThresholdSet set;
  set.first_nonzero = through(1);
  set.first_normal = std::max(through(inner.first_normal), std::uint32_t{1});
  set.first_infinite = through(inner.first_infinite);
  for (std::size_t i = 0; i < kLadders; ++i) {
    for (const std::uint32_t threshold : inner.ladders[i].thresholds) {
      set.ladders[i].thresholds.push_back(through(threshold));
    }
    set.ladders[i].first_step = through(inner.ladders[i].first_step);
  }
  return set;
}

PatternCounts count_patterns(const ElementFormat& source) {
  const std::uint64_t infinity = source.inf_code();
  const std::uint64_t half = std::uint64_t{1} << (source.man_bits - 1);  // quiet: the top bit set
  return {2, 2 * (infinity - 1), 2, 2 * half, 2 * (half - 1)};
}

bool is_source(const ElementFormat& f) {
  return f == formats::fp32 || f == formats::bf16 || f == formats::fp16;
}

}  // namespace

bool is_certified(const ElementPolicy& policy) {
  return std::ranges::count(kCertifiedRoundings, policy.rounding, &CertifiedRounding::rounding) !=
             0 &&
         std::ranges::count(kCertifiedOverflows, policy.overflow) != 0 &&
         std::ranges::count(kCertifiedNans, policy.nan) != 0 &&
         std::ranges::count(kCertifiedStagings, policy.staging) != 0 &&
         std::ranges::count(kCertifiedFlushes, policy.dst_ftz) != 0;
}

std::size_t certified_index(Rounding rounding) {
  const auto at = std::ranges::find(kCertifiedRoundings, rounding, &CertifiedRounding::rounding);
  if (at == kCertifiedRoundings.end()) {
    throw std::invalid_argument("certificates have no ladder for rounding " +
                                std::string(token_of(rounding)));
  }
  return static_cast<std::size_t>(at - kCertifiedRoundings.begin());
}

std::size_t certified_index(Overflow overflow) {
  const auto at = std::ranges::find(kCertifiedOverflows, overflow);
  if (at == kCertifiedOverflows.end()) {
    throw std::invalid_argument("certificates do not hold overflow policy " +
                                std::string(token_of(overflow)));
  }
  return static_cast<std::size_t>(at - kCertifiedOverflows.begin());
}

std::size_t certified_index(NanPolicy nan) {
  const auto at = std::ranges::find(kCertifiedNans, nan);
  if (at == kCertifiedNans.end()) {
    throw std::invalid_argument("certificates do not hold NaN policy " +
                                std::string(token_of(nan)));
  }
  return static_cast<std::size_t>(at - kCertifiedNans.begin());
}

std::size_t certified_index(ResultSubnormals flush) {
  const auto at = std::ranges::find(kCertifiedFlushes, flush);
  if (at == kCertifiedFlushes.end()) {
    throw std::invalid_argument("certificates do not hold dst_ftz " + std::string(token_of(flush)));
  }
  return static_cast<std::size_t>(at - kCertifiedFlushes.begin());
}

LadderKind ladder_of(Rounding rounding, bool negative) {
  return kCertifiedRoundings[certified_index(rounding)].ladders[negative ? 1 : 0];
}

const ThresholdSet& ThresholdCertificate::set_of(Staging staging) const {
  for (const ThresholdSet& set : sets) {
    if (std::ranges::find(set.stagings, staging) != set.stagings.end()) return set;
  }
  throw std::out_of_range("the certificate has no ladders for staging " +
                          std::string(token_of(staging)));
}

std::string_view certificate_problem(const ElementFormat& source,
                                     const ElementFormat& destination) {
  if (!is_source(source)) return "certificates exist for the sources fp32, bf16 and fp16";
  if (destination.bits > 8) return "certificates exist for destinations of at most 8 bits";
  if (destination.max_code == 0) return "the destination has one magnitude only";
  return invalid_reason(destination);
}

ThresholdCertificate make_certificate(const ElementFormat& source,
                                      const ElementFormat& destination) {
  const RankLadder ranks = rank_ladder(destination);
  ThresholdCertificate certificate;
  certificate.source = source;
  certificate.destination = destination;
  certificate.codes = ranks.codes;
  for (const bool negative : {false, true}) {
    const std::size_t sign = negative ? 1 : 0;
    const auto last = static_cast<std::uint32_t>(ranks.codes[0].size() - 1);
    certificate.top[sign] = {last, static_cast<std::uint32_t>(ranks.codes[sign].size() - 1)};
  }
  certificate.first_kept = first_kept_ranks(destination);
  certificate.special = special_codes(destination);
  certificate.counts = count_patterns(source);

  certificate.sets.push_back(make_set(source, destination, ranks));
  for (const Staging staging : {Staging::kViaFp16, Staging::kViaBf16, Staging::kViaFp32}) {
    const ElementFormat& via = *staging_format(staging);
    if (holds_all(via, source)) {
      certificate.sets[index(Staging::kNone)].stagings.push_back(staging);
      continue;
    }
    ThresholdSet set = compose(source, via, make_set(via, destination, ranks));
    set.stagings = {staging};
    certificate.sets.push_back(std::move(set));
  }
  return certificate;
}

namespace {

constexpr int kMaxBits = 8;

std::vector<std::string> p3109_names() {
  std::vector<std::string> names;
  for (int k = 3; k <= kMaxBits; ++k) {
    for (const char sign : {'s', 'u'}) {
      for (int p = 1; p <= (sign == 's' ? k - 1 : k); ++p) {
        for (const char domain : {'e', 'f'}) {
          names.push_back(filled("binary{}p{}{}{}", k, p, sign, domain));
        }
      }
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> certificate_sources() { return {"fp32", "bf16", "fp16"}; }

std::vector<std::string> stored_destinations() {
  std::vector<std::string> names;
  for (const ElementFormat& format : all_formats()) {
    if (certificate_problem(formats::fp32, format).empty()) names.emplace_back(format.name);
  }
  return names;
}

std::vector<std::string> family_destinations(FormatCatalog& catalog) {
  std::vector<std::string> names = p3109_names();
  for (int bits = 2; bits <= kMaxBits; ++bits) {
    for (const std::string_view family : {"int", "uint", "sm", "exp"}) {
      names.push_back(filled("{}{}", family, bits));
    }
  }
  std::erase_if(names, [&](const std::string& name) {
    const ElementFormat* format = catalog.find(name);
    return find_format(name) != nullptr || format == nullptr ||
           !certificate_problem(formats::fp32, *format).empty();
  });
  return names;
}

}  // namespace mx::golden
