// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/search.hpp"

#include <algorithm>
#include <utility>

namespace mx::golden {
namespace {

constexpr std::size_t kMostSuspects = 256;  ///< records that are asked first

}  // namespace

bool Distinct::insert(const Subject& subject) {
  Subject wanted = normalized(surface_, subject);
  for (const Subject& known : known_) {
    if (same_normalized(surface_, known, wanted)) return false;
  }
  known_.push_back(wanted);
  return true;
}

DeviationSearch::DeviationSearch(const ImplementationLog& log, const Rulings& profiles, int threads)
    : log_(log), profiles_(profiles), threads_(threads), known_(log.surface) {
  for (const Ruling& each : profiles.list) {
    known_.insert(each.hypothesis.subject);
    if (each.first && each.first->record < log.records.size()) suspect(each.first->record);
  }
}

void DeviationSearch::add(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Hypothesis> fresh;
  std::vector<Subject> subjects;
  for (const Hypothesis& each : hypotheses) {
    if (!can_judge(log_, each.subject) || !known_.insert(each.subject)) continue;
    fresh.push_back(each);
    subjects.push_back(each.subject);
  }
  const std::vector<Tally> tallies = judge_until_contradicted(log_, subjects, suspects_, threads_);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (tallies[i].first) suspect(*tallies[i].first);
    if (tallies[i].contradicted != 0 || tallies[i].counts.compared == 0) continue;
    if (is_silent(log_, fresh[i].subject, profiles_)) continue;
    fresh[i].counts = tallies[i].counts;
    found_.push_back(std::move(fresh[i]));
  }
}

/// A record that contradicted one hypothesis may contradict others, however late it comes.
void DeviationSearch::suspect(std::size_t record) {
  const bool is_new = std::ranges::find(suspects_, record) == suspects_.end();
  if (is_new && suspects_.size() < kMostSuspects) suspects_.push_back(record);
}

}  // namespace mx::golden
