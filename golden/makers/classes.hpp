// SPDX-License-Identifier: Apache-2.0
// Hypotheses that explain a log, grouped by what they answer to other inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/identify/surface.hpp"
#include "golden/makers/hypothesis.hpp"

namespace mx::golden {

/// Hypotheses that explain a log and that nothing this module tries tells apart.
struct HypothesisClass {
  std::vector<Hypothesis> members;
  /// An input on which the first member and that of the first class part; nothing for the first.
  std::optional<Difference> from_first;
};

/// Groups of one surface.
class Classes {
 public:
  explicit Classes(const Surface& surface);

  /// Profiles that explain a log, by exact comparison where the stimulus tells nothing.
  [[nodiscard]] std::vector<HypothesisClass> of_profiles(const std::vector<Ruling>& rulings) const;

  /// Deviations by their answers to a stimulus; those that part from none of the profiles that
  /// explain the log are left out.
  [[nodiscard]] std::vector<HypothesisClass> of_deviations(
      const std::vector<Ruling>& profiles, const std::vector<Hypothesis>& found) const;

  /// Inputs that tell profiles apart.
  [[nodiscard]] const std::vector<BlockInput>& stimulus() const { return stimulus_; }

 private:
  Surface surface_;
  std::vector<BlockInput> stimulus_;
};

}  // namespace mx::golden
