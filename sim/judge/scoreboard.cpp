#include "sim/judge/scoreboard.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/judge/block_record.hpp"

namespace mx::sim {
namespace {

/// Right answers kept of each configuration, and of all.
constexpr std::uint8_t kRights = 8;
constexpr std::size_t kAllRights = 16384;

/// How far a block may have travelled for its answer to count as reordered.
constexpr std::size_t kReach = 16;

}  // namespace

std::uint32_t compared_lanes(Compare compare, const BlockOpen& open) {
  const bool is_masked = open.dont_care && compare == Compare::kNormative;
  return is_masked || !open.observed.codes ? 0 : ~open.lanes;
}

bool agrees(Compare compare, const BlockOut& expected, const BlockOpen& open,
            const BlockOut& actual) {
  if (std::memcmp(expected.codes.data(), actual.codes.data(), kLanes) != 0) {
    const std::uint32_t lanes = compared_lanes(compare, open);
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) != 0 && expected.codes[i] != actual.codes[i]) return false;
    }
  }
  const Observes& observed = open.observed;
  const auto looked_at = static_cast<std::uint16_t>((open.scale || !observed.scale ? 0 : 0xFF) |
                                                    (open.flags || !observed.flags ? 0 : 0xFF00));
  return ((expected.status ^ actual.status) & looked_at) == 0 &&
         (expected.keep == actual.keep || !observed.keep) &&
         (expected.last == actual.last || !observed.last);
}

Scoreboard::Scoreboard(Compare compare, std::size_t keep, const Configurations& configs,
                       golden::Waivers waivers)
    : compare_(compare),
      keep_(keep),
      configs_(configs),
      waivers_(std::move(waivers)),
      tallies_(configs.size()),
      rights_(configs.size()) {}

Scoreboard::~Scoreboard() = default;

golden::AnswerAt Scoreboard::as_record(std::uint64_t index, const BlockIn& block,
                                       const BlockOut& expected, const BlockOpen& open,
                                       const BlockOut& actual) {
  if (!records_) records_ = std::make_unique<BlockRecords>(block_header(configs_));
  const BlockRecord& record = records_->of(block, expected, open, actual, compare_);
  return {record.expected, record.actual, 0, record.open, index};
}

void Scoreboard::count_words(const BlockIn& block, const BlockOpen& open, Tally& tally) const {
  const std::uint32_t lanes = compared_lanes(compare_, open);
  const auto compared = static_cast<std::uint64_t>(std::popcount(block.keep & lanes));
  const auto skipped = static_cast<std::uint64_t>(std::popcount(block.keep & ~lanes));
  std::uint64_t heads = 0;
  const auto count_head = [&](bool is_given, bool is_open) {
    if (!is_given) {
      ++tally.unobserved;
    } else {
      ++(is_open ? tally.open : heads);
    }
  };
  count_head(open.observed.scale, open.scale);
  count_head(open.observed.flags, open.flags);
  tally.words += compared + heads;
  const bool is_free = open.dont_care && compare_ == Compare::kNormative;
  tally.codes.compared += compared;
  (!open.observed.codes ? tally.codes.unobserved
   : is_free            ? tally.codes.dont_care
                        : tally.codes.open) += skipped;
  (!open.observed.codes ? tally.unobserved : is_free ? tally.dont_care : tally.open) += skipped;
  if (compared + heads == 0) ++tally.unjudged;
  if (!open.certified.is_asked) return;
  const std::uint32_t both = block.keep & lanes & open.certified.lanes;
  tally.certified += static_cast<std::uint64_t>(std::popcount(both));
  tally.uncertified += compared - static_cast<std::uint64_t>(std::popcount(both));
  const bool has_scale = open.certified.scale && open.observed.scale && !open.scale;
  tally.certified_scales += has_scale ? 1U : 0U;
}

namespace {

/// The words of a block that waivers cover whole were not compared.
void take_unjudged(Tally& tally) {
  tally.codes.waived += std::exchange(tally.codes.compared, 0);
  tally.waived += std::exchange(tally.words, 0);
  tally.certified = tally.uncertified = tally.certified_scales = 0;
  tally.unjudged = 1;
}

}  // namespace

BlockOpen Scoreboard::waive(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
                            const BlockOpen& open, const BlockOut& actual) {
  BlockOpen rest = open;
  const golden::AnswerAt at = as_record(index, block, expected, open, actual);
  const std::vector<std::size_t> fitting = waivers_.fitting(at);
  std::vector<std::uint64_t> words(waivers_.uses().size());
  const auto is_waived = [&](golden::Field field) {
    const std::size_t w = waivers_.waiver_of(fitting, at, field);
    if (w != words.size()) ++words[w];
    return w != words.size();
  };
  const auto differs = static_cast<std::uint16_t>(expected.status ^ actual.status);
  if ((differs & 0xFF) != 0 && open.observed.scale && !open.scale) {
    rest.scale = is_waived(golden::Field::kScale);
  }
  if (differs >> 8 != 0 && open.observed.flags && !open.flags) {
    rest.flags = is_waived(golden::Field::kFlags);
  }
  const std::uint32_t lanes = compared_lanes(compare_, open) & block.keep;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1) == 0 || expected.codes[i] == actual.codes[i]) continue;
    if (is_waived(golden::Field::kCode)) rest.lanes |= std::uint32_t{1} << i;
  }
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (words[w] != 0) waivers_.add_use({.waiver = {}, .words = words[w], .records = 1}, w);
  }
  return rest;
}

void Scoreboard::check(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
                       const BlockOpen& open, const BlockOut& actual, const BlockIn* previous) {
  Tally& tally = tallies_.at(block.config);
  ++tally.blocks;
  tally.elements += static_cast<std::uint64_t>(std::popcount(block.keep));
  Tally before;
  count_words(block, open, before);
  BlockOpen judged = open;
  bool is_right = agrees(compare_, expected, open, actual);
  if (is_right && waivers_.has_causes()) {
    waivers_.see_right(as_record(index, block, expected, open, actual));
  }
  if (!is_right && !waivers_.uses().empty()) {
    judged = waive(index, block, expected, open, actual);
    Tally after;
    count_words(block, judged, after);
    before.codes.waived = before.codes.compared - after.codes.compared;
    before.codes.compared = after.codes.compared;
    before.waived = before.words - after.words;
    before.words = after.words;
    before.unjudged = after.unjudged;
    before.certified = after.certified;
    before.uncertified = after.uncertified;
    before.certified_scales = after.certified_scales;
    is_right = agrees(compare_, expected, judged, actual);
  }
  const bool may_cover = waivers_.may_cover_whole(block.config, index);
  if (may_cover && waivers_.covers_whole(as_record(index, block, expected, open, actual))) {
    take_unjudged(before);
  }
  tally += before;
  const auto noted = [&] {
    Mismatch note{index, block, expected, judged, actual, compare_};
    if (previous != nullptr) note.previous = *previous;
    return note;
  };
  if (is_right) [[likely]] {
    std::uint8_t& rights = rights_.at(block.config);
    if (rights < kRights && right_.size() < kAllRights) {
      ++rights;
      right_.push_back(noted());
    }
    return;
  }
  ++tally.bad_blocks;
  const std::uint32_t lanes = compared_lanes(compare_, judged);
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1) != 0 && expected.codes[i] != actual.codes[i]) ++tally.bad_elements;
  }
  const Mismatch mismatch = noted();
  if (mismatches_.size() < keep_) mismatches_.push_back(mismatch);
  if (tally.bad_blocks == 1) first_of_each_.push_back(mismatch);
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
