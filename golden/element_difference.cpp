#include "mx/golden/element_difference.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "causes.hpp"
#include "ladder.hpp"
#include "mx/format_table.hpp"
#include "mx/golden/certificate.hpp"
#include "mx/profile.hpp"
#include "sort_unique.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kSearchedInputs = 4096;

InputKind kind_of(const ElementFormat& source, std::uint64_t code) {
  switch (decode(source, code).cls) {
    case ValueClass::kZero:
      return InputKind::kZero;
    case ValueClass::kFinite:
      return InputKind::kFinite;
    case ValueClass::kInf:
      return InputKind::kInfinity;
    case ValueClass::kNan:
      break;
  }
  return InputKind::kNan;
}

bool is_masked(const ElementSubject& subject, std::uint64_t input) {
  return mx::is_masked(subject.masks, subject.conversion, input);
}

bool holds_all(const ElementFormat& staging, const ElementFormat& source) {
  return staging.man_bits >= source.man_bits && staging.emax() >= source.emax() &&
         staging.emin() - staging.man_bits <= source.emin() - source.man_bits;
}

const ElementFormat& staging_format(Staging staging) {
  return staging == Staging::kViaFp16   ? formats::fp16
         : staging == Staging::kViaBf16 ? formats::bf16
                                        : formats::fp32;
}

/// Random words worth trying under both subjects: R < 2^N of the narrower.
std::vector<std::uint32_t> random_words(const Conversion& a, const Conversion& b) {
  int bits = 32;
  bool draws = false;
  for (const Conversion* each : {&a, &b}) {
    if (!is_stochastic(each->policy.rounding)) continue;
    draws = true;
    bits = std::min(bits, each->policy.random_bits);
  }
  if (!draws) return {0};
  const std::uint64_t end = std::uint64_t{1} << bits;
  std::vector<std::uint32_t> words = {0, static_cast<std::uint32_t>(end / 2),
                                      static_cast<std::uint32_t>(end / 2 - 1),
                                      static_cast<std::uint32_t>(end - 1)};
  sort_unique(words);
  return words;
}

/// An input whose answers differ, before causes are looked for.
struct Candidate {
  std::uint64_t input = 0;
  std::uint32_t random = 0;
};

class Collector {
 public:
  Collector(const ElementSubject& a, const ElementSubject& b, Detail detail)
      : a_(a), b_(b), detail_(detail), changes_(changes(a.conversion, b.conversion)) {}

  /// Takes candidates in the order of their rank. False once nothing more can matter.
  bool add(const Candidate& c) {
    ElementDifference d{.input = c.input,
                        .random = c.random,
                        .code_a = a_.conversion(c.input, c.random).code,
                        .code_b = b_.conversion(c.input, c.random).code,
                        .kind = kind_of(a_.conversion.source, c.input),
                        .causes = {}};
    if (d.code_a == d.code_b) {
      throw std::logic_error("a difference that the reference does not confirm");
    }
    const bool masked = is_masked(a_, c.input) || is_masked(b_, c.input);
    std::vector<ElementDifference>& list = masked ? result_.masked : result_.differences;
    if (detail_ == Detail::kFirst && !list.empty()) return result_.differences.empty();
    d.causes = find_causes<Conversion>(a_.conversion, changes_, [&](const Conversion& changed) {
      return changed(c.input, c.random).code == d.code_b;
    });
    const bool is_new = std::ranges::none_of(list, [&](const ElementDifference& known) {
      return known.causes == d.causes && known.kind == d.kind;
    });
    if (is_new) list.push_back(std::move(d));
    return detail_ == Detail::kPerCause || result_.differences.empty();
  }

  ElementComparison take(Basis basis, std::uint64_t compared) {
    result_.basis = basis;
    result_.compared = compared;
    return std::move(result_);
  }

 private:
  const ElementSubject& a_;
  const ElementSubject& b_;
  Detail detail_;
  std::vector<Change<Conversion>> changes_;
  ElementComparison result_;
};

/// Candidates among consecutive magnitudes: an input whose predecessor has the same pair of answers
/// adds nothing unless what is left open changes in between.
class RunFilter {
 public:
  RunFilter(const ElementSubject& a, const ElementSubject& b) : a_(a), b_(b) {}
  bool starts_run(std::uint64_t input, std::size_t sign, std::uint64_t code_a,
                  std::uint64_t code_b) {
    const Run now{.known = true,
                  .masked = is_masked(a_, input) || is_masked(b_, input),
                  .kind = kind_of(a_.conversion.source, input),
                  .code_a = code_a,
                  .code_b = code_b};
    const bool is_new = !(last_[sign] == now);
    last_[sign] = now;
    return is_new;
  }
  void end_run(std::size_t sign) { last_[sign] = {}; }

