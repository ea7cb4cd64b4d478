#include "golden/certificates/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "reference/number/unpacked.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kMaxProblems = 5;

std::uint32_t infinity_of(const ThresholdCertificate& certificate) {
  return static_cast<std::uint32_t>(certificate.source.inf_code());
}

const std::vector<std::uint32_t>& thresholds(const ThresholdSet& set, LadderKind kind) {
  return set.ladders[static_cast<std::size_t>(kind)].thresholds;
}

class Proof {
 public:
  Proof(const ThresholdCertificate& certificate, CodeJudge& judge)
      : certificate_(certificate), judge_(judge) {}

  CertificateVerdict run() {
    check_counts();
    check_idle_cells();
    for (const ThresholdSet& set : certificate_.sets) check_ladders(set);
    for (const ElementPolicy& policy : proof_policies(certificate_)) sandwich(policy);
    return std::move(verdict_);
  }

 private:
  template <typename... Args>
  void wrong(fmt::format_string<Args...> format, Args&&... args) {
    ++verdict_.wrong;
    if (verdict_.problems.size() == kMaxProblems) return;
    verdict_.problems.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  /// spec V5.4: the classes add up to the whole source.
  void check_counts() {
    const std::uint64_t infinity = certificate_.source.inf_code();
    const std::uint64_t nans = certificate_.source.magnitude_mask() - infinity;
    const PatternCounts& counts = certificate_.counts;
    if (counts.total() != certificate_.source.code_mask() + 1) {
      wrong("counts: the classes add up to {} of {} patterns", counts.total(),
            certificate_.source.code_mask() + 1);
    }
    if (counts.zero != 2 || counts.infinite != 2 || counts.finite != 2 * (infinity - 1) ||
        counts.quiet_nan + counts.signaling_nan != 2 * nans ||
        counts.quiet_nan != 2 * (std::uint64_t{1} << (certificate_.source.man_bits - 1))) {
      wrong("counts: a class has not as many patterns as the source");
    }
  }

  /// What no policy of the destination can reach says the same as what it stands beside.
  void check_idle_cells() {
    const ElementFormat& f = certificate_.destination;
    const SpecialCodes& special = certificate_.special;
    const bool is_twos = f.kind == FormatKind::kTwosComplement && f.is_signed;
    for (std::size_t o = 0; o < special.overflow.size() && !is_twos; ++o) {
      if (special.overflow[o][0] != special.overflow[o][1] ||
          special.infinity[o][0] != special.infinity[o][1]) {
        wrong("overflow: int_min matters to a format without a most negative code");
      }
    }
    for (std::size_t sign = 0; sign < 2; ++sign) {
      if ((sign == 0 || !is_twos) && certificate_.top[sign][0] != certificate_.top[sign][1]) {
        wrong("top: int_min matters to a format without a most negative code");
      }
    }
    if (f.zero != ZeroKind::kNone) {
      for (const auto& row : special.zero) {
        if (row[0] != row[1]) wrong("zero: zero_in matters to a format with zero");
      }
    }
    if (f.is_signed && (special.negative_to_nan != 0 || special.negative_to_min != 0)) {
      wrong("negative: unsigned_negative matters to a signed format");
    }
  }

  /// Where there is a zero, the grid is the ladder; what only flushing asks is idle where
  /// nothing is flushed.
  void check_unused_steps(const ThresholdSet& set) {
    const ElementFormat& f = certificate_.destination;
    if (f.zero != ZeroKind::kNone) {
      for (const CertificateLadder& ladder : set.ladders) {
        if (ladder.first_step != ladder.thresholds[1]) wrong("first_step is not T_1");
      }
    }
    const bool can_flush = f.kind == FormatKind::kFloat && f.zero != ZeroKind::kNone;
    if (!can_flush && set.first_normal != set.first_nonzero) {
      wrong("first_normal of a format that never flushes");
    }
    for (const CertificateLadder& ladder : set.ladders) {
      if (ladder.thresholds[0] != 0) wrong("T_0 is not 0");
    }
  }

  /// Order within each ladder, and the identities of spec V5.3 between them.
  void check_ladders(const ThresholdSet& set) {
    const std::string_view name = token_of(set.stagings.front());
    check_unused_steps(set);
    for (std::size_t i = 0; i < kLadders; ++i) {
      if (!std::ranges::is_sorted(set.ladders[i].thresholds)) {
        wrong("ladder {} staging {}: thresholds do not ascend", kLadderNames[i], name);
      }
    }
    const auto& ne = thresholds(set, LadderKind::kNe);
    const auto& na = thresholds(set, LadderKind::kNa);
    const auto& nz = thresholds(set, LadderKind::kNz);
    const auto& tz = thresholds(set, LadderKind::kTz);
    const auto& az = thresholds(set, LadderKind::kAz);
    const auto& od = thresholds(set, LadderKind::kOd);
    const bool by_code = certificate_.destination.parity == Parity::kCodeLsb;
    for (std::size_t k = 1; k < ne.size(); ++k) {
      if (by_code && ne[k] != (k % 2 == 0 ? na[k] : nz[k])) {
        wrong("staging {}: NE_{} is neither NA nor NZ as its parity says", name, k);
      }
      if (by_code && od[k] != (k % 2 == 0 ? tz[k] : az[k])) {
        wrong("staging {}: OD_{} is neither TZ nor AZ as its parity says", name, k);
      }
      if (az[k] > na[k] || na[k] > nz[k] || nz[k] > tz[k]) {
        wrong("staging {}: AZ, NA, NZ, TZ of rank {} do not ascend", name, k);
      }
      check_exact_steps(set, k);
    }
  }

  /// AZ_k = TZ_(k-1) + 1 where the source holds y_(k-1) itself.
  void check_exact_steps(const ThresholdSet& set, std::size_t k) {
    if (set.stagings.front() != Staging::kNone || k > certificate_.codes[1].size()) return;
    const std::size_t sign = k - 1 < certificate_.codes[0].size() ? 0 : 1;
    const std::uint32_t at = thresholds(set, LadderKind::kTz)[k - 1];
    const Unpacked value = decode(certificate_.destination, certificate_.codes[sign][k - 1]);
    if (at >= infinity_of(certificate_) ||
        compare_magnitude(value, decode(certificate_.source, at)) != 0 ||
        (value.cls == ValueClass::kZero && k > 1)) {
      return;
    }
    if (thresholds(set, LadderKind::kAz)[k] != at + 1) {
      wrong("AZ_{} is not TZ_{} + 1, though the source holds that value", k, k - 1);
    }
  }

  void sandwich(const ElementPolicy& policy) {
    const ConversionThresholds thresholds = conversion_thresholds(certificate_, policy);
    ++verdict_.thresholds;
    for (const bool negative : {false, true}) {
      const std::vector<ThresholdStep>& segments = thresholds.finite[negative ? 1 : 0];
      if (segments.empty() || segments.front().first != 0) {
        wrong("{}: the thresholds does not start at 0", token_of(policy.rounding));
        continue;
      }
      for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::uint32_t end =
            i + 1 < segments.size() ? segments[i + 1].first : thresholds.infinity_pattern;
        if (end <= segments[i].first) {
          wrong("{}: segments overlap", token_of(policy.rounding));
          continue;
        }
        ++verdict_.segments;
        put(policy, negative, segments[i].first, segments[i].code);
        if (end - 1 != segments[i].first) put(policy, negative, end - 1, segments[i].code);
      }
      put_specials(policy, thresholds, negative);
    }
  }

