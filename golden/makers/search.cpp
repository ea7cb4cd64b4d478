// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/search.hpp"

#include <algorithm>
#include <utility>

namespace mx::golden {
namespace {

constexpr std::size_t kMostSuspects = 256;  ///< records that are asked first

/// The same number for the same policies.
template <typename... Values>
std::uint64_t digest_of_all(Values... values) {
  std::uint64_t digest = 0;
  ((digest = (digest + static_cast<std::uint64_t>(values)) * 0x9E3779B97F4A7C15), ...);
  return digest;
}

std::uint64_t digest_of(const ElementPolicy& p) {
  return digest_of_all(p.rounding, p.random_bits, p.overflow, p.nan, p.zero_sign,
                       p.unsigned_negative, p.zero_in, p.int_min, p.src_ftz, p.dst_ftz, p.staging);
}

std::uint64_t digest_of(const Surface& surface, const Subject& subject) {
  if (!surface.is_block) return digest_of(subject.element.conversion.policy);
  const BlockPolicy& p = subject.block.config.block;
  return digest_of_all(digest_of(subject.block.config.element), p.rule, p.ratio_op, p.scale_sat,
                       p.amax_over, p.nan_block, p.inf_block, p.zero_block_scale, p.scale_floor,
                       p.elem_scaling, p.four_over_six, p.src_daz_block);
}

}  // namespace

bool Distinct::insert(const Subject& subject) {
  const Subject wanted = normalized(surface_, subject);
  std::vector<Subject>& alike = known_[digest_of(surface_, wanted)];
  for (const Subject& known : alike) {
    if (same_normalized(surface_, known, wanted)) return false;
  }
  alike.push_back(wanted);
  ++size_;
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