 private:
  struct Run {
    bool known = false;
    bool masked = false;
    InputKind kind = InputKind::kZero;
    std::uint64_t code_a = 0;
    std::uint64_t code_b = 0;
    bool operator==(const Run&) const = default;
  };
  const ElementSubject& a_;
  const ElementSubject& b_;
  std::array<Run, 2> last_ = {};
};

/// Every pattern of a 16-bit source.
ElementComparison compare_every_pattern(const ElementSubject& a, const ElementSubject& b,
                                        Detail detail) {
  const ElementFormat& source = a.conversion.source;
  const std::uint64_t patterns = std::uint64_t{1} << source.bits;
  std::vector<std::uint64_t> inputs(patterns);
  for (std::uint64_t i = 0; i < patterns; ++i) inputs[i] = i;
  std::vector<std::uint64_t> codes_a(patterns);
  std::vector<std::uint64_t> codes_b(patterns);
  convert(a.conversion, inputs, {}, codes_a, {});
  convert(b.conversion, inputs, {}, codes_b, {});
  Collector collector(a, b, detail);
  RunFilter runs(a, b);
  bool wants_more = true;
  for (std::uint64_t magnitude = 0; magnitude < patterns / 2 && wants_more; ++magnitude) {
    for (const std::size_t sign : {std::size_t{0}, std::size_t{1}}) {
      const std::uint64_t input = magnitude | (sign << (source.bits - 1));
      if (codes_a[input] == codes_b[input]) {
        runs.end_run(sign);
      } else if (wants_more && runs.starts_run(input, sign, codes_a[input], codes_b[input])) {
        wants_more = collector.add({input, 0});
      }
    }
  }
  return collector.take(Basis::kExhaustive, patterns);
}

/// Directed inputs and random words, where nothing complete is at hand.
ElementComparison compare_searched(const ElementSubject& a, const ElementSubject& b,
                                   Detail detail) {
  const ElementFormat& source = a.conversion.source;
  const std::vector<std::uint64_t> inputs =
      directed_inputs(source, a.conversion.destination, kSearchedInputs);
  const std::vector<std::uint32_t> words = random_words(a.conversion, b.conversion);
  Collector collector(a, b, detail);
  bool wants_more = true;
  for (const std::uint64_t input : inputs) {
    for (const std::uint32_t word : words) {
      if (!wants_more) break;
      const bool differs = a.conversion(input, word).code != b.conversion(input, word).code;
      if (differs) wants_more = collector.add({input, word});
    }
  }
  return collector.take(Basis::kSearched, inputs.size() * words.size());
}

/// An interval of magnitudes of one sign on which two staircases differ.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::size_t sign = 0;
};

std::vector<Interval> differing_intervals(const Staircase& a, const Staircase& b) {
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

}  // namespace

std::uint64_t input_rank(const ElementFormat& source, std::uint64_t code) {
  const std::uint64_t sign = (code & source.sign_bit()) != 0 ? 1 : 0;
  return (code & source.magnitude_mask()) << 1 | sign;
}

std::vector<std::uint64_t> directed_inputs(const ElementFormat& source,
                                           const ElementFormat& destination, std::size_t limit) {
  const SourceGrid grid(source);
  std::vector<std::uint64_t> magnitudes;
  const auto near = [&](const Unpacked& value) {
    const std::uint64_t at = grid.floor(value);
    magnitudes.push_back(at);
    if (at > 0) magnitudes.push_back(at - 1);
    if (at < grid.max()) magnitudes.push_back(at + 1);
  };
  if (destination.max_code > 0) {
    const Ladder ladder(destination);
    for (const Gap& gap : ladder.gaps()) {
      near(start_of(gap));
      near(midpoint(gap));
    }
    near(end_of(ladder.last()));
  }
  sort_unique(magnitudes);
  const std::size_t wanted = std::max<std::size_t>(limit / 2, 1);
  std::vector<std::uint64_t> chosen;
  const std::size_t step = (magnitudes.size() + wanted - 1) / wanted;
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    // Neighbours of a threshold stay together.
    if (step <= 1 || (i / 3) % step == 0 || i < 9 || i + 9 >= magnitudes.size()) {
      chosen.push_back(magnitudes[i]);
    }
  }
  for (const std::uint64_t edge :
       {std::uint64_t{0}, std::uint64_t{1}, source.man_mask(), source.man_mask() + 1, grid.max()}) {
    chosen.push_back(edge);
  }
  std::vector<std::uint64_t> codes;
  for (const std::uint64_t magnitude : chosen) {
    codes.push_back(grid.code(false, magnitude));
    codes.push_back(grid.code(true, magnitude));
  }
  for (const std::uint64_t code : grid.infinities()) codes.push_back(code);
  for (const std::uint64_t code : grid.nans()) codes.push_back(code);
  sort_unique(codes);
  std::ranges::sort(codes, {}, [&](std::uint64_t c) { return input_rank(source, c); });
  return codes;
}

