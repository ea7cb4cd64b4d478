// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked/block_batch.hpp"

#include <algorithm>
#include <string>

#include "sim/judge/block_record.hpp"

namespace mx::sim {

using golden::Field;
using golden::RecordBatch;

void put_blocks(std::span<const BlockIn> blocks, RecordBatch& batch) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockIn& block = blocks[i];
    if (batch.has(Field::kConfig)) batch.word(Field::kConfig, i) = block.config;
    std::ranges::copy(block.source, batch.of(Field::kSource, i).begin());
    if (batch.has(Field::kRandom)) {
      std::ranges::copy(block.random, batch.of(Field::kRandom, i).begin());
    }
    batch.word(Field::kKeep, i) = block.keep;
    batch.word(Field::kLast, i) = block.last ? 1 : 0;
  }
}

namespace {

void put_results(const BlockOut& answer, RecordBatch& batch, std::size_t i) {
  std::ranges::copy(answer.codes, batch.of(Field::kCode, i).begin());
  batch.word(Field::kScale, i) = answer.scale();
  batch.word(Field::kFlags, i) = answer.status >> 8U;
}

}  // namespace

void put_answers(std::span<const BlockOut> answers, RecordBatch& batch) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    put_results(answers[i], batch, i);
    batch.word(Field::kKeep, i) = answers[i].keep;
    batch.word(Field::kLast, i) = answers[i].last ? 1 : 0;
  }
}

BlockIn block_of(const RecordBatch& batch, std::size_t i) {
  BlockIn block;
  const auto source = batch.of(Field::kSource, i);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    block.source[lane] = static_cast<std::uint32_t>(source[lane]);
    if (!batch.has(Field::kRandom)) continue;
    block.random[lane] = static_cast<std::uint32_t>(batch.of(Field::kRandom, i)[lane]);
  }
  block.config = static_cast<std::uint32_t>(batch.config(i));
  block.keep = static_cast<std::uint32_t>(batch.word(Field::kKeep, i));
  block.last = batch.word(Field::kLast, i) != 0;
  return block;
}

BlockOut answer_of(const RecordBatch& batch, std::size_t i) {
  BlockOut answer;
  const auto codes = batch.of(Field::kCode, i);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    answer.codes[lane] = static_cast<std::uint8_t>(codes[lane]);
  }
  answer.status = static_cast<std::uint16_t>(batch.word(Field::kFlags, i) << 8U |
                                             (batch.word(Field::kScale, i) & 0xFF));
  answer.keep = static_cast<std::uint32_t>(batch.word(Field::kKeep, i));
  answer.last = batch.word(Field::kLast, i) != 0;
  return answer;
}

BlockOpen open_of(const golden::OpenAnswer& open) {
  BlockOpen block;
  block.scale = open.scale;
  block.flags = open.flags;
  block.dont_care = open.dont_care;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool is_open = open.codes || (lane < open.lanes.size() && open.lanes[lane]);
    if (is_open && open.takes_part(lane)) block.lanes |= std::uint32_t{1} << lane;
  }
  block.observed = {open.observed.has(Field::kScale), open.observed.has(Field::kCode),
                    open.observed.has(Field::kFlags), open.observed.has(Field::kKeep),
                    open.observed.has(Field::kLast)};
  return block;
}

golden::Observed observed_of(const Observes& observes) {
  std::vector<Field> hidden;
  const auto add = [&](bool is_given, Field field) {
    if (!is_given) hidden.push_back(field);
  };
  add(observes.scale, Field::kScale);
  add(observes.codes, Field::kCode);
  add(observes.flags, Field::kFlags);
  add(observes.keep, Field::kKeep);
  add(observes.last, Field::kLast);
  return golden::Observed::all_but(hidden);
}

RecordInput input_of(const BlockSource& source) {
  RecordInput input;
  BlockOut ignored;
  input.has_answers = source.size() != 0 && source.answers(0, std::span(&ignored, 1));
  const golden::RecordShape shape = block_header(source.configs()).shape();
  input.fill = [&source, shape, has_answers = input.has_answers](
                   std::uint64_t first, std::uint64_t last, RecordBatch& batch) {
    std::vector<BlockIn> blocks(last - first);
    source.fill(first, blocks);
    // A number that there is not would be another configuration's.
    for (const BlockIn& block : blocks) static_cast<void>(source.configs().at(block.config));
    batch.reset(shape, blocks.size());
    put_blocks(blocks, batch);
    if (!has_answers) return;
    std::vector<BlockOut> answers(blocks.size());
    static_cast<void>(source.answers(first, answers));
    for (std::size_t i = 0; i < answers.size(); ++i) put_results(answers[i], batch, i);
  };
  input.describe = [&source](std::uint64_t i) { return source.describe(i); };
  return input;
}

}  // namespace mx::sim
