// SPDX-License-Identifier: Apache-2.0
// Profiles that explain a log on a device that does one thing more than policies say.
#pragma once

#include <string>
#include <vector>

#include "golden/makers/altered.hpp"
#include "golden/makers/classes.hpp"
#include "golden/makers/next_input.hpp"

namespace mx::golden {

/// A hypothesis, and the first record that contradicts it.
struct Contradicted {
  Hypothesis hypothesis;
  std::size_t record = 0;
};

/// A profile, so altered.
struct AlteredHypothesis {
  Hypothesis base;
  const Alteration* alteration = nullptr;
  std::size_t record = 0;  ///< one that contradicts the profile as it is
  /// "te with the scale of the block before shown"
  [[nodiscard]] std::string name() const;
};

/// Those that explain a log and that no input tried tells apart.
struct AlteredClass {
  std::vector<AlteredHypothesis> members;
};

/// Which alterations are tried.
enum class Tried : std::uint8_t {
  kAll,
  kRandomWords  ///< those of random words, on what draws any
};

/// Alterations of hypotheses under which they explain every record. What leaves the log as it is
/// explains nothing, and what changes one output of it may do so by chance.
[[nodiscard]] std::vector<AlteredClass> explained_structures(
    const ImplementationLog& log, const std::vector<Contradicted>& hypotheses,
    const Classes& classes, Tried tried, int threads);

/// The hypothesis outlives the respondent.
[[nodiscard]] Respondent respondent_of(const Surface& surface, const AlteredHypothesis& hypothesis);

}  // namespace mx::golden
