#include "sim/causes/answer_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "golden/answers/verdict.hpp"
#include "golden/deviation/candidates.hpp"
#include "golden/deviation/evidence.hpp"
#include "golden/deviation/names.hpp"
#include "golden/structure/structure.hpp"
#include "sim/causes/constant_fields.hpp"

namespace mx::sim {
namespace {

using golden::Deviation;
using golden::Field;

/// Several at once.
using Deviations = std::vector<Deviation>;

std::string hex(std::uint64_t word, int digits = 2) { return fmt::format("{:0{}X}", word, digits); }

void add_scale_deviations(const golden::AnswerAt& at, std::vector<Deviations>& list) {
  if (at.expected.lanes(Field::kScale) != 1) return;
  const std::uint64_t right = at.expected.word(Field::kScale, at.i);
  const std::uint64_t given = at.actual.word(Field::kScale, at.i);
  const bool differs = golden::is_compared(at.open, Field::kScale, 0);
  if (right == given || given == golden::kNoCode || !differs) return;
  const std::string offset = fmt::format("{}", static_cast<std::int64_t>(given - right));
  list.push_back({{"scale_offset", "", offset}});
  list.push_back({{"scale_codes", hex(right), hex(given)}});
  list.push_back({{"shown_scale_offset", "", offset}});
}

void add_flag_deviations(const golden::AnswerAt& at, std::vector<Deviations>& list) {
  if (!at.expected.has(Field::kFlags)) return;
  if (!golden::is_compared(at.open, Field::kFlags, 0)) return;
  const std::uint64_t right = at.expected.word(Field::kFlags, at.i);
  const std::uint64_t given = at.actual.word(Field::kFlags, at.i);
  Deviations found;
  if ((right & ~given) != 0) found.push_back({"flags_missing", "", hex(right & ~given)});
  if ((given & ~right) != 0) found.push_back({"flags_set", "", hex(given & ~right)});
  if (!found.empty()) list.push_back(std::move(found));
}

void add_code_deviations(const golden::AnswerAt& at, std::vector<Deviations>& list) {
  Deviations found;
  const auto right = at.expected.of(Field::kCode, at.i);
  const auto given = at.actual.of(Field::kCode, at.i);
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    if (right[lane] == given[lane] || given[lane] == golden::kNoCode) continue;
    if (!golden::is_compared(at.open, Field::kCode, lane)) continue;
    Deviation deviation{"codes", hex(right[lane]), hex(given[lane])};
    if (std::ranges::find(found, deviation) == found.end()) found.push_back(std::move(deviation));
  }
  // More would be a table of wrong answers, and no cause.
  constexpr std::size_t kMost = 2;
  if (!found.empty() && found.size() <= kMost) list.push_back(std::move(found));
}

/// Finds what waives a cause.
class WaiverFinder {
 public:
  WaiverFinder(const CauseQuestion& question, const golden::Evidence& evidence)
      : question_(question), evidence_(evidence) {}

  /// Nothing where no deviations are known that make the answers.
  [[nodiscard]] Deviations deviations_of(const Cause& cause) const {
    if (cause.which.empty()) return {};
    std::vector<Deviations> list;
    if (!cause.as.empty()) list.push_back(cause.as);
    const golden::AnswerAt& first = question_.wrong[cause.which.front()];
    add_scale_deviations(first, list);
    add_flag_deviations(first, list);
    add_code_deviations(first, list);
    for (const Deviations& each : list) {
      if (makes(each, cause.which)) return golden::in_short(each, question_.header.configs);
    }
    return {};
  }

 private:
  [[nodiscard]] bool makes(const Deviations& deviations,
                           const std::vector<std::size_t>& which) const {
    const auto is_possible = [&](const Deviation& each) {
      return golden::problem_of(each, question_.header.op).empty();
    };
    if (!std::ranges::all_of(deviations, is_possible)) return false;
    const auto explained = golden::explained_by(evidence_, evidence_.device(deviations));
    return explained &&
           std::ranges::all_of(which, [&](std::size_t at) { return bool{(*explained)[at]}; });
  }