  /// Zero is a segment's lower end; infinity and each class of NaN follow.
  void put_specials(const ElementPolicy& policy, const ConversionThresholds& thresholds,
                    bool negative) {
    const std::size_t sign = negative ? 1 : 0;
    put(policy, negative, thresholds.infinity_pattern, thresholds.infinity[sign]);
    const auto last = static_cast<std::uint32_t>(certificate_.source.magnitude_mask());
    for (const std::uint32_t quiet : {thresholds.quiet_pattern, last}) {
      put(policy, negative, quiet, thresholds.nan[0][sign]);
    }
    for (const std::uint32_t signaling :
         {thresholds.infinity_pattern + 1, thresholds.quiet_pattern - 1}) {
      put(policy, negative, signaling, thresholds.nan[1][sign]);
    }
  }

  void put(const ElementPolicy& policy, bool negative, std::uint32_t magnitude, std::uint8_t code) {
    const std::uint64_t sign = negative ? certificate_.source.sign_bit() : 0;
    const auto pattern = static_cast<std::uint32_t>(magnitude | sign);
    ++verdict_.judged;
    const std::uint64_t judged = judge_.code(policy, pattern);
    if (judged == code) return;
    wrong(
        "{} pattern {:0{}x}: certificate {:02x}, oracle {:02x} (rounding {}, overflow {}, nan {}, "
        "zero_sign {}, src_ftz {}, dst_ftz {}, staging {})",
        certificate_.source.name, pattern, certificate_.source.bits / 4, code, judged,
        token_of(policy.rounding), token_of(policy.overflow), token_of(policy.nan),
        token_of(policy.zero_sign), token_of(policy.src_ftz), token_of(policy.dst_ftz),
        token_of(policy.staging));
  }

  const ThresholdCertificate& certificate_;
  CodeJudge& judge_;
  CertificateVerdict verdict_;
};