Conversion normalized(const Conversion& conversion) {
  const ElementFormat& to = conversion.destination;
  const ElementPolicy defaults;
  Conversion result = conversion;
  ElementPolicy& p = result.policy;
  p.tininess = defaults.tininess;  // flags only
  if (!is_stochastic(p.rounding)) p.random_bits = defaults.random_bits;
  if (to.zero != ZeroKind::kNone) p.zero_in = defaults.zero_in;
  if (to.zero != ZeroKind::kPosAndNeg) p.zero_sign = defaults.zero_sign;
  if (to.is_signed) p.unsigned_negative = defaults.unsigned_negative;
  if (to.kind != FormatKind::kTwosComplement || !to.is_signed) p.int_min = defaults.int_min;
  if (p.staging != Staging::kNone && holds_all(staging_format(p.staging), conversion.source)) {
    p.staging = Staging::kNone;
  }
  if (!to.has_nan()) {
    if (p.nan == NanPolicy::kCanonicalPositive) p.nan = NanPolicy::kToPositiveMax;
    if (p.nan == NanPolicy::kKeepSign) p.nan = NanPolicy::kToSignedMax;
  } else if (!to.nan_has_sign() && p.nan == NanPolicy::kKeepSign) {
    p.nan = NanPolicy::kCanonicalPositive;
  }
  const bool has_quirk = to.zero == ZeroKind::kNone && to.man_bits == 0;
  if (!has_quirk) result.e8m0_quirk = E8m0Quirk::kNone;
  if (result.e8m0_quirk == E8m0Quirk::kOnnxNearest) {
    result.e8m0_quirk = E8m0Quirk::kMldtypesNearest;  // two names of one effect
  }
  return result;
}

namespace {

/// Quirks decide below 2^(emin + 1); there every pattern is converted.
constexpr std::uint32_t kMostQuirkPatterns = 1 << 24;

std::uint32_t quirk_end(const Conversion& c) {
  return static_cast<std::uint32_t>(
      SourceGrid(c.source).floor(unpack_integer(false, 1, c.destination.emin() + 1)));
}

/// Puts the reference's own codes in place of those of a staircase, below a magnitude.
void replace_below(const Conversion& c, std::uint32_t end, Staircase& stairs) {
  for (const std::size_t sign : {std::size_t{0}, std::size_t{1}}) {
    const std::uint32_t bit = sign == 0 ? 0 : std::uint32_t{1} << (stairs.source_bits - 1);
    std::vector<Segment> segments;
    const auto append = [&](std::uint32_t first, std::uint64_t code) {
      const auto narrow = static_cast<std::uint8_t>(code);
      if (segments.empty() || segments.back().code != narrow) segments.push_back({first, narrow});
    };
    for (std::uint32_t u = 0; u < end; ++u) append(u, c(u | bit).code);
    append(end, code_of(stairs, end | bit));
    for (const Segment& each : stairs.finite[sign]) {
      if (each.first > end) append(each.first, each.code);
    }
    stairs.finite[sign] = std::move(segments);
  }
}

}  // namespace

struct ElementComparer::State {
  struct Pair {
    ThresholdCertificate certificate;
    std::deque<std::pair<Conversion, Staircase>> staircases;
  };
  std::deque<Pair> pairs;

  /// The staircase of a normalized conversion, made once.
  const Staircase& staircase_of(const Conversion& conversion) {
    Pair& pair = pair_of(conversion);
    for (const auto& [known, result] : pair.staircases) {
      if (known.policy == conversion.policy && known.e8m0_quirk == conversion.e8m0_quirk) {
        return result;
      }
    }
    Staircase made = staircase(pair.certificate, conversion.policy);
    if (conversion.e8m0_quirk != E8m0Quirk::kNone) {
      replace_below(conversion, quirk_end(conversion), made);
    }
    pair.staircases.emplace_back(conversion, std::move(made));
    return pair.staircases.back().second;
  }

  Pair& pair_of(const Conversion& conversion) {
    for (Pair& each : pairs) {
      if (each.certificate.source == conversion.source &&
          each.certificate.destination == conversion.destination) {
        return each;
      }
    }
    pairs.push_back({make_certificate(conversion.source, conversion.destination), {}});
    return pairs.back();
  }
};