  const CauseQuestion& question_;
  const golden::Evidence& evidence_;
};

/// The records as evidence; what also differs beyond them no deviation makes.
golden::Evidence evidence_of(const CauseQuestion& question) {
  golden::Evidence evidence = golden::evidence_of(question.header, question.wrong, question.right);
  if (question.beyond_records.empty()) return evidence;
  evidence.device = [make = std::move(evidence.device),
                     &beyond = question.beyond_records](Deviations deviations) {
    return [gives = make(std::move(deviations)), &beyond](std::size_t i) {
      return !(i < beyond.size() && beyond[i]) && gives(i);
    };
  };
  return evidence;
}

/// Flags that a device never sets are looked for before everything else.
std::vector<golden::DeviationCandidate> candidates_of(const CauseQuestion& question) {
  std::vector<golden::DeviationCandidate> list;
  if (const std::uint64_t missing = flags_never_set(question.wrong, question.right)) {
    list.push_back({{"flags_missing", "", hex(missing)},
                    fmt::format("flags {} never set (spec F8.1)", hex(missing)),
                    "flags"});
  }
  std::ranges::move(golden::candidates_for(question.header, question.wrong),
                    std::back_inserter(list));
  return list;
}

/// Of the many structures some explain a few answers by chance.
bool is_chance(const golden::DeviationMatch& match) {
  const golden::Deviation& first = match.deviations.front();
  if (golden::find_structure(first.field, first.to) == nullptr) return false;
  return 2 * std::ranges::count(match.explained, true) < std::ssize(match.explained);
}

/// Of which two may be at once: structures are too many to be tried with all others, so that they
/// go with flags that are never set.
std::vector<std::vector<golden::DeviationCandidate>> candidates_for_pairs(
    const std::vector<golden::DeviationCandidate>& candidates) {
  std::vector<golden::DeviationCandidate> plain, with_structures;
  for (const golden::DeviationCandidate& each : candidates) {
    const bool is_structure = each.subject == "structure";
    if (!is_structure) plain.push_back(each);
    if (is_structure || each.subject == "flags") with_structures.push_back(each);
  }
  return {std::move(plain), std::move(with_structures)};
}

void add_matches(std::vector<golden::DeviationMatch> matches, std::vector<Hypothesis>& list) {
  for (golden::DeviationMatch& each : matches) {
    if (is_chance(each)) continue;
    list.push_back({Hypothesis::Kind::kDeviation, std::move(each.text), std::move(each.explained),
                    std::move(each.deviations)});
  }
}

/// Other values of a structure that explain the same answers, in words; "" where there are none.
std::string alike_text(const Cause& cause, const std::vector<Hypothesis>& list) {
  if (cause.as.size() != 1) return {};
  const golden::Deviation& own = cause.as.front();
  if (golden::find_structure(own.field, own.to) == nullptr) return {};
  const auto is_named = [&](const Hypothesis& each) { return each.as == cause.as; };
  const auto named = std::find_if(list.begin(), list.end(), is_named);
  std::string others;
  for (const Hypothesis& each : list) {
    const bool is_alike = each.as.size() == 1 && each.as.front().field == own.field &&
                          each.as.front() != own && each.explained == named->explained;
    if (is_alike) others += (others.empty() ? "" : ", ") + each.as.front().to;
  }
  return others.empty()
             ? others
             : fmt::format("; these inputs do not tell {} {} from {}", own.field, own.to, others);
}

/// Which answers some hypothesis explains.
std::vector<bool> known_of(const std::vector<Hypothesis>& list, std::size_t count) {
  std::vector<bool> known(count);
  for (const Hypothesis& each : list) {
    for (std::size_t i = 0; i < count; ++i) known[i] = known[i] || each.explained[i];
  }
  return known;
}

}  // namespace

std::vector<Cause> answer_causes(CauseQuestion question) {
  const golden::Evidence evidence = evidence_of(question);
  const auto candidates = candidates_of(question);
  std::vector<Hypothesis> list;
  add_matches(golden::single_matches(evidence, candidates), list);
  std::ranges::move(question.others, std::back_inserter(list));
  for (const auto& each : candidates_for_pairs(candidates)) {
    add_matches(golden::pair_matches(evidence, each, known_of(list, evidence.wrong)), list);
  }
  add_differences(question.words, list);
  std::vector<std::uint64_t> numbers;
  for (const golden::AnswerAt& at : question.wrong) numbers.push_back(at.number);
  std::vector<Cause> causes = fewest_causes(list, numbers, evidence.right);
  const WaiverFinder finder(question, evidence);
  for (Cause& cause : causes) {
    cause.text += alike_text(cause, list);
    cause.as = finder.deviations_of(cause);
    if (cause.as.empty()) continue;
    cause.waiver = golden::as_text(cause.as);
    cause.right = evidence.right;
  }
  return causes;
}

}  // namespace mx::sim
