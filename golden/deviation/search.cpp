// SPDX-License-Identifier: Apache-2.0
#include "golden/deviation/search.hpp"

#include <algorithm>
#include <array>

namespace mx::golden {
namespace {

/// The search for pairs. A pair is tried on a few wrong answers first: one that explains none of
/// them explains too few.
class PairSearch {
 public:
  PairSearch(const Evidence& evidence, std::span<const DeviationCandidate> candidates,
             const std::vector<bool>& known)
      : evidence_(evidence), candidates_(candidates) {
    for (std::size_t i = 0; i < evidence.wrong; ++i) {
      if (!known[i]) left_.push_back(i);
    }
  }

  std::vector<DeviationMatch> found() {
    if (left_.size() < kFewest) return {};
    for (std::size_t i = 0; i < kProbes; ++i) {
      probes_[i] = left_[i * left_.size() / kProbes];
      concerned_[i].resize(candidates_.size());
      for (std::size_t c = 0; c < candidates_.size(); ++c) {
        concerned_[i][c] = evidence_.concerns(candidates_[c].deviation, probes_[i]);
      }
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (std::size_t j = i + 1; j < candidates_.size(); ++j) {
        if (candidates_[i].subject != candidates_[j].subject) try_pair(i, j);
      }
    }
    return std::move(found_);
  }

 private:
  void try_pair(std::size_t i, std::size_t j) {
    const DeviationCandidate& a = candidates_[i];
    const DeviationCandidate& b = candidates_[j];
    Gives gives;
    const auto fits = [&](std::size_t probe) {
      // Where one of the two changes nothing, the other one alone was tried before.
      if (!concerned_[probe][i] || !concerned_[probe][j]) return false;
      if (!gives) gives = evidence_.device({a.deviation, b.deviation});
      return gives(probes_[probe]);
    };
    bool has_probe = false;
    for (std::size_t probe = 0; probe < kProbes && !has_probe; ++probe) has_probe = fits(probe);
    if (!has_probe) return;
    std::optional<std::vector<bool>> explained = explained_by(evidence_, gives);
    if (!explained) return;
    const auto count = static_cast<std::size_t>(std::ranges::count(*explained, true));
    const auto is_new = [&](std::size_t at) { return bool{(*explained)[at]}; };
    const auto news = static_cast<std::size_t>(std::ranges::count_if(left_, is_new));
    if (2 * count < evidence_.wrong || news < kFewest) return;
    const std::string needing = std::to_string(needing_both(a, b, *explained));
    found_.push_back(
        {{a.deviation, b.deviation},
         "as with " + a.text + " and " + b.text + "; " + needing + " of them need both",
         *std::move(explained)});
  }

  [[nodiscard]] std::size_t needing_both(const DeviationCandidate& a, const DeviationCandidate& b,
                                         const std::vector<bool>& explained) const {
    const Gives first = evidence_.device({a.deviation});
    const Gives second = evidence_.device({b.deviation});
    std::size_t count = 0;
    for (std::size_t i = 0; i < explained.size(); ++i) {
      count += explained[i] && !first(i) && !second(i) ? 1U : 0U;
    }
    return count;
  }

  static constexpr std::size_t kFewest = 3;
  static constexpr std::size_t kProbes = 3;

  const Evidence& evidence_;
  std::span<const DeviationCandidate> candidates_;
  std::vector<std::size_t> left_;                       ///< wrong answers that nothing explains yet
  std::array<std::size_t, kProbes> probes_{};           ///< some of them
  std::array<std::vector<bool>, kProbes> concerned_{};  ///< by candidate
  std::vector<DeviationMatch> found_;
};

}  // namespace

std::optional<std::vector<bool>> explained_by(const Evidence& evidence, const Gives& gives) {
  // Most of what is tried contradicts a right answer: a few of them first, spread over all.
  constexpr std::size_t kSample = 64;
  const std::size_t sample = std::min(kSample, evidence.right);
  for (std::size_t i = 0; i < sample; ++i) {
    if (!gives(evidence.wrong + i * evidence.right / sample)) return {};
  }
  std::vector<bool> explained(evidence.wrong);
  for (std::size_t i = 0; i < evidence.wrong; ++i) explained[i] = gives(i);
  if (std::ranges::find(explained, true) == explained.end()) return {};
  for (std::size_t i = 0; i < evidence.right; ++i) {
    if (!gives(evidence.wrong + i)) return {};
  }
  return explained;
}

std::vector<DeviationMatch> single_matches(const Evidence& evidence,
                                           std::span<const DeviationCandidate> candidates) {
  std::vector<DeviationMatch> found;
  for (const DeviationCandidate& each : candidates) {
    const Gives gives = evidence.device({each.deviation});
    std::optional<std::vector<bool>> explained = explained_by(evidence, gives);
    if (!explained) continue;
    found.push_back({{each.deviation}, "as with " + each.text, *std::move(explained)});
  }
  return found;
}

std::vector<DeviationMatch> pair_matches(const Evidence& evidence,
                                         std::span<const DeviationCandidate> candidates,
                                         const std::vector<bool>& known) {
  return PairSearch(evidence, candidates, known).found();
}

std::vector<Deviation> sufficient(const std::vector<Deviation>& all,
                                  const std::function<bool(std::span<const Deviation>)>& explains) {
  for (const Deviation& each : all) {
    if (explains({&each, 1})) return {each};
  }
  std::vector<Deviation> kept = all;
  for (std::size_t i = 0; i < kept.size();) {
    std::vector<Deviation> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (explains(fewer)) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }
  return kept;
}

}  // namespace mx::golden
