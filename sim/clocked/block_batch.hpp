// SPDX-License-Identifier: Apache-2.0
// Blocks on streams as records of block_header() (sim/judge/block_record.hpp), and back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/vectors/header.hpp"
#include "sim/block/block.hpp"
#include "sim/block/model.hpp"
#include "sim/score/input.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::sim {

/// The operands of blocks as they are, what a device has to ignore included.
void put_blocks(std::span<const BlockIn> blocks, golden::RecordBatch& batch);
/// The answers of the first records, over what stands there; keep and last as they came out.
void put_answers(std::span<const BlockOut> answers, golden::RecordBatch& batch);

[[nodiscard]] BlockIn block_of(const golden::RecordBatch& batch, std::size_t i);
[[nodiscard]] BlockOut answer_of(const golden::RecordBatch& batch, std::size_t i);
/// What of the answer to a block is not compared.
[[nodiscard]] BlockOpen open_of(const golden::OpenAnswer& open);

/// The fields that a device gives, of records of blocks.
[[nodiscard]] golden::Observed observed_of(const Observes& observes);

/// A source's blocks as records. It must live as long.
[[nodiscard]] RecordInput input_of(const BlockSource& source);

}  // namespace mx::sim
