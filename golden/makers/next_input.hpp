// SPDX-License-Identifier: Apache-2.0
// The input that decides between explanations of a log: what each of them answers to it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/identify/surface.hpp"
#include "golden/makers/hypothesis.hpp"

namespace mx::golden {

/// An explanation that can be asked.
struct Respondent {
  std::string name;
  /// Its answer as a log has it; nothing where it leaves any of it open.
  std::function<std::optional<BlockAnswer>(const BlockInput&)> answer;
};

/// A hypothesis on a surface; both outlive the respondent.
[[nodiscard]] Respondent respondent_of(const Surface& surface, const Hypothesis& hypothesis);

/// An input on which explanations part, and of each answer to it who gives it.
struct NextInput {
  struct Side {
    std::vector<std::string> names;
    BlockAnswer answer;
  };
  BlockInput input;
  std::vector<Side> sides;
};

/// Of some inputs the one after which the fewest explanations are left, whatever is answered: the
/// first of those. Nothing where none parts any two.
[[nodiscard]] std::optional<NextInput> deciding(std::span<const Respondent> respondents,
                                                std::span<const BlockInput> inputs);

}  // namespace mx::golden
