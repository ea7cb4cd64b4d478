// SPDX-License-Identifier: Apache-2.0
#include "sim/score/right_sample.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mx::sim {
namespace {

/// Lanes of all configurations together; lanes and records of one.
constexpr std::size_t kLanesInAll = 1 << 20;
constexpr std::size_t kLanesOfOne = 1 << 14;
constexpr std::size_t kMost = 2048;

std::size_t most_of(std::size_t configurations, std::size_t lanes) {
  const std::size_t of_one = std::min(kLanesInAll / configurations, kLanesOfOne);
  return std::clamp<std::size_t>(of_one / lanes, 1, kMost);
}

/// Every bit of the number counts in every bit (the finalizer of MurmurHash3).
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 33) * 0xFF51AFD7ED558CCD;
  number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53;
  return number ^ number >> 33;
}

}  // namespace

RightSample::RightSample(std::size_t configurations, std::size_t lanes)
    : kept_(configurations),
      most_(most_of(std::max<std::size_t>(1, configurations), std::max<std::size_t>(1, lanes))) {}

bool RightSample::wants(std::size_t config, std::uint64_t number) const {
  return (mixed(number) & kept_[config].mask) == 0;
}

void RightSample::keep(std::size_t config, RecordMismatch&& right) {
  Kept& kept = kept_[config];
  kept.list.push_back(std::move(right));
  while (kept.list.size() > most_) {
    kept.mask = 2 * kept.mask + 1;
    std::erase_if(kept.list,
                  [&](const RecordMismatch& each) { return !wants(config, each.number); });
  }
}

std::vector<RecordMismatch> RightSample::take() {
  std::vector<RecordMismatch> all;
  for (Kept& each : kept_) std::ranges::move(each.list, std::back_inserter(all));
  kept_.clear();
  std::sort(all.begin(), all.end(),
            [](const RecordMismatch& a, const RecordMismatch& b) { return a.number < b.number; });
  return all;
}

}  // namespace mx::sim
