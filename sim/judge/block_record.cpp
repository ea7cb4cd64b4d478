#include "sim/judge/block_record.hpp"

#include <algorithm>
#include <array>

namespace mx::sim {

using golden::Field;

golden::VectorHeader block_header(const Configurations& configs) {
  golden::VectorHeader header;
  header.op = golden::Operation::kBlock;
  header.configs = configs;
  header.lanes = kLanes;
  header.sideband = golden::Sideband::kPresent;
  const bool is_drawn = std::ranges::any_of(configs, golden::takes_random);
  if (is_drawn) header.random_words = golden::RandomWords::kPresent;
  header.count = 1;
  return header;
}

BlockRecords::BlockRecords(const golden::VectorHeader& header)
    : record_{golden::RecordBatch(header.shape(), 1), golden::RecordBatch(header.shape(), 1), {}} {
  for (const golden::Configuration& each : header.configs) {
    masks_.push_back(std::get<QuantizerConfig>(each.what).source.code_mask());
  }
}

const BlockRecord& BlockRecords::of(const BlockIn& block, const BlockOut& expected,
                                    const BlockOpen& open, const BlockOut& actual,
                                    Compare compare) {
  const auto fill = [&](golden::RecordBatch& batch, const BlockOut& answer) {
    if (batch.has(Field::kConfig)) batch.word(Field::kConfig, 0) = block.config;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool is_kept = (block.keep >> lane & 1) != 0;
      batch.of(Field::kSource, 0)[lane] = is_kept ? block.source[lane] & masks_[block.config] : 0;
      if (batch.has(Field::kRandom)) batch.of(Field::kRandom, 0)[lane] = block.random[lane];
      batch.of(Field::kCode, 0)[lane] = answer.codes[lane];
    }
    batch.word(Field::kKeep, 0) = block.keep;
    batch.word(Field::kLast, 0) = block.last ? 1 : 0;
    batch.word(Field::kScale, 0) = answer.scale();
    batch.word(Field::kFlags, 0) = answer.status >> 8U;
  };
  fill(record_.expected, expected);
  fill(record_.actual, actual);
  golden::OpenAnswer& answer = record_.open;
  answer = {};
  answer.scale = open.scale || !open.observed.scale;
  answer.flags = open.flags || !open.observed.flags;
  const std::uint32_t lanes = compared_lanes(compare, open) & block.keep;
  answer.lanes.resize(kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) answer.lanes[lane] = (lanes >> lane & 1) == 0;
  return record_;
}

}  // namespace mx::sim
