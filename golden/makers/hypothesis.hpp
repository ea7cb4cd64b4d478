// SPDX-License-Identifier: Apache-2.0
// Hypotheses on who made a log, and what the log says of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/identify/deviation.hpp"
#include "golden/identify/judging.hpp"

namespace mx::golden {

/// A profile, or one with policies changed.
struct Hypothesis {
  Candidate base;
  std::vector<Deviation> changes;
  Subject subject;
  AnswerCounts counts = {};  ///< of the log it was judged on
  /// "te", "te with inf_block=scale_nan"
  [[nodiscard]] std::string name() const;
};

/// The first record that a hypothesis does not explain.
struct Contradiction {
  std::size_t record = 0;  ///< index into the log
  BlockAnswer expected;    ///< in the log's terms: codes, or binary32 values
  OpenParts open;          ///< what of it counts for nothing
};

/// A profile and what a log says about it.
struct Ruling {
  Hypothesis hypothesis;
  bool judged = true;              ///< false: it draws random words, and the log has none
  std::uint64_t contradicted = 0;  ///< records that it does not explain, as far as they count
  std::uint64_t left_open = 0;     ///< records of which it leaves something open
  AnswerCounts counts = {};        ///< zeros where it was not judged
  /// It leaves open every output by which some other profile is contradicted.
  bool is_silent = false;
  std::optional<Contradiction> first;

  [[nodiscard]] bool agrees() const { return judged && contradicted == 0 && counts.compared > 0; }
  /// Agreement of nothing compared is none, and neither is one of nothing that tells.
  [[nodiscard]] bool explains() const { return agrees() && !is_silent; }
};

/// What a log says of every profile.
struct Rulings {
  std::vector<Ruling> list;
  RecordMarks marks;  ///< of the log's records, by the profiles that were judged
};

/// Judges hypotheses that can be judged; what each leaves open counts for nothing. Contradictions
/// are counted among the first `counted` records. The result does not depend on the number of
/// threads.
[[nodiscard]] Rulings rule_on(const ImplementationLog& log,
                              const std::vector<Hypothesis>& hypotheses, int threads,
                              std::uint64_t counted);
/// The same, and every record counts.
[[nodiscard]] Rulings rule_on(const ImplementationLog& log,
                              const std::vector<Hypothesis>& hypotheses, int threads);

/// Has the log the random words that a subject draws?
[[nodiscard]] bool can_judge(const ImplementationLog& log, const Subject& subject);

/// Is a subject that nothing contradicts silent beside these profiles: does it leave open whatever
/// contradicts any of them? Not where nothing contradicts any.
[[nodiscard]] bool is_silent(const ImplementationLog& log, const Subject& subject,
                             const Rulings& profiles);

/// A subject that leaves nothing open.
[[nodiscard]] Subject without_masks(Subject subject);
/// Does a subject leave anything open?
[[nodiscard]] bool has_masks(const Surface& surface, const Subject& subject);

}  // namespace mx::golden
