// A row of the table of goals: two sides that do the same work, and what came of measuring them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/rounds.hpp"
#include "bench/measure/statistics.hpp"

namespace mx::goals {

/// What is measured. Rows are made when their turn comes: their arrays are large.
struct Row {
  std::string id;         ///< "C4"; performance goals are numbered in bench/README.md
  std::string what;       ///< the work, with its size
  double goal = 0;        ///< the ratio to reach; 0: reported and not judged
  std::string skip = {};  ///< why it cannot be measured here; "" where it can
  Clock clock = Clock::kThread;
  double items = 0;  ///< elements or vectors of one call
  Contestant ours = {};
  std::vector<Contestant> theirs = {};  ///< builds of the peer: the fastest one is the peer
  /// In which output ours and the build of the peer that ran last differ; "" where in none that
  /// counts. `mask` says what does not count, and why.
  std::function<std::string()> difference = {};
  std::string mask = {};
};

enum class Verdict { kMet, kNotMet, kReported, kUnsteady, kMismatch, kSkipped };

[[nodiscard]] std::string_view word_of(Verdict verdict);

/// Items a second of one contestant.
struct Rate {
  std::string name;
  double rate = 0;
};

struct Outcome {
  std::string id;
  std::string what;
  double goal = 0;
  Verdict verdict = Verdict::kSkipped;
  std::string note = {};  ///< reason, difference or mask
  std::string peer = {};  ///< the build that counts
  double our_rate = 0;    ///< items a second, by the median
  double peer_rate = 0;
  std::vector<Rate> others = {};     ///< its other builds
  std::optional<Spread> ratio = {};  ///< none without a valid comparison
};

/// Compares the outputs with each build, then measures. A mismatch leaves no rate and no ratio.
[[nodiscard]] Outcome measure(const Row& row, int rounds);

}  // namespace mx::goals
