// SPDX-License-Identifier: Apache-2.0
#include "sim/record/worker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/dut/dut.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::RecordBatch;

/// Lanes of records that are offered at once; streams take a segment.
constexpr std::uint64_t kPieceLanes = 32768;
constexpr std::uint64_t kStreamLanes = 65536;

std::uint64_t piece_of(const golden::VectorHeader& header) {
  const bool is_stream = header.sideband == golden::Sideband::kPresent;
  return std::max<std::uint64_t>(
      1, (is_stream ? kStreamLanes : kPieceLanes) / static_cast<std::uint64_t>(header.lanes));
}

/// The fields of the answers alone.
golden::RecordShape answers_of(golden::RecordShape shape) {
  std::erase_if(shape.fields, [](const auto& each) { return !golden::is_result(each.field); });
  return shape;
}

ScoreOptions with_device(ScoreOptions options, const RecordDevice& device) {
  options.observed = options.observed & device.observes();
  return options;
}

}  // namespace

RunWorker::RunWorker(const golden::VectorHeader& header, const RecordInput& input,
                     RecordDevice& device, const RecordRunOptions& options)
    : header_(header),
      input_(input),
      device_(device),
      score_options_(with_device(options, device)),
      codec_(answers_of(header.shape())),
      reference_(header),
      scoreboard_(header, input, score_options_),
      piece_(piece_of(header)) {}

std::optional<ProtocolFailure> RunWorker::run(const Segment& segment, const TakeBytes& take) {
  offered_ = taken_ = 0;
  is_reordered_ = false;
  scoreboard_.start_segment();
  const std::string what = what_broke(segment, take);
  if (what.empty()) return std::nullopt;
  return ProtocolFailure{segment.first, segment.last, what, scoreboard_.shift_text()};
}

std::string RunWorker::what_broke(const Segment& segment, const TakeBytes& take) {
  const auto is_over = [&] { return std::chrono::steady_clock::now() > segment.deadline; };
  const std::string over = fmt::format("{}: the time limit is over (watchdog)", device_.name());
  try {
    device_.run_segment(
        header_, segment,
        [&](RecordBatch& batch) {
          if (is_over()) throw DutError(over);
          return next(segment, batch);
        },
        [&](const RecordBatch& batch) { take_answers(segment, batch, take); });
  } catch (const DutError& error) {
    return error.what();
  }
  if (is_over()) return over;
  if (taken_ != segment.last - segment.first) {
    return fmt::format("{}: {} of {} records answered", device_.name(), taken_,
                       segment.last - segment.first);
  }
  if (!is_reordered_) return {};
  return fmt::format(
      "{}: blocks changed places: the wrong answers are the right ones of near neighbours; broken: "
      "answers come in the order of the blocks (spec R6)",
      device_.name());
}

bool RunWorker::next(const Segment& segment, RecordBatch& batch) {
  const std::uint64_t first = segment.first + offered_;
  if (first == segment.last) return false;
  const std::uint64_t last = std::min(first + piece_, segment.last);
  input_.fill(first, last, last_offered_);
  batch = last_offered_;
  const bool reads_open = header_.sideband == golden::Sideband::kAbsent;
  if (reads_open && !input_.has_answers && batch.has(Field::kOpen)) {
    reference_.answer(batch, 0, batch.size());
    golden::fill_open(reference_, batch);
  }
  offered_ += last - first;
  // The device must not see what is expected.
  clear_results(batch);
  return true;
}

void RunWorker::take_answers(const Segment& segment, const RecordBatch& actual,
                             const TakeBytes& take) {
  if (actual.empty()) return;
  // Answers mostly come for what was offered last.
  const bool is_last = taken_ + actual.size() == offered_ && actual.size() == last_offered_.size();
  scoreboard_.take(segment.first + taken_, actual, is_last ? &last_offered_ : nullptr);
  is_reordered_ = is_reordered_ || scoreboard_.looks_reordered();
  taken_ += actual.size();
  take(packed(actual));
}

std::span<const std::byte> RunWorker::packed(const RecordBatch& actual) {
  bytes_.resize(actual.size() * codec_.record_bytes());
  codec_.pack(storable(actual), 0, actual.size(), bytes_.data());
  return bytes_;
}

/// Words that are no codes, as the bits that a record has room for.
const RecordBatch& RunWorker::storable(const RecordBatch& batch) {
  const auto fits = [&](const golden::FieldShape& each) {
    const int bits = 8 * each.bytes;
    return !golden::is_result(each.field) || bits == 64 ||
           std::ranges::none_of(batch.all(each.field),
                                [&](std::uint64_t word) { return word >> bits != 0; });
  };
  if (std::ranges::all_of(codec_.shape().fields, fits)) return batch;
  cut_ = batch;
  for (const golden::FieldShape& each : codec_.shape().fields) {
    if (!golden::is_result(each.field) || each.bytes == 8) continue;
    const std::uint64_t most = (std::uint64_t{1} << (8 * each.bytes)) - 1;
    for (std::uint64_t& word : cut_.all(each.field)) word = std::min(word, most);
  }
  return cut_;
}

}  // namespace mx::sim
