// SPDX-License-Identifier: Apache-2.0
#include "sim/causes/fault_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "golden/answers/verdict.hpp"
#include "golden/deviation/search.hpp"
#include "sim/block/faulty_model.hpp"
#include "sim/dut/reference.hpp"

namespace mx::sim {
namespace {

using golden::Field;

BlockIn block_in(const golden::RecordBatch& batch, std::size_t i) {
  BlockIn block;
  const std::size_t n = std::min<std::size_t>(batch.elements(Field::kSource, i), kLanes);
  for (std::size_t lane = 0; lane < n; ++lane) {
    block.source[lane] = static_cast<std::uint32_t>(batch.of(Field::kSource, i)[lane]);
    if (!batch.has(Field::kRandom)) continue;
    block.random[lane] = static_cast<std::uint32_t>(batch.of(Field::kRandom, i)[lane]);
  }
  block.config = static_cast<std::uint32_t>(batch.config(i));
  // A short block is one of lanes that are not kept.
  if (n < kLanes) block.keep = (std::uint32_t{1} << n) - 1;
  if (batch.has(Field::kKeep)) block.keep = static_cast<std::uint32_t>(batch.word(Field::kKeep, i));
  if (batch.has(Field::kLast)) block.last = batch.word(Field::kLast, i) != 0;
  return block;
}

bool is_given(const golden::AnswerAt& at, const BlockOut& answer) {
  const auto differs = [&](Field field, std::size_t lane, std::uint64_t word) {
    return golden::is_wrong(at.open, field, lane, word, at.actual.of(field, at.i)[lane]);
  };
  if (differs(Field::kScale, 0, answer.scale())) return false;
  if (at.actual.has(Field::kFlags) && differs(Field::kFlags, 0, answer.status >> 8U)) return false;
  for (std::size_t lane = 0; lane < at.actual.lanes(Field::kCode); ++lane) {
    if (differs(Field::kCode, lane, answer.codes[lane])) return false;
  }
  return true;
}

}  // namespace

bool are_like_streams(const golden::VectorHeader& header) {
  if (header.op != golden::Operation::kBlock || header.lanes != kLanes) return false;
  const ReferenceDut streams;
  return std::all_of(header.configs.begin(), header.configs.end(),
                     [&](const golden::Configuration& each) {
                       return streams.refusal(std::get<QuantizerConfig>(each.what)).empty();
                     });
}

AnsweredBlock answered_block(const golden::AnswerAt& at, const golden::RecordBatch* previous) {
  AnsweredBlock asked{block_in(at.expected, at.i), {}, {}};
  if (previous != nullptr) asked.previous = block_in(*previous, 0);
  asked.is_given = [at](const BlockOut& answer) { return is_given(at, answer); };
  return asked;
}

std::vector<Hypothesis> fault_hypotheses(std::span<const AnsweredBlock> wrong,
                                         std::span<const AnsweredBlock> right,
                                         const Configurations& configs) {
  const golden::Evidence evidence{
      .wrong = wrong.size(), .right = right.size(), .device = {}, .concerns = {}};
  std::vector<Hypothesis> list;
  for (const Fault& fault : all_faults()) {
    if (fault.port != PortFault::kNone) continue;
    FaultyModel model(fault, configs);
    auto explained = golden::explained_by(evidence, [&](std::size_t i) {
      const AnsweredBlock& asked = i < wrong.size() ? wrong[i] : right[i - wrong.size()];
      BlockOut answer;
      model.answer(asked.block, asked.previous ? &*asked.previous : nullptr, answer);
      if (asked.is_given(answer)) return true;
      // A reset may have come between.
      model.answer(asked.block, nullptr, answer);
      return asked.is_given(answer);
    });
    if (!explained) continue;
    std::string text = fmt::format("broken: {}; as {} does", fault.breaks, fault.token);
    list.push_back({Hypothesis::Kind::kDefect, std::move(text), *std::move(explained)});
  }
  return list;
}

}  // namespace mx::sim
