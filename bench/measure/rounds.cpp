#include "bench/measure/rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>

namespace mx::goals {

namespace {

/// A turn lasts at least so long, that reading the clock and single interrupts do not count.
constexpr double kTurnSeconds = 0.004;
constexpr int kMostCalls = 1000;

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::kWall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds of one call among `calls`.
double turn(const Contestant& contestant, Clock clock, int calls) {
  if (clock == Clock::kOwn && contestant.seconds) {
    contestant.run();
    return contestant.seconds();
  }
  if (calls > 1) contestant.run();
  const double start = now(clock);
  for (int i = 0; i < calls; ++i) contestant.run();
  return (now(clock) - start) / calls;
}

int calls_for(double seconds) {
  const double calls = kTurnSeconds / std::max(seconds, 1e-9);
  return std::clamp(static_cast<int>(calls), 1, kMostCalls);
}

}  // namespace

std::vector<std::vector<double>> take_turns(const std::vector<const Contestant*>& contestants,
                                            Clock clock, int rounds) {
  std::vector<int> calls;
  for (const Contestant* const each : contestants)
    calls.push_back(calls_for(turn(*each, clock, 1)));
  std::vector<std::vector<double>> seconds(contestants.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const double one = turn(*contestants[i], clock, calls[i]);
      if (round >= 0) seconds[i].push_back(one);
    }
  }
  return seconds;
}

}  // namespace mx::goals
