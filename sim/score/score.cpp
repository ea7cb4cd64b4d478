// SPDX-License-Identifier: Apache-2.0
#include "sim/score/score.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mx::sim {
namespace {

template <typename T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Both are in the order of their numbers, and so is what comes of them.
void merge(std::vector<RecordMismatch>& all, std::vector<RecordMismatch>& more) {
  if (all.empty()) return all.swap(more);
  std::vector<RecordMismatch> both;
  both.reserve(all.size() + more.size());
  std::merge(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()),
             std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()),
             std::back_inserter(both),
             [](const RecordMismatch& a, const RecordMismatch& b) { return a.number < b.number; });
  all.swap(both);
}

template <typename T>
void add_counts(std::vector<T>& sum, const std::vector<T>& more) {
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

std::pair<std::size_t, std::uint64_t> config_and_number(const RecordMismatch& m) {
  return {m.expected.config(0), m.number};
}

}  // namespace

void Score::add(Score&& other) {
  add_counts(by_config, other.by_config);
  add_counts(certified, other.certified);
  merge(mismatches, other.mismatches);
  append(first_of_each, other.first_of_each);
  merge(right, other.right);
  append(disagreements, other.disagreements);
  disagreed += other.disagreed;
  for (std::size_t w = 0; w < other.waivers.uses().size(); ++w) {
    waivers.add_use(other.waivers.uses()[w], w);
  }
}

void Score::sort(std::size_t keep) {
  if (mismatches.size() > keep) mismatches.resize(keep);
  std::ranges::sort(disagreements, {}, &RecordDisagreement::number);
  if (disagreements.size() > keep) disagreements.resize(keep);
  std::ranges::sort(first_of_each, {}, config_and_number);
  const auto rest = std::unique(first_of_each.begin(), first_of_each.end(),
                                [](const RecordMismatch& a, const RecordMismatch& b) {
                                  return a.expected.config(0) == b.expected.config(0);
                                });
  first_of_each.erase(rest, first_of_each.end());
}

}  // namespace mx::sim
