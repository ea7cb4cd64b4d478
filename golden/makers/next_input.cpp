// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/next_input.hpp"

#include <algorithm>
#include <utility>

namespace mx::golden {
namespace {

/// How many explanations an answer leaves at most: those that give it, and those that leave it
/// open.
struct Parting {
  NextInput decision;
  std::size_t open = 0;

  [[nodiscard]] std::size_t left() const {
    std::size_t most = 0;
    for (const NextInput::Side& side : decision.sides) most = std::max(most, side.names.size());
    return most + open;
  }
};

Parting parting_at(std::span<const Respondent> respondents, const BlockInput& input) {
  Parting parting{.decision = {.input = input, .sides = {}}};
  for (const Respondent& each : respondents) {
    const std::optional<BlockAnswer> answer = each.answer(input);
    if (!answer) {
      ++parting.open;
      continue;
    }
    const auto same =
        std::ranges::find_if(parting.decision.sides,
                             [&](const NextInput::Side& side) { return side.answer == *answer; });
    NextInput::Side& side =
        same == parting.decision.sides.end() ? parting.decision.sides.emplace_back() : *same;
    side.answer = *answer;
    side.names.push_back(each.name);
  }
  return parting;
}

}  // namespace

Respondent respondent_of(const Surface& surface, const Hypothesis& hypothesis) {
  return {hypothesis.name(), [&](const BlockInput& input) -> std::optional<BlockAnswer> {
            if (open_parts(surface, hypothesis.subject, input).any()) return std::nullopt;
            return answer_of(surface, hypothesis.subject, input);
          }};
}

std::optional<NextInput> deciding(std::span<const Respondent> respondents,
                                  std::span<const BlockInput> inputs) {
  std::optional<Parting> best;
  for (const BlockInput& input : inputs) {
    Parting found = parting_at(respondents, input);
    const bool parts = found.decision.sides.size() > 1;
    if (parts && (!best || found.left() < best->left())) best = std::move(found);
  }
  if (!best) return std::nullopt;
  return std::move(best->decision);
}

}  // namespace mx::golden
