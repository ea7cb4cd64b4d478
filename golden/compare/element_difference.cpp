#include "golden/compare/element_difference.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "golden/compare/causes.hpp"
#include "golden/compare/element_thresholds.hpp"
#include "golden/compare/pattern_codes.hpp"
#include "golden/deviation/search.hpp"
#include "golden/points/sort_unique.hpp"
#include "reference/profiles/profile.hpp"

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

/// Random words worth trying under both subjects: R < 2^N of the narrower.
std::vector<std::uint32_t> random_words(const ConversionConfig& a, const ConversionConfig& b) {
  int bits = 32;
  bool draws = false;
  for (const ConversionConfig* each : {&a, &b}) {
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

Conversion checked(const ElementSubject& subject) {
  return Conversion::make(subject.conversion).value();
}

class ElementCollector {
 public:
  ElementCollector(const ElementSubject& a, const ElementSubject& b, Detail detail)
      : a_(a),
        b_(b),
        convert_a_(checked(a)),
        convert_b_(checked(b)),
        detail_(detail),
        deviations_(deviations(a.conversion, b.conversion)) {}

  /// Takes candidates in the order of their rank. False once nothing more can matter.
  bool add(const Candidate& c) {
    ElementDifference d{.input = c.input,
                        .random = c.random,
                        .code_a = convert_a_(c.input, c.random).code,
                        .code_b = convert_b_(c.input, c.random).code,
                        .kind = kind_of(a_.conversion.source, c.input),
                        .causes = {}};
    if (d.code_a == d.code_b) {
      throw std::logic_error("a difference that the reference does not confirm");
    }
    const bool masked = is_masked(a_, c.input) || is_masked(b_, c.input);
    std::vector<ElementDifference>& list = masked ? result_.masked : result_.differences;
    if (detail_ == Detail::kFirst && !list.empty()) return result_.differences.empty();
    d.causes = sufficient(deviations_, [&](std::span<const Deviation> some) {
      const ConversionConfig changed = with(some, a_.conversion, b_.conversion);
      return Conversion::make(changed)->operator()(c.input, c.random).code == d.code_b;
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
  Conversion convert_a_;
  Conversion convert_b_;
  Detail detail_;
  std::vector<Deviation> deviations_;
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
                                        PatternCodes& known, Detail detail) {
  const ElementFormat& source = a.conversion.source;
  const std::uint64_t patterns = std::uint64_t{1} << source.bits;
  const PatternCodes::Codes of_a = known.of(a.conversion);
  const PatternCodes::Codes of_b = known.of(b.conversion);
  const std::vector<std::uint64_t>& codes_a = *of_a;
  const std::vector<std::uint64_t>& codes_b = *of_b;
  ElementCollector collector(a, b, detail);
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
  const Conversion convert_a = checked(a);
  const Conversion convert_b = checked(b);
  ElementCollector collector(a, b, detail);
  bool wants_more = true;
  for (const std::uint64_t input : inputs) {
    for (const std::uint32_t word : words) {
      if (!wants_more) break;
      const bool differs = convert_a(input, word).code != convert_b(input, word).code;
      if (differs) wants_more = collector.add({input, word});
    }
  }
  return collector.take(Basis::kSearched, inputs.size() * words.size());
}

/// The reference at both ends of an interval must say what the thresholds says.
void confirm(const Conversion& convert, const ConversionThresholds& thresholds,
             std::uint32_t pattern) {
  if (convert(pattern).code != code_of(thresholds, pattern)) {
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

ElementComparison compare_thresholds(const ElementSubject& a, const ElementSubject& b,
                                     const ConversionThresholds& of_a,
                                     const ConversionThresholds& of_b, Detail detail) {
  const Conversion convert_a = checked(a);
  const Conversion convert_b = checked(b);
  std::vector<std::uint32_t> candidates;
  for (const Interval& each : differing_intervals(of_a, of_b)) {
    const std::uint32_t sign = each.sign == 0 ? 0 : std::uint32_t{1} << (of_a.source_bits - 1);
    const std::uint32_t first = each.first | sign;
    const std::uint32_t last = each.last | sign;
    for (const std::uint32_t end : {first, last}) {
      confirm(convert_a, of_a, end);
      confirm(convert_b, of_b, end);
    }
    const std::optional<std::uint32_t> open = first_open(a, b, first, last);
    if (!open || *open != first) candidates.push_back(first);
    if (open) candidates.push_back(*open);
  }
  const ElementFormat& source = a.conversion.source;
  std::ranges::sort(candidates, {}, [&](std::uint32_t c) { return simplicity(source, c); });
  ElementCollector collector(a, b, detail);
  for (const std::uint32_t input : candidates) {
    if (!collector.add({input, 0})) break;
  }
  return collector.take(Basis::kCertificates, std::uint64_t{1} << of_a.source_bits);
}

}  // namespace

struct ElementComparer::State {
  ThresholdCache thresholds;
  PatternCodes codes;
};

ElementComparer::ElementComparer() : state_(std::make_unique<State>()) {}
ElementComparer::~ElementComparer() = default;
ElementComparer::ElementComparer(ElementComparer&&) noexcept = default;
ElementComparer& ElementComparer::operator=(ElementComparer&&) noexcept = default;

ElementComparison ElementComparer::compare(const ElementSubject& a, const ElementSubject& b,
                                           Detail detail) {
  const ConversionConfig& ca = a.conversion;
  const ConversionConfig& cb = b.conversion;
  if (!(ca.source == cb.source)) throw std::logic_error("conversions from two sources");
  const ConversionConfig na = normalized(ca);
  const ConversionConfig nb = normalized(cb);
  if (same_settings(na, nb)) return {};
  const bool draws = is_stochastic(ca.policy.rounding) || is_stochastic(cb.policy.rounding);
  if (draws) return compare_searched(a, b, detail);
  if (ca.source.bits <= 16) return compare_every_pattern(a, b, state_->codes, detail);
  if (has_thresholds(na) && has_thresholds(nb)) {
    return compare_thresholds(a, b, state_->thresholds.thresholds_of(na),
                              state_->thresholds.thresholds_of(nb), detail);
  }
  return compare_searched(a, b, detail);
}

}  // namespace mx::golden
