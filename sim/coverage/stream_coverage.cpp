#include "sim/coverage/stream_coverage.hpp"

#include <algorithm>
#include <bit>

#include "golden/answers/answers.hpp"

namespace mx::sim {

using golden::Field;

StreamCoverage::StreamCoverage(const Configurations& configs, std::uint32_t first,
                               std::uint32_t last)
    : first_(first), samples_(last - first) {
  header_.op = golden::Operation::kBlock;
  header_.configs.assign(configs.begin() + first, configs.begin() + last);
  header_.lanes = kLanes;
  header_.lengths = golden::Lengths::kVary;
  header_.random_words = golden::RandomWords::kPresent;
  batch_ = golden::RecordBatch(header_.shape(), 1);
  for (std::size_t c = 0; c < header_.configs.size(); ++c) {
    collectors_.push_back(golden::make_collector(header_, c));
  }
}

void StreamCoverage::sample(const BlockIn& block, const BlockOut& expected, const BlockOpen& open) {
  if (block.config < first_ || block.config - first_ >= collectors_.size()) return;
  const std::size_t config = block.config - first_;
  const auto& quantizer = std::get<QuantizerConfig>(header_.configs[config].what);
  std::array<std::uint64_t, kLanes> source{};
  source_codes(block, quantizer.source, source);
  const int kept = std::popcount(block.keep);
  const bool is_prefix = std::countr_one(block.keep) == kept && kept != 0;
  batch_.word(Field::kElements, 0) = static_cast<std::uint64_t>(is_prefix ? kept : kLanes);
  std::ranges::copy(source, batch_.of(Field::kSource, 0).begin());
  std::ranges::copy(block.random, batch_.of(Field::kRandom, 0).begin());
  std::ranges::copy(expected.codes, batch_.of(Field::kCode, 0).begin());
  batch_.word(Field::kScale, 0) = expected.scale();
  batch_.word(Field::kFlags, 0) = static_cast<std::uint64_t>(expected.status) >> 8;
  store(open);
  collectors_[config]->sample(batch_, 0, golden::NotCompared(open_));
  ++samples_[config];
}

void StreamCoverage::store(const BlockOpen& open) {
  golden::OpenAnswer answer;
  answer.scale = open.scale || !open.observed.scale;
  answer.flags = open.flags || !open.observed.flags;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    answer.lanes.push_back((open.lanes >> lane & 1) != 0 || !open.observed.codes);
  }
  golden::store_open(answer, open_);
}

std::vector<golden::Covergroup> StreamCoverage::groups() const {
  std::vector<golden::Covergroup> groups;
  for (std::size_t c = 0; c < collectors_.size(); ++c) {
    golden::Covergroup group = golden::group_of(header_, c);
    group.samples = samples_[c];
    group.points = collectors_[c]->points();
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace mx::sim
