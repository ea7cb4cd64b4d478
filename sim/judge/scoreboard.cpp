#include "sim/judge/scoreboard.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "golden/answers/expected.hpp"

namespace mx::sim {
namespace {

// How far a block may have travelled for its answer to count as reordered.
constexpr std::size_t kReach = 16;

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  blocks += other.blocks;
  elements += other.elements;
  bad_blocks += other.bad_blocks;
  bad_elements += other.bad_elements;
  return *this;
}

Tally TallyTable::total() const {
  Tally sum;
  for (const Tally& cell : cells_) sum += cell;
  return sum;
}

TallyTable& TallyTable::operator+=(const TallyTable& other) {
  for (std::size_t i = 0; i < kCells; ++i) cells_[i] += other.cells_[i];
  return *this;
}

bool agrees(Compare compare, const BlockIn& block, const BlockOut& expected,
            const BlockOut& actual) {
  if (std::memcmp(expected.codes.data(), actual.codes.data(), kLanes) != 0) {
    if (compare == Compare::kStrict) return false;
    if (!golden::codes_masked(block.config_word, expected.status)) return false;
  }
  return expected.status == actual.status && expected.keep == actual.keep &&
         expected.last == actual.last;
}

void Scoreboard::check(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
                       const BlockOut& actual) {
  Tally& tally = tallies_.at(block.config_word);
  ++tally.blocks;
  tally.elements += static_cast<std::uint64_t>(std::popcount(block.keep));
  if (agrees(compare_, block, expected, actual)) [[likely]] {
    return;
  }
  ++tally.bad_blocks;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (expected.codes[i] != actual.codes[i]) ++tally.bad_elements;
  }
  if (mismatches_.size() < keep_) mismatches_.push_back({index, block, expected, actual});
}

bool looks_reordered(std::span<const BlockOut> expected, std::span<const BlockOut> actual) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!(actual[i] == expected[i])) wrong.push_back(i);
  }
  if (wrong.size() < 2) return false;
  // Among the wrong positions near `at`, does one satisfy the predicate?
  const auto near = [&](std::size_t at, auto predicate) {
    const auto first = std::ranges::lower_bound(wrong, at < kReach ? 0 : at - kReach);
    const auto last = std::ranges::upper_bound(wrong, at + kReach);
    return std::any_of(first, last, predicate);
  };
  return std::ranges::all_of(wrong, [&](std::size_t i) {
    return near(i, [&](std::size_t j) { return actual[i] == expected[j]; }) &&
           near(i, [&](std::size_t j) { return actual[j] == expected[i]; });
  });
}

}  // namespace mx::sim
