// A failure as data that can be made smaller: the questions put to a device, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/format/format.hpp"
#include "sim/block/model.hpp"
#include "sim/drive/reset_plan.hpp"
#include "sim/drive/stall.hpp"

namespace mx::sim {

/// What one word of a question may hold.
struct Slot {
  const ElementFormat* format = nullptr;  ///< a code of it; nullptr: a number
  std::uint64_t mask = ~std::uint64_t{0};
  std::uint64_t rest = 0;  ///< the simplest value
  bool operator==(const Slot&) const = default;
};

/// A block on streams or a record, as words in the order of its kind's slots.
struct Question {
  std::uint32_t config = 0;
  std::vector<std::uint64_t> words;
  bool operator==(const Question&) const = default;
};

/// Everything that decides what a device answers, its own state at the start apart. Records have no
/// stalls and no resets.
struct Case {
  Configurations configs;
  std::vector<Question> questions;
  StallPlan input_stall, output_stall;
  ResetPlan reset;
};

/// The slots of questions under a configuration.
using Slots = std::function<std::vector<Slot>(const golden::Configuration&)>;

/// Words that are not at rest, in all questions.
[[nodiscard]] std::size_t words_in_use(const Case& failure, const Slots& slots);

/// The case without configurations that no question has.
[[nodiscard]] Case without_idle_configurations(const Case& failure);

}  // namespace mx::sim
