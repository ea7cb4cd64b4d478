// Causes of wrong answers to records, whoever gave them: what the search for deviations finds
// (golden/deviation/search.hpp), what else a bench knows of them, and what a waiver has to say.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/deviation/search.hpp"
#include "golden/deviation/waiver.hpp"
#include "sim/causes/causes.hpp"

namespace mx::sim {

/// Wrong answers and right ones, as records.
struct CauseQuestion {
  const golden::VectorHeader& header;
  std::span<const golden::AnswerAt> wrong, right;
  /// Which of the wrong ones also differ where a record has no field; empty: none. No deviation
  /// explains these.
  std::vector<bool> beyond_records = {};
  std::vector<Hypothesis> others = {};  ///< that are no deviations
  /// What the differences of each wrong answer are, in words that others may have in common.
  std::vector<std::vector<std::string>> words;
};

/// Hypotheses that explain the wrong answers between them, single deviations first, the other ones,
/// then two deviations at once. Each has what waives it: its own deviations, else what the first
/// answer that it explains has changed; where that makes every answer that the cause explains, bit
/// for bit, and every right one right.
[[nodiscard]] std::vector<Cause> answer_causes(CauseQuestion question);

}  // namespace mx::sim
