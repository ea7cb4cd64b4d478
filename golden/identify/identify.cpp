#include "golden/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "golden/compare/block_answers.hpp"

namespace mx::golden {
namespace {

constexpr std::uint64_t kValueNan = 0x7FC00000;
constexpr std::size_t kStimulus = 400;    ///< inputs by which deviations are grouped
constexpr std::size_t kMostClasses = 16;  ///< of deviations that are reported
constexpr std::size_t kPairBases = 12;    ///< configurations whose pairs of changes are tried

bool is_nan32(std::uint64_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

bool same_value(std::uint64_t a, std::uint64_t b) { return a == b || (is_nan32(a) && is_nan32(b)); }

std::uint64_t value32(const ElementFormat& format, std::uint64_t code) {
  const Unpacked x = decode(format, code);
  if (x.cls == ValueClass::kNan) return kValueNan;
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  return encode(x, formats::fp32, policy, 0).code;
}

Explanation explain_element(const ImplementationLog& log, const Subject& subject,
                            const LogRecord& record) {
  const ElementSubject& s = subject.element;
  Explanation e{.expected = answer_of(log.surface, subject, record.input)};
  e.open = is_masked(s.masks, s.conversion, record.input.lanes[0]);
  std::uint64_t& code = e.expected.codes[0];
  const std::uint64_t seen = record.answer.codes[0];
  if (log.outputs == LogOutputs::kValues) {
    code = value32(s.conversion.destination, code);
    e.agrees = same_value(code, seen);
  } else {
    e.agrees = code == seen;
  }
  e.agrees = e.agrees || e.open || !is_known(record, 0);
  return e;
}

/// The configuration by which the codes of a log are read: the block format as it is listed.
QuantizerConfig reader_of(const Surface& surface) {
  return {surface.source, surface.block, {}, {.rule = surface.block.rule}};
}

Explanation explain_block(const ImplementationLog& log, const Subject& subject,
                          const LogRecord& record) {
  const QuantizerConfig& config = subject.block.config;
  const BlockInput& input = record.input;
  const std::size_t count = input.lanes.size();
  const QuantizerConfig c = at_level(config, input);
  std::vector<std::uint32_t> random = input.random;
  if (random.size() != count) random.assign(count, random.empty() ? 0 : random.front());
  Explanation e{.expected = {.scale = 0, .codes = std::vector<std::uint64_t>(count)}};
  const BlockResult result =
      Quantizer::make(c).value().quantize_block(input.lanes, random, e.expected.codes);
  e.expected.scale = result.scale_code;
  const MaskedBlock masked = masked_block(subject.block.masks, config, input.lanes, result);
  std::vector<std::uint64_t> seen = record.answer.codes;
  const bool by_code =
      log.outputs == LogOutputs::kCodes && same_codes(config, reader_of(log.surface));
  if (!by_code) {
    e.expected.codes = decoded_values(config, input, e.expected.scale, e.expected.codes);
    if (log.outputs == LogOutputs::kCodes) {
      seen =
          decoded_values(reader_of(log.surface), input, record.answer.scale, record.answer.codes);
    }
    e.open = masked.scale;  // values without a scale mean nothing
    if (e.open || !record.has_scale) return e;
    e.expected.scale = record.answer.scale;
  } else if (masked.scale) {
    e.open = true;
  } else {
    e.agrees = !record.has_scale || e.expected.scale == record.answer.scale;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (masked.codes || is_lane_masked(masked, config, input.lanes[i])) {
      e.open = true;
    } else if (is_known(record, i)) {
      const std::uint64_t expected = e.expected.codes[i];
      e.agrees = e.agrees && (by_code ? expected == seen[i] : same_value(expected, seen[i]));
    }
  }
  return e;
}

bool can_judge(const ImplementationLog& log, const Subject& subject) {
  return log.has_random || !draws_random(log.surface, subject);
}

/// Stops at the first record that is not explained.
bool explains_all(const ImplementationLog& log, const Subject& subject) {
  return can_judge(log, subject) && std::ranges::all_of(log.records, [&](const LogRecord& record) {
           return explain_record(log, subject, record).agrees;
         });
}

Ruling rule_on(const ImplementationLog& log, const Hypothesis& hypothesis) {
  Ruling ruling{
      .hypothesis = hypothesis, .judged = can_judge(log, hypothesis.subject), .first = {}};
  if (!ruling.judged) return ruling;
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const Explanation e = explain_record(log, hypothesis.subject, log.records[i]);
    if (e.open) ++ruling.left_open;
    if (e.agrees) continue;
    if (ruling.contradicted++ == 0) ruling.first = Contradiction{i, e.expected};
  }
  return ruling;
}

/// A set of hypotheses, each configuration once.
class Distinct {
 public:
  explicit Distinct(const Surface& surface) : surface_(surface) {}
  bool insert(const Subject& subject) {
    const Subject wanted = normalized(surface_, subject);
    for (const Subject& known : known_) {
      if (same_normalized(surface_, known, wanted)) return false;
    }
    known_.push_back(wanted);
    return true;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  const Surface& surface_;
  std::vector<Subject> known_;
};

/// Groups what nothing tells apart, by exact comparison.
class Grouping {
 public:
  explicit Grouping(const Surface& surface) : comparer_(surface) {}

