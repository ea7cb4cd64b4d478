// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/identify.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "golden/makers/search.hpp"

namespace mx::golden {
namespace {

constexpr std::uint64_t kFirstOfWords = 256;  ///< records by which the use of words is looked at
constexpr std::size_t kPairBases = 12;        ///< configurations whose pairs of changes are tried

Rulings rule_on_all(const ImplementationLog& log, int threads) {
  if (log.records.empty()) throw std::logic_error("a log without records");
  std::vector<Hypothesis> hypotheses;
  for (const Candidate& candidate : candidates_of(log.surface)) {
    hypotheses.push_back({candidate, {}, *subject_of(candidate, log.surface)});
  }
  return rule_on(log, hypotheses, threads, kCountedRecords);
}

/// What explains the outputs that profiles leave open too; nothing where some profile leaves none.
std::vector<HypothesisClass> inside_of(const ImplementationLog& log, const Classes& classes,
                                       const std::vector<Ruling>& profiles, int threads) {
  const auto explains_whole = [&](const Ruling& r) {
    return r.explains() && !has_masks(log.surface, r.hypothesis.subject);
  };
  if (std::ranges::any_of(profiles, explains_whole)) return {};
  std::vector<Hypothesis> bared;
  for (const Ruling& each : profiles) {
    if (!each.explains()) continue;
    const Subject bare = without_masks(each.hypothesis.subject);
    bared.push_back({each.hypothesis.base, {}, bare});
    for (const DeviatingSubject& other : deviations(log.surface, bare)) {
      bared.push_back({each.hypothesis.base, other.deviations, other.subject});
    }
  }
  const Rulings none;
  DeviationSearch search(log, none, threads);
  search.add(bared);
  return classes.of_deviations({}, search.found());
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

/// The hypothesis, leaving nothing open, that the fewest records contradict: the first of them.
std::optional<Ruling> least_contradicted(const ImplementationLog& log,
                                         std::vector<Hypothesis> hypotheses, int threads) {
  for (Hypothesis& each : hypotheses) each.subject = without_masks(each.subject);
  std::optional<Ruling> best;
  for (Ruling& each : rule_on(log, hypotheses, threads).list) {
    if (each.counts.compared == 0) continue;
    if (!best || each.contradicted < best->contradicted) best = std::move(each);
  }
  return best;
}

/// The nearest by a sample: the best profile or the best deviation, then of the whole log.
std::optional<Ruling> closest_of(const ImplementationLog& log, const std::vector<Ruling>& profiles,
                                 const std::vector<Hypothesis>& single, int threads) {
  const ImplementationLog sample = sample_of(log);
  std::vector<Hypothesis> candidates;
  for (const Ruling& each : profiles) candidates.push_back(each.hypothesis);
  const std::optional<Ruling> profile = least_contradicted(sample, candidates, threads);
  std::vector<Hypothesis> best;
  if (profile) {
    best.push_back(profile->hypothesis);
    candidates = best;
  } else {
    candidates.clear();
  }
  candidates.insert(candidates.end(), single.begin(), single.end());
  const std::optional<Ruling> deviation = least_contradicted(sample, candidates, threads);
  if (!deviation) return deviation;
  best.push_back(deviation->hypothesis);
  return least_contradicted(log, best, threads);
}

/// A log, or the first records of a longer one.
class Head {
 public:
  Head(const ImplementationLog& log, std::uint64_t count) : log_(log) {
    if (log.records.size() <= count) return;
    part_ = {log.surface, log.outputs, log.has_random, {}, log.names};
    part_->records.assign(log.records.begin(),
                          log.records.begin() + static_cast<std::ptrdiff_t>(count));
  }
  [[nodiscard]] const ImplementationLog& log() const { return part_ ? *part_ : log_; }

 private:
  const ImplementationLog& log_;
  std::optional<ImplementationLog> part_;
};

/// Each profile with one policy changed.
std::vector<Hypothesis> single_changes(const Surface& surface,
                                       const std::vector<Ruling>& profiles) {
  std::vector<Hypothesis> single;
  for (const Ruling& each : profiles) {
    for (const DeviatingSubject& other : deviations(surface, each.hypothesis.subject)) {
      single.push_back({each.hypothesis.base, other.deviations, other.subject});
    }
  }
  return single;
}

/// Changes after which random words are drawn: one, and two of the first profile. Nothing where the
/// log has no words.
std::vector<Hypothesis> drawing(const ImplementationLog& log, const std::vector<Ruling>& profiles,
                                std::vector<Hypothesis> single) {
  if (!log.has_random) return {};
  const Hypothesis& first = profiles.front().hypothesis;
  for (const DeviatingSubject& other : deviation_pairs(log.surface, first.subject)) {
    single.push_back({first.base, other.deviations, other.subject});
  }
  std::erase_if(single,
                [&](const Hypothesis& each) { return !draws_random(log.surface, each.subject); });
  return single;
}

/// Profiles with two, until some are found.
void add_pairs(const Surface& surface, const std::vector<Ruling>& profiles,
               DeviationSearch& search) {
  Distinct bases(surface);
  for (const Ruling& each : profiles) {
    if (bases.size() == kPairBases) return;
    if (!bases.insert(each.hypothesis.subject)) continue;
    std::vector<Hypothesis> pairs;
    for (const DeviatingSubject& other : deviation_pairs(surface, each.hypothesis.subject)) {
      pairs.push_back({each.hypothesis.base, other.deviations, other.subject});
    }
    search.add(pairs);
    if (!search.found().empty()) return;
  }
}

/// Those that some record contradicts.
std::vector<Contradicted> contradicted(const std::vector<Ruling>& profiles) {
  std::vector<Contradicted> found;
  for (const Ruling& each : profiles) {
    if (each.first) found.push_back({each.hypothesis, each.first->record});
  }
  return found;
}

/// Of changes after which random words are drawn those that one of the first records contradicts.
std::vector<Contradicted> contradicted(const ImplementationLog& log,
                                       const std::vector<Hypothesis>& changed) {
  const Head head(log, kFirstOfWords);
  std::vector<Contradicted> found;
  for (const Hypothesis& each : changed) {
    if (!draws_random(log.surface, each.subject)) continue;
    const std::vector<LogRecord>& records = head.log().records;
    const auto first = std::ranges::find_if(records, [&](const LogRecord& record) {
      return !explain_record(log, each.subject, record).agrees;
    });
    if (first != records.end()) {
      found.push_back({each, static_cast<std::size_t>(first - records.begin())});
    }
  }
  return found;
}

/// Are other readings of its words worth a try? One record agrees with some of many by chance.
bool can_be_reread(const Surface& surface, const Identification& found) {
  return found.telling > (surface.is_block ? 0U : 1U);
}

/// Profiles that are left are told apart before anything else is.
std::optional<NextInput> decision_on(const ImplementationLog& log, const Identification& found,
                                     const Classes& classes) {
  constexpr std::size_t kMostOthers = 16;  ///< of other explanations that are asked
  constexpr std::size_t kMostInputs = 100;
  std::vector<Respondent> respondents;
  std::vector<BlockInput> inputs;
  for (const auto* const list : {&found.classes, &found.inside, &found.deviations}) {
    for (const HypothesisClass& each : *list) {
      respondents.push_back(respondent_of(log.surface, each.members.front()));
      if (each.from_first) inputs.push_back(each.from_first->input);
    }
    if (respondents.size() > 1) return deciding(respondents, inputs);
  }
  for (const ReadLog& each : found.readings) {
    for (Respondent& one : respondents_of(log, each)) respondents.push_back(std::move(one));
  }
  for (const AlteredClass& each : found.structures) {
    respondents.push_back(respondent_of(log.surface, each.members.front()));
  }
  if (respondents.size() > kMostOthers) respondents.resize(kMostOthers);
  inputs = classes.stimulus();
  inputs.resize(std::min(inputs.size(), kMostInputs));
  return deciding(respondents, inputs);
}

/// Records of which some output is known.
std::uint64_t known_records(const ImplementationLog& log) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(log.records, [&](const LogRecord& record) {
        const bool has_scale =
            log.surface.is_block && log.outputs == LogOutputs::kCodes && record.has_scale;
        for (std::size_t i = 0; i < record.answer.codes.size(); ++i) {
          if (is_known(record, i)) return true;
        }
        return has_scale;
      }));
}

bool has_words(const ImplementationLog& log) {
  return log.has_random && std::ranges::any_of(log.records, [](const LogRecord& each) {
           return !each.input.random.empty();
         });
}

/// Does anybody who explains the log take its random words?
bool takes_words(const Surface& surface, const Identification& found) {
  const auto takes = [&](const HypothesisClass& each) {
    return draws_random(surface, each.members.front().subject);
  };
  return std::ranges::any_of(found.classes, takes) || std::ranges::any_of(found.deviations, takes);
}

}  // namespace

