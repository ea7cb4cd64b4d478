// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked/device.hpp"

#include <utility>

#include "sim/clocked/block_batch.hpp"

namespace mx::sim {

void ClockedTally::add(const DriveStats& segment) {
  const std::lock_guard lock(mutex_);
  DriveStats& sum = totals_.drive;
  sum.cycles += segment.cycles;
  sum.offered += segment.offered;
  sum.collected += segment.collected;
  sum.resets += segment.resets;
  sum.input_stalls += segment.input_stalls;
  sum.output_stalls += segment.output_stalls;
  if (segment.resets != 0) ++totals_.reset_segments;
  if (segment.input_stalls + segment.output_stalls != 0) ++totals_.stalled_segments;
}

void ClockedTally::add(const ProtocolCoverage& coverage) {
  const std::lock_guard lock(mutex_);
  if (totals_.protocol) {
    totals_.protocol->add(coverage);
  } else {
    totals_.protocol = coverage;
  }
}

ClockedDevice::ClockedDevice(std::unique_ptr<Dut> dut, const Configurations& configs,
                             std::uint64_t seed, DriveOf drive_of, ClockedTally& tally)
    : dut_(std::move(dut)), drive_of_(std::move(drive_of)), tally_(tally) {
  dut_->configure({configs, seed});
  // A device that keeps time itself has no cycles.
  if (dut_->patience() != 0) protocol_.emplace(dut_->depth(), configs.size());
}

ClockedDevice::~ClockedDevice() {
  if (protocol_) tally_.add(*protocol_);
}

golden::Observed ClockedDevice::observes() const { return observed_of(dut_->observes()); }

void ClockedDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                        const TakeAnswers& take) {
  run_segment(header, {0, 0, header.count}, next, take);
}

void ClockedDevice::run_segment(const golden::VectorHeader& header, const Segment& segment,
                                const NextRecords& next, const TakeAnswers& take) {
  static_cast<void>(header);
  golden::RecordBatch& records = records_;
  records.resize(0);
  while (next(batch_)) {
    if (records.empty()) {
      std::swap(records, batch_);
    } else {
      records.append(batch_, 0, batch_.size());
    }
  }
  std::vector<BlockIn>& blocks = blocks_;
  blocks.clear();
  for (std::size_t i = 0; i < records.size(); ++i) blocks.push_back(block_of(records, i));
  DriveOptions options = drive_of_(segment.number);
  options.coverage = protocol_ ? &*protocol_ : nullptr;
  options.first = segment.first;
  options.deadline = segment.deadline;
  std::vector<BlockOut>& answers = answers_;
  answers.clear();
  const auto take_all = [&] {
    records.resize(answers.size());
    put_answers(answers, records);
    take(records);
  };
  try {
    tally_.add(drive(*dut_, blocks, options,
                     [&](std::size_t, const BlockOut& answer) { answers.push_back(answer); }));
  } catch (const DutError&) {
    take_all();
    throw;
  }
  take_all();
}

}  // namespace mx::sim