  void add(const Hypothesis& hypothesis, std::vector<HypothesisClass>& classes, std::size_t limit) {
    std::optional<Difference> from_first;
    for (HypothesisClass& each : classes) {
      const SurfaceComparison found =
          comparer_.compare(each.members.front().subject, hypothesis.subject, Detail::kFirst);
      if (found.agree()) {
        each.members.push_back(hypothesis);
        return;
      }
      if (!from_first) from_first = found.differences.front();
    }
    if (classes.size() < limit) classes.push_back({{hypothesis}, from_first});
  }

 private:
  SurfaceComparer comparer_;
};

/// Answers to a stimulus by which deviations are told apart quickly; nothing where any part of one
/// is left open.
using Row = std::vector<std::optional<BlockAnswer>>;

Row row_of(const Surface& surface, const Subject& subject,
           const std::vector<BlockInput>& stimulus) {
  Row row;
  for (const BlockInput& input : stimulus) {
    const bool open = open_parts(surface, subject, input).any();
    row.push_back(open ? std::nullopt : std::optional(answer_of(surface, subject, input)));
  }
  return row;
}

/// The first place where two rows say different things.
std::optional<std::size_t> parting(const Row& a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i] && !(*a[i] == *b[i])) return i;
  }
  return std::nullopt;
}

/// Deviations that explain the log, those with equal answers to a stimulus as one class.
class DeviationSearch {
 public:
  DeviationSearch(const ImplementationLog& log, const std::vector<Ruling>& profiles)
      : log_(log), known_(log.surface) {
    for (const Ruling& each : profiles) known_.insert(each.hypothesis.subject);
  }

  /// Judges one hypothesis, if its configuration is new.
  void add(const Hypothesis& hypothesis) {
    if (!can_judge(log_, hypothesis.subject) || !known_.insert(hypothesis.subject)) return;
    if (explains_all(log_, hypothesis.subject)) found_.push_back(hypothesis);
  }

  [[nodiscard]] const std::vector<Hypothesis>& found() const { return found_; }
  [[nodiscard]] std::uint64_t tried() const { return known_.size(); }

 private:
  const ImplementationLog& log_;
  Distinct known_;
  std::vector<Hypothesis> found_;
};