bool Identification::compared_anything() const { return compared != 0; }

std::vector<Ruling> rule_on_profiles(const ImplementationLog& log, int threads) {
  return rule_on_all(log, threads).list;
}

Identification identify(const ImplementationLog& log, int threads) {
  const Surface& surface = log.surface;
  Identification result{};
  Rulings rulings = rule_on_all(log, threads);
  const auto marked = [](const std::vector<std::uint8_t>& marks) {
    return static_cast<std::uint64_t>(std::ranges::count(marks, 1));
  };
  result.compared = marked(rulings.marks.compared);
  result.telling = marked(rulings.marks.telling);
  const Classes classes(surface);
  result.classes = classes.of_profiles(rulings.list);
  // Random words are in a log since somebody drew them.
  if (log.has_random) {
    // Not std::ranges: clang 14 does not compile the subrange that g++ 12's library returns.
    std::stable_partition(result.classes.begin(), result.classes.end(),
                          [&](const HypothesisClass& each) {
                            return draws_random(surface, each.members.front().subject);
                          });
  }
  if (result.compared_anything()) {
    const Head head(log, result.classes.empty() ? log.records.size() : kCountedRecords);
    result.searched = head.log().records.size();
    DeviationSearch search(head.log(), rulings, threads);
    const std::vector<Hypothesis> single = single_changes(surface, rulings.list);
    search.add(single);
    result.changed_policies = 1;
    if (result.classes.empty() && search.found().empty()) {
      if (can_be_reread(surface, result)) {
        result.readings = explained_readings(log, drawing(log, rulings.list, single), threads);
      }
      if (result.readings.empty()) add_pairs(surface, rulings.list, search);
      result.changed_policies = 2;
    }
    result.tried = search.tried();
    result.deviations = classes.of_deviations(rulings.list, search.found());
    if (result.classes.empty() && result.readings.empty() && result.changed_policies == 2) {
      if (can_be_reread(surface, result)) {
        result.structures =
            explained_structures(log, contradicted(rulings.list), classes, Tried::kAll, threads);
      }
    } else if (has_words(log) && result.readings.empty() && !takes_words(surface, result)) {
      std::vector<Hypothesis> all = single;
      for (const Ruling& each : rulings.list) all.push_back(each.hypothesis);
      result.structures =
          explained_structures(log, contradicted(log, all), classes, Tried::kRandomWords, threads);
    }
    // These are tried on all records, however soon profiles as they are were let go.
    if (result.classes.empty() && !(result.readings.empty() && result.structures.empty())) {
      result.compared = known_records(log);
    }
    if (result.deviations.empty()) result.changed_policies = 0;
    if (!result.classes.empty())
      result.inside = inside_of(head.log(), classes, rulings.list, threads);
    if (!result.explains()) result.closest = closest_of(log, rulings.list, single, threads);
    result.next = decision_on(log, result, classes);
  }
  result.profiles = std::move(rulings.list);
  return result;
}

}  // namespace mx::golden
