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

/// The tally of each subject. Subjects that draw random words take those of the log, 0 where it has
/// none.
[[nodiscard]] std::vector<Tally> judge_all(const ImplementationLog& log,
                                           std::span<const Subject> subjects, int threads);

/// What became of each record of a log.
struct RecordMarks {
  std::vector<std::uint8_t> compared;  ///< 1: some subject that is judged specifies some of it
  std::vector<std::uint8_t> telling;   ///< 1: it contradicts such a subject
};

/// The same with what became of the records. Contradictions are counted among the first `counted`
/// records: a subject that one of them contradicts is let go at their end, and so on with as many.
struct Judged {
  std::vector<Tally> tallies;
  RecordMarks marks;
};
[[nodiscard]] Judged judge_and_mark(const ImplementationLog& log, std::span<const Subject> subjects,
                                    int threads, std::uint64_t counted);

/// The tallies, but a subject that a record contradicts is let go, with a tally of one
/// contradiction: some record's. Records named in `suspects` are asked first.
[[nodiscard]] std::vector<Tally> judge_until_contradicted(const ImplementationLog& log,
                                                          std::span<const Subject> subjects,
                                                          std::span<const std::size_t> suspects,
                                                          int threads);

}  // namespace mx::golden