template <typename E>
std::vector<E> values_of(bool all) {
  std::vector<E> values;
  for (const Token<E>& token : tokens<E>()) {
    if (all || values.empty()) values.push_back(token.value);
  }
  return values;
}

void add_zero_policies(const ElementPolicy& base, const ElementFormat& destination,
                       std::vector<ElementPolicy>& out) {
  ElementPolicy policy = base;
  for (const ZeroSign zero_sign : values_of<ZeroSign>(true)) {
    policy.zero_sign = zero_sign;
    for (const ZeroIn zero_in : values_of<ZeroIn>(destination.zero == ZeroKind::kNone)) {
      policy.zero_in = zero_in;
      for (const SourceSubnormals src_ftz : values_of<SourceSubnormals>(true)) {
        policy.src_ftz = src_ftz;
        for (const ResultSubnormals dst_ftz : kCertifiedFlushes) {
          policy.dst_ftz = dst_ftz;
          out.push_back(policy);
        }
      }
    }
  }
}

void add_overflow_policies(const ElementPolicy& base, const ElementFormat& destination,
                           std::vector<ElementPolicy>& out) {
  const bool is_twos = destination.kind == FormatKind::kTwosComplement && destination.is_signed;
  ElementPolicy policy = base;
  for (const Overflow overflow : kCertifiedOverflows) {
    policy.overflow = overflow;
    for (const IntMin int_min : values_of<IntMin>(is_twos)) {
      policy.int_min = int_min;
      // All four where a negative value has no code of its own; the default, saturate_rule, is the
      // only one whose thresholds depends on overflow and dst_ftz.
      if (destination.is_signed) {
        out.push_back(policy);
        continue;
      }
      for (const UnsignedNegative negative : values_of<UnsignedNegative>(true)) {
        policy.unsigned_negative = negative;
        out.push_back(policy);
        policy.dst_ftz = ResultSubnormals::kFlushBeforeRounding;
        out.push_back(policy);
        policy.dst_ftz = base.dst_ftz;
      }
    }
  }
}

}  // namespace

std::vector<ElementPolicy> proof_policies(const ThresholdCertificate& certificate) {
  std::vector<ElementPolicy> policies;
  for (const ThresholdSet& set : certificate.sets) {
    for (std::size_t r = 0; r < kDeterministic; ++r) {
      ElementPolicy base;
      base.staging = set.stagings.front();
      base.rounding = deterministic_rounding(r);
      add_zero_policies(base, certificate.destination, policies);
      add_overflow_policies(base, certificate.destination, policies);
    }
    for (const NanPolicy nan : kCertifiedNans) {
      ElementPolicy policy;
      policy.staging = set.stagings.front();
      policy.nan = nan;
      policies.push_back(policy);
    }
  }
  return policies;
}

std::string certificate_misfit(const ThresholdCertificate& certificate) {
  const std::uint32_t infinity = infinity_of(certificate);
  const std::size_t ranks = certificate.codes[1].size();
  if (certificate.codes[0].empty() || ranks < certificate.codes[0].size()) {
    return "codes: too few";
  }
  for (std::size_t sign = 0; sign < 2; ++sign) {
    for (const std::uint32_t top : certificate.top[sign]) {
      if (top >= certificate.codes[sign].size()) return "top: a rank without a code";
    }
  }
  for (const std::uint32_t kept : certificate.first_kept) {
    if (kept > ranks) return "first_kept: beyond the ranks";
  }
  for (const Staging staging : kCertifiedStagings) {
    const auto holds = [&](const ThresholdSet& set) {
      return std::ranges::count(set.stagings, staging) == 1;
    };
    if (std::ranges::count_if(certificate.sets, holds) != 1) {
      return fmt::format("sets: not one for staging {}", token_of(staging));
    }
  }
  for (const ThresholdSet& set : certificate.sets) {
    if (std::max({set.first_nonzero, set.first_normal, set.first_infinite}) > infinity) {
      return "sets: a pattern beyond infinity";
    }
    for (std::size_t i = 0; i < kLadders; ++i) {
      const CertificateLadder& ladder = set.ladders[i];
      if (ladder.thresholds.size() != ranks + 1) {
        return fmt::format("ladder {} has {} thresholds for {} ranks and the overflow",
                           kLadderNames[i], ladder.thresholds.size(), ranks);
      }
      if (std::ranges::max(ladder.thresholds) > infinity || ladder.first_step > infinity) {
        return fmt::format("ladder {}: a pattern beyond infinity", kLadderNames[i]);
      }
    }
  }
  return {};
}

CertificateVerdict prove(const ThresholdCertificate& certificate, CodeJudge& judge) {
  return Proof(certificate, judge).run();
}

}  // namespace mx::golden
