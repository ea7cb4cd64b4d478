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

 private:
  Surface surface_;
  std::vector<BlockInput> stimulus_;
};

/// An input on which hypotheses part, and of each answer to it who gives it.
struct NextInput {
  struct Side {
    std::vector<std::string> names;  ///< of the first members of classes
    BlockAnswer answer;
  };
  BlockInput input;
  std::vector<Side> sides;
};

/// Of the inputs that tell classes from the first, the one after which the fewest of them are left,
/// whatever is answered. Nothing where there is no such input.
[[nodiscard]] std::optional<NextInput> deciding(const Surface& surface,
                                                const std::vector<const HypothesisClass*>& classes);

}  // namespace mx::golden
