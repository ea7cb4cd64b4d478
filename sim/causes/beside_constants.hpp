// SPDX-License-Identifier: Apache-2.0
// Causes of a device with fields that it does not compute: these first, then those of the rest.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sim/causes/causes.hpp"
#include "sim/causes/constant_fields.hpp"

namespace mx::sim {

/// `leave_out(answer, field)` makes it not compared, `is_right(answer)` says what is left of it,
/// `number(answer)` which it is; `causes(wrong, right)` finds those of the rest.
template <typename Answer, typename LeaveOut, typename IsRight, typename Number, typename Causes>
std::vector<Cause> causes_beside_constants(std::span<const ConstantField> constant,
                                           std::span<const Answer> wrong,
                                           std::span<const Answer> right, LeaveOut leave_out,
                                           IsRight is_right, Number number, Causes causes) {
  const auto without = [&](Answer answer) {
    for (const ConstantField& each : constant) leave_out(answer, each.field);
    return answer;
  };
  Cause cause;
  for (const ConstantField& each : constant) {
    cause.text += (cause.text.empty() ? "" : "; ") + each.text;
  }
  if (!wrong.empty()) cause.first = number(wrong.front());
  std::vector<Answer> rest, others;
  for (const Answer& each : wrong) {
    Answer left = without(each);
    if (!is_right(left)) {
      rest.push_back(std::move(left));
    } else if (cause.count++ == 0) {
      cause.first = number(each);
    }
  }
  for (const Answer& each : right) others.push_back(without(each));
  std::vector<Cause> all = causes(std::span<const Answer>(rest), std::span<const Answer>(others));
  all.insert(all.begin(), std::move(cause));
  return all;
}

}  // namespace mx::sim
