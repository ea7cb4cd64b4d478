#include "bench/measure/row.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace mx::goals {

namespace {

Verdict judge(const Row& row, const Spread& ratio, int rounds) {
  if (!ratio.is_steady() || rounds < kLeastRounds) return Verdict::kUnsteady;
  if (row.goal <= 0) return Verdict::kReported;
  return ratio.median >= row.goal ? Verdict::kMet : Verdict::kNotMet;
}

/// In which build's output the difference lies, or "".
std::string difference_of(const Row& row) {
  row.ours.run();
  for (const Contestant& peer : row.theirs) {
    peer.run();
    const std::string difference = row.difference();
    if (!difference.empty()) return peer.name + ": " + difference;
  }
  return "";
}

}  // namespace

std::string_view word_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 6> kWords = {"met",     "NOT MET",  "reported",
                                                             "INVALID", "MISMATCH", "SKIPPED"};
  return kWords[static_cast<std::size_t>(verdict)];
}

Outcome measure(const Row& row, int rounds) {
  Outcome outcome{.id = row.id, .what = row.what, .goal = row.goal, .note = row.skip};
  if (!row.skip.empty()) return outcome;
  if (const std::string difference = difference_of(row); !difference.empty()) {
    outcome.verdict = Verdict::kMismatch;
    outcome.note = difference;
    return outcome;
  }
  std::vector<const Contestant*> all = {&row.ours};
  for (const Contestant& peer : row.theirs) all.push_back(&peer);
  const std::vector<std::vector<double>> seconds = take_turns(all, row.clock, rounds);
  std::size_t fastest = 1;
  for (std::size_t i = 2; i < all.size(); ++i) {
    if (spread_of(seconds[i]).median < spread_of(seconds[fastest]).median) fastest = i;
  }
  outcome.peer = all[fastest]->name;
  outcome.our_rate = row.items / spread_of(seconds[0]).median;
  outcome.peer_rate = row.items / spread_of(seconds[fastest]).median;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (i != fastest)
      outcome.others.push_back({all[i]->name, row.items / spread_of(seconds[i]).median});
  }
  outcome.ratio = spread_of(ratios(seconds[fastest], seconds[0]));
  outcome.verdict = judge(row, *outcome.ratio, rounds);
  outcome.note = row.mask;
  return outcome;
}

}  // namespace mx::goals
