#include "golden/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace mx::golden {
namespace {

constexpr std::size_t kStimulus = 400;    ///< inputs by which deviations are grouped
constexpr std::size_t kMostClasses = 16;  ///< of deviations that are reported
constexpr std::size_t kPairBases = 12;    ///< configurations whose pairs of changes are tried

bool can_judge(const ImplementationLog& log, const Subject& subject) {
  return log.has_random || !draws_random(log.surface, subject);
}

/// Does the hypothesis explain every record, and some answer of them? Stops at the first that it
/// does not.
bool explains_all(const ImplementationLog& log, Hypothesis& hypothesis) {
  if (!can_judge(log, hypothesis.subject)) return false;
  hypothesis.counts = {};
  for (const LogRecord& record : log.records) {
    const Explanation e = explain_record(log, hypothesis.subject, record);
    if (!e.agrees) return false;
    hypothesis.counts += e.counts;
  }
  return hypothesis.counts.compared > 0;
}

Ruling rule_on(const ImplementationLog& log, const Hypothesis& hypothesis) {
  Ruling ruling{
      .hypothesis = hypothesis, .judged = can_judge(log, hypothesis.subject), .first = {}};
  if (!ruling.judged) return ruling;
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const Explanation e = explain_record(log, hypothesis.subject, log.records[i]);
    if (e.open.any()) ++ruling.left_open;
    ruling.counts += e.counts;
    if (e.agrees) continue;
    if (ruling.contradicted++ == 0) ruling.first = Contradiction{i, e.expected, e.open};
  }
  ruling.hypothesis.counts = ruling.counts;
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
  void add(Hypothesis hypothesis) {
    if (!can_judge(log_, hypothesis.subject) || !known_.insert(hypothesis.subject)) return;
    if (explains_all(log_, hypothesis)) found_.push_back(std::move(hypothesis));
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

Subject without_masks(Subject subject) {
  subject.element.masks = 0;
  subject.block.masks = 0;
  return subject;
}

/// What explains the outputs that profiles leave open too; nothing where some profile leaves none.
std::vector<HypothesisClass> inside_of(const ImplementationLog& log,
                                       const std::vector<Ruling>& profiles) {
  const auto explains_whole = [&](const Ruling& r) {
    const Subject& subject = r.hypothesis.subject;
    const Masks masks = log.surface.is_block ? subject.block.masks : subject.element.masks;
    return r.explains() && masks == 0;
  };
  if (std::ranges::any_of(profiles, explains_whole)) return {};
  DeviationSearch search(log, {});
  for (const Ruling& each : profiles) {
    if (!each.explains()) continue;
    const Subject bare = without_masks(each.hypothesis.subject);
    search.add({each.hypothesis.base, {}, bare});
    for (const Deviation& deviation : deviations(log.surface, bare)) {
      search.add({each.hypothesis.base, {deviation.change}, deviation.subject});
    }
  }
  return grouped(log.surface, {}, search.found());
}

/// Records of a log, spread over it, by which hypotheses are ranked.
ImplementationLog sample_of(const ImplementationLog& log) {
  constexpr std::size_t kRecords = 100;
  ImplementationLog sample{log.surface, log.outputs, log.has_random, {}, log.names};
  const std::size_t step = (log.records.size() + kRecords - 1) / kRecords;
  for (std::size_t i = 0; i < log.records.size(); i += step) {
    sample.records.push_back(log.records[i]);
  }
  return sample;
}

/// The hypothesis, leaving nothing open, that the fewest records contradict: of a sample, and the
/// best profile or the best deviation then of them all.
std::optional<Ruling> closest_of(const ImplementationLog& log, const std::vector<Ruling>& profiles,
                                 const std::vector<Hypothesis>& single) {
  const ImplementationLog sample = sample_of(log);
  std::optional<Ruling> best;
  const auto rank = [&](Hypothesis hypothesis, const ImplementationLog& on) {
    hypothesis.subject = without_masks(hypothesis.subject);
    const Ruling ruling = rule_on(on, hypothesis);
    if (ruling.counts.compared == 0) return;
    if (!best || ruling.contradicted < best->contradicted) best = ruling;
  };
  for (const Ruling& each : profiles) rank(each.hypothesis, sample);
  const std::optional<Ruling> profile = best;
  for (const Hypothesis& each : single) rank(each, sample);
  if (!best) return best;
  const Hypothesis deviation = best->hypothesis;
  best.reset();
  if (profile) rank(profile->hypothesis, log);
  rank(deviation, log);
  return best;
}

}  // namespace

std::string Hypothesis::name() const {
  std::string text = base.name();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? " with " : " ", changes[i].field, changes[i].to);
  }
  return text;
}

bool Identification::compared_anything() const {
  return std::ranges::any_of(profiles, [](const Ruling& r) { return r.counts.compared > 0; });
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
  Identification result{};
  result.profiles = rule_on_profiles(log);
  Grouping grouping(surface);
  for (const Ruling& each : result.profiles) {
    if (each.explains()) grouping.add(each.hypothesis, result.classes, result.profiles.size());
  }
  if (!result.compared_anything()) return result;
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
  if (!result.classes.empty()) result.inside = inside_of(log, result.profiles);
  if (result.classes.empty() && result.deviations.empty()) {
    result.closest = closest_of(log, result.profiles, single);
  }
  return result;
}

}  // namespace mx::golden
