// SPDX-License-Identifier: Apache-2.0
// Faults of the list as hypotheses: of blocks on streams, and of records that are such blocks.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/deviation/waiver.hpp"
#include "sim/block/block.hpp"
#include "sim/block/model.hpp"
#include "sim/causes/causes.hpp"

namespace mx::sim {

/// A block that a device has answered.
struct AnsweredBlock {
  BlockIn block;
  std::optional<BlockIn> previous;                     ///< the one before it, where that is known
  std::function<bool(const BlockOut&)> is_given = {};  ///< is this what the device answered?
};

/// Have records of this header blocks that streams could carry?
[[nodiscard]] bool are_like_streams(const golden::VectorHeader& header);

/// A record of such a header. `previous`: the record before it, or nullptr. All must live as long.
[[nodiscard]] AnsweredBlock answered_block(const golden::AnswerAt& at,
                                           const golden::RecordBatch* previous);

/// Faults that explain something and contradict no right answer.
[[nodiscard]] std::vector<Hypothesis> fault_hypotheses(std::span<const AnsweredBlock> wrong,
                                                       std::span<const AnsweredBlock> right,
                                                       const Configurations& configs);

}  // namespace mx::sim