namespace {

/// The reference at both ends of an interval must say what the staircase says.
void confirm(const ElementSubject& subject, const Staircase& stairs, std::uint32_t pattern) {
  if (subject.conversion(pattern).code != code_of(stairs, pattern)) {
    throw std::logic_error("a certificate and the reference disagree");
  }
}

/// The first pattern of an interval that neither side leaves open, among its first, those with few
/// significant bits, the canonical NaN and its last; nothing if all of them are left open.
std::optional<std::uint32_t> first_open(const ElementSubject& a, const ElementSubject& b,
                                        std::uint32_t first, std::uint32_t last) {
  const auto masked = [&](std::uint32_t pattern) {
    return is_masked(a, pattern) || is_masked(b, pattern);
  };
  if (!masked(first)) return first;
  const ElementFormat& source = a.conversion.source;
  std::vector<std::uint32_t> tried = {
      first + 1, first + 2, last, static_cast<std::uint32_t>(source.canonical_nan),
      static_cast<std::uint32_t>(source.canonical_nan | source.sign_bit())};
  for (int k = 1; k <= source.man_bits; ++k) {
    const std::uint32_t low = (std::uint32_t{1} << k) - 1;
    tried.push_back((first + low) & ~low);
  }
  // Eight a binade: some settings leave everything open that has more significant bits.
  const std::uint32_t eighth = std::uint32_t{1} << std::max(source.man_bits - 3, 0);
  for (std::uint64_t at = first / eighth + 1; at * eighth <= last; ++at) {
    tried.push_back(static_cast<std::uint32_t>(at * eighth));
  }
  sort_unique(tried);
  std::uint32_t closed = first;
  for (std::uint32_t open : tried) {
    if (open <= first || open > last) continue;
    if (masked(open)) {
      closed = open;
      continue;
    }
    while (open - closed > 1) {
      const std::uint32_t middle = closed + (open - closed) / 2;
      (masked(middle) ? closed : open) = middle;
    }
    return open;
  }
  return std::nullopt;
}

bool has_staircase(const Conversion& c) {
  return certificate_problem(c.source, c.destination).empty() &&
         (c.e8m0_quirk == E8m0Quirk::kNone || quirk_end(c) <= kMostQuirkPatterns);
}

ElementComparison compare_staircases(const ElementSubject& a, const ElementSubject& b,
                                     const Staircase& of_a, const Staircase& of_b, Detail detail) {
  std::vector<std::uint32_t> candidates;
  for (const Interval& each : differing_intervals(of_a, of_b)) {
    const std::uint32_t sign = each.sign == 0 ? 0 : std::uint32_t{1} << (of_a.source_bits - 1);
    const std::uint32_t first = each.first | sign;
    const std::uint32_t last = each.last | sign;
    for (const std::uint32_t end : {first, last}) {
      confirm(a, of_a, end);
      confirm(b, of_b, end);
    }
    const std::optional<std::uint32_t> open = first_open(a, b, first, last);
    if (!open || *open != first) candidates.push_back(first);
    if (open) candidates.push_back(*open);
  }
  const ElementFormat& source = a.conversion.source;
  std::ranges::sort(candidates, {}, [&](std::uint32_t c) { return input_rank(source, c); });
  Collector collector(a, b, detail);
  for (const std::uint32_t input : candidates) {
    if (!collector.add({input, 0})) break;
  }
  return collector.take(Basis::kCertificates, std::uint64_t{1} << of_a.source_bits);
}

}  // namespace

ElementComparer::ElementComparer() : state_(std::make_unique<State>()) {}
ElementComparer::~ElementComparer() = default;
ElementComparer::ElementComparer(ElementComparer&&) noexcept = default;
ElementComparer& ElementComparer::operator=(ElementComparer&&) noexcept = default;

ElementComparison ElementComparer::compare(const ElementSubject& a, const ElementSubject& b,
                                           Detail detail) {
  const Conversion& ca = a.conversion;
  const Conversion& cb = b.conversion;
  if (!(ca.source == cb.source)) throw std::logic_error("conversions from two sources");
  const Conversion na = normalized(ca);
  const Conversion nb = normalized(cb);
  if (same_settings(na, nb)) return {};
  const bool draws = is_stochastic(ca.policy.rounding) || is_stochastic(cb.policy.rounding);
  if (draws) return compare_searched(a, b, detail);
  if (ca.source.bits <= 16) return compare_every_pattern(a, b, detail);
  if (has_staircase(na) && has_staircase(nb)) {
    return compare_staircases(a, b, state_->staircase_of(na), state_->staircase_of(nb), detail);
  }
  return compare_searched(a, b, detail);
}

}  // namespace mx::golden
