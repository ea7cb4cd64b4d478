// Many subjects judged on one log: what several of them share is computed once for each record.
//
// The answers are those of explain_record(), which judges one subject at a time, whatever the
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/identify/record.hpp"

namespace mx::golden {

/// What a log says of one subject.
struct Tally {
  std::uint64_t contradicted = 0;  ///< records that it does not explain
  std::uint64_t left_open = 0;     ///< records of which it leaves something open
  AnswerCounts counts = {};
  std::optional<std::size_t> first;  ///< the first record that it does not explain
  bool operator==(const Tally&) const = default;
};

/// How far a subject is judged.
enum class Until : std::uint8_t {
  kEnd,
  kContradicted  ///< a subject that any record contradicts is let go: its tally says only that
};

/// The tally of each subject. Subjects that draw random words take those of the log, 0 where it has
/// none.
[[nodiscard]] std::vector<Tally> judge_all(const ImplementationLog& log,
                                           std::span<const Subject> subjects, Until until,
                                           int threads);

}  // namespace mx::golden
