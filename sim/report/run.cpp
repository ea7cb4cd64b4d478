#include "sim/report/run.hpp"

#include <algorithm>
#include <utility>

#include "sim/clocked/block_batch.hpp"
#include "sim/clocked/block_result.hpp"
#include "sim/clocked/schedule.hpp"
#include "sim/judge/block_record.hpp"

namespace mx::sim {
namespace {

// The segments of this shard, cut to the range asked for.
std::vector<Segment> plan(std::uint64_t size, const RunOptions& options) {
  std::vector<Segment> segments;
  const std::uint64_t length = options.segment_blocks;
  const std::uint64_t end = std::min(size, options.last);
  if (options.first >= end) return segments;
  for (std::uint64_t s = options.first / length; s * length < end; ++s) {
    if (s % options.shards != options.shard) continue;
    segments.push_back({static_cast<std::uint32_t>(s), std::max(s * length, options.first),
                        std::min((s + 1) * length, end)});
  }
  return segments;
}

RecordRunOptions record_options(const RunOptions& options, std::vector<Segment> segments) {
  RecordRunOptions record;
  record.keep_mismatches = options.keep_mismatches;
  record.judge = options.judge;
  record.judges = options.judges;
  record.make_certificate = options.make_certificate;
  record.compare = options.compare;
  record.observed = observed_of(options.observed);
  record.waivers = options.waivers;
  record.segments = std::move(segments);
  record.threads = options.threads;
  record.stop_after = options.stop_after;
  record.time_limit = options.time_limit;
  record.interrupted = options.interrupted;
  return record;
}

std::vector<Mismatch> mismatches_of(const std::vector<RecordMismatch>& records, Compare compare) {
  std::vector<Mismatch> all;
  for (const RecordMismatch& each : records) all.push_back(mismatch_of(each, compare));
  return all;
}

std::vector<Disagreement> disagreements_of(const RecordRun& run, const BlockSource& source) {
  std::vector<Disagreement> all;
  for (const RecordDisagreement& each : run.disagreements) {
    Disagreement found;
    found.index = each.number;
    source.fill(each.number, std::span(&found.block, 1));
    found.lane = each.field == golden::Field::kScale ? -1 : static_cast<int>(each.lane);
    if (found.lane >= 0) found.source = each.record.of(golden::Field::kSource, 0)[each.lane];
    found.scale = each.record.word(golden::Field::kScale, 0);
    found.expected = each.expected;
    found.certified = each.certified;
    all.push_back(found);
  }
  return all;
}

RunResult result_of(RecordRun&& run, const ClockedTotals& totals, const BlockSource& source,
                    const RunOptions& options) {
  RunResult result;
  result.configs = source.configs();
  result.tallies = TallyTable(run.by_config.size());
  for (std::size_t c = 0; c < run.by_config.size(); ++c) {
    result.tallies.at(static_cast<std::uint32_t>(c)) =
        tally_of(run.by_config[c], run.certified.empty() ? CertificateCounts{} : run.certified[c]);
  }
  result.drive = totals.drive;
  result.protocol = totals.protocol;
  result.mismatches = mismatches_of(run.mismatches, options.compare);
  result.first_of_each = mismatches_of(run.first_of_each, options.compare);
  // They are asked about causes of wrong ones alone.
  if (!run.mismatches.empty()) result.right = mismatches_of(run.right, options.compare);
  for (ProtocolFailure each : run.failures) {
    if (!each.shift.empty()) each.what += "; " + std::exchange(each.shift, {});
    result.failures.push_back(std::move(each));
  }
  result.waivers = run.waivers;
  result.judge = options.judge;
  result.disagreements = disagreements_of(run, source);
  result.disagreed = run.disagreed;
  result.declared = run.declared;
  result.segments = run.segments;
  result.reset_segments = totals.reset_segments;
  result.stalled_segments = totals.stalled_segments;
  result.seconds = run.seconds;
  result.interrupted = run.interrupted;
  result.digest = run.digest;
  result.records = std::move(run);
  return result;
}

}  // namespace

DriveOptions drive_of_segment(const RunOptions& options, std::uint32_t segment) {
  return drive_of_segment(options.schedule, options.seed, segment);
}

int RunResult::exit_code() const {
  constexpr int kByASignal = 128;  // as shells say it
  if (interrupted != 0) return kByASignal + interrupted;
  const Tally total = tallies.total();
  const bool is_nothing = failures.empty() && total.blocks == total.unjudged;
  if (disagreed != 0 && !is_nothing) return 6;
  if (!failures.empty()) return 4;
  if (total.bad_blocks != 0) return 1;
  if (total.blocks == total.unjudged) return 3;
  const bool complete =
      total.blocks == declared && drive.offered == declared && drive.collected == declared;
  if (!complete) return 4;
  return waivers.has_failed() ? 1 : 0;
}

RunResult run(const BlockSource& source, const DutFactory& make_dut, const RunOptions& options) {
  const std::vector<Segment> segments = plan(source.size(), options);
  if (segments.empty()) throw StimulusError("no blocks to run: zero cases are a failure");
  std::uint64_t declared = 0;
  for (const Segment& each : segments) declared += each.last - each.first;
  golden::VectorHeader header = block_header(source.configs());
  header.count = declared;
  RecordRunOptions record = record_options(options, segments);
  std::uint64_t done = 0;
  if (options.progress) {
    record.progress = [&](std::uint64_t more) { options.progress(done += more, declared); };
  }
  ClockedTally tally;
  RecordRun run = run_records(
      header, input_of(source),
      [&] {
        return std::make_unique<ClockedDevice>(
            make_dut(), source.configs(), options.seed,
            [&](std::uint32_t segment) { return drive_of_segment(options, segment); }, tally);
      },
      record);
  return result_of(std::move(run), tally.totals(), source, options);
}

std::vector<BlockRange> run_ranges(std::uint64_t size, const RunOptions& options) {
  std::vector<BlockRange> ranges;
  for (const Segment& segment : plan(size, options))
    ranges.push_back({segment.first, segment.last});
  return ranges;
}

}  // namespace mx::sim