/// Deviations by their answers; those that part from no profile that explains the log are left out.
std::vector<HypothesisClass> grouped(const Surface& surface, const std::vector<Ruling>& profiles,
                                     const std::vector<Hypothesis>& found) {
  const std::vector<BlockInput> stimulus =
      discriminating_inputs(surface, {}, kStimulus, Telling::kCandidates);
  std::vector<Row> of_profiles;
  for (const Ruling& each : profiles) {
    if (!each.explains()) continue;
    of_profiles.push_back(row_of(surface, each.hypothesis.subject, stimulus));
  }
  std::vector<Row> rows;
  std::vector<HypothesisClass> classes;
  for (const Hypothesis& each : found) {
    const Row row = row_of(surface, each.subject, stimulus);
    const auto is_same = [&](const Row& other) { return !parting(other, row); };
    if (std::ranges::any_of(of_profiles, is_same)) continue;
    const auto same = std::ranges::find_if(rows, is_same);
    if (same != rows.end()) {
      classes[static_cast<std::size_t>(same - rows.begin())].members.push_back(each);
      continue;
    }
    if (classes.size() == kMostClasses) continue;
    HypothesisClass made{{each}, {}};
    const Row* const first = !of_profiles.empty() ? &of_profiles.front()
                             : !rows.empty()      ? &rows.front()
                                                  : nullptr;
    if (first != nullptr) {
      const std::size_t at = *parting(*first, row);
      made.from_first = Difference{.input = stimulus[at],
                                   .a = *(*first)[at],
                                   .b = *row[at],
                                   .kind = InputKind::kFinite,
                                   .causes = {}};
    }
    classes.push_back(std::move(made));
    rows.push_back(row);
  }
  return classes;
}

}  // namespace

std::string Hypothesis::name() const {
  std::string text = base.name();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? " with " : " ", changes[i].field, changes[i].to);
  }
  return text;
}

Explanation explain_record(const ImplementationLog& log, const Subject& subject,
                           const LogRecord& record) {
  return log.surface.is_block ? explain_block(log, subject, record)
                              : explain_element(log, subject, record);
}

LogRecord record_of(const Surface& surface, const Subject& subject, const BlockInput& input) {
  const OpenParts open = open_parts(surface, subject, input);
  LogRecord record{
      .input = input, .answer = answer_of(surface, subject, input), .has_scale = !open.scale};
  if (std::ranges::find(open.elements, true) != open.elements.end()) record.unknown = open.elements;
  return record;
}

std::vector<Ruling> rule_on_profiles(const ImplementationLog& log) {
  if (log.records.empty()) throw std::logic_error("a log without records");
  std::vector<Ruling> rulings;
  for (const Candidate& candidate : candidates_of(log.surface)) {
    rulings.push_back(rule_on(log, {candidate, {}, *subject_of(candidate, log.surface)}));
  }
  return rulings;
}

Identification identify(const ImplementationLog& log) {
  const Surface& surface = log.surface;
  Identification result{.profiles = rule_on_profiles(log), .classes = {}, .deviations = {}};
  Grouping grouping(surface);
  for (const Ruling& each : result.profiles) {
    if (each.explains()) grouping.add(each.hypothesis, result.classes, result.profiles.size());
  }
  DeviationSearch search(log, result.profiles);
  std::vector<Hypothesis> single;
  for (const Ruling& each : result.profiles) {
    for (const Deviation& deviation : deviations(surface, each.hypothesis.subject)) {
      single.push_back({each.hypothesis.base, {deviation.change}, deviation.subject});
    }
  }
  for (const Hypothesis& each : single) search.add(each);
  result.changed_policies = search.found().empty() ? 0 : 1;
  if (result.classes.empty() && search.found().empty()) {
    Distinct bases(surface);
    for (const Ruling& each : result.profiles) {
      if (bases.size() == kPairBases) break;
      if (!bases.insert(each.hypothesis.subject)) continue;
      for (const Deviation& one : deviations(surface, each.hypothesis.subject)) {
        for (const Deviation& two : deviations(surface, one.subject)) {
          if (two.change.field <= one.change.field) continue;
          search.add({each.hypothesis.base, {one.change, two.change}, two.subject});
        }
      }
      if (!search.found().empty()) break;
    }
    result.changed_policies = search.found().empty() ? 0 : 2;
  }
  result.tried = search.tried();
  if (!search.found().empty()) {
    result.deviations = grouped(surface, result.profiles, search.found());
  }
  if (result.deviations.empty()) result.changed_policies = 0;
  return result;
}

}  // namespace mx::golden
