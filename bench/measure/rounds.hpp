// Contestants that take turns: A B C A B C ..., so that what else the machine does meets all of
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mx::goals {

/// Rounds that a ratio rests on, at least; one more is dropped.
inline constexpr int kLeastRounds = 15;

/// What a second is: CPU time of the calling thread, wall time for work that several share, or what
/// the contestant says itself (of processes that it started).
enum class Clock { kThread, kWall, kOwn };

struct Contestant {
  std::string name;
  std::function<void()> run;
  std::function<double()> seconds = {};  ///< Clock::kOwn: of the last run
};

/// Seconds of one call of each contestant, by round. A short call is repeated within its turn,
/// after one that is not timed and brings back its part of the caches. The first round is dropped.
[[nodiscard]] std::vector<std::vector<double>> take_turns(
    const std::vector<const Contestant*>& contestants, Clock clock, int rounds);

}  // namespace mx::goals
