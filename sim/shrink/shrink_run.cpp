#include "sim/shrink/shrink_run.hpp"

#include <algorithm>

#include "sim/record/interrupt.hpp"

namespace mx::sim {
namespace {

/// Cycles whose stalls and resets are listed one by one.
constexpr std::uint64_t kListedCycles = 1024;

std::chrono::steady_clock::time_point end_of(const ShrinkLimits& limits) {
  return std::chrono::steady_clock::now() + limits.time;
}

/// The blocks that failed, from the fewest up: alone, with those before them, the whole segment.
std::vector<BlockRange> ranges_of(const RunResult& result, const RunOptions& options,
                                  std::uint64_t size) {
  const bool is_protocol = !result.failures.empty();
  const std::uint64_t at =
      is_protocol ? result.failures.front().first : result.mismatches.front().index;
  const std::uint64_t length = options.segment_blocks;
  const std::uint64_t start = at - at % length;
  const std::uint64_t first = std::max(start, options.first);
  const std::uint64_t last = std::min({start + length, options.last, size});
  if (is_protocol) return {{first, last}};
  return {{at, at + 1}, {first, at + 1}, {first, last}};
}

Case case_of(const BlockSource& source, const BlockRange& range, const DriveOptions& drive) {
  std::vector<BlockIn> blocks(range.last - range.first);
  source.fill(range.first, blocks);
  return without_idle_configurations(stream_case(source.configs(), blocks, drive));
}

class StreamShrinker {
 public:
  StreamShrinker(StreamSetting setting, StreamOutcome failure, const ShrinkLimits& limits)
      : setting_(std::move(setting)), failure_(std::move(failure)), probe_(setting_.make()) {
    options_.most_tries = limits.most_tries;
    options_.deadline = end_of(limits);
    options_.slots = stream_slots;
    options_.refusal = [this](const golden::Configuration& each) {
      return probe_->refusal(std::get<QuantizerConfig>(each.what));
    };
    options_.fails = [this](const Case& candidate) {
      return run_case(candidate, setting_).fails_like(failure_);
    };
  }

  SmallStream shrink(const Case& start) {
    Shrunk shrunk = mx::sim::shrink(start, options_);
    const Case listed = with_listed_cycles(shrunk.failure, setting_, kListedCycles);
    const bool has_schedule = listed.input_stall.kind == Stall::kAt ||
                              listed.output_stall.kind == Stall::kAt ||
                              listed.reset.kind == ResetPlan::Kind::kAt;
    if (shrunk.is_minimal && has_schedule && options_.fails(listed)) {
      const std::uint64_t before = shrunk.tries + 1;
      options_.most_tries -= std::min(options_.most_tries, before);
      shrunk = mx::sim::shrink(listed, options_);
      shrunk.tries += before;
    }
    SmallStream small{std::move(shrunk),
                      setting_,
                      {},
                      start.questions.size(),
                      words_in_use(start, stream_slots),
                      0};
    small.words = words_in_use(small.shrunk.failure, stream_slots);
    small.failure = run_case(small.shrunk.failure, setting_);
    return small;
  }

 private:
  StreamSetting setting_;
  StreamOutcome failure_;
  std::unique_ptr<Dut> probe_;
  ShrinkOptions options_;
};

}  // namespace

std::optional<FailingStream> failing_stream(const BlockSource& source, const RunResult& result,
                                            const RunOptions& options, const DutFactory& make,
                                            const ShrinkLimits& limits) {
  if (result.failures.empty() && result.mismatches.empty()) return {};
  for (const BlockRange& range : ranges_of(result, options, source.size())) {
    const auto segment = static_cast<std::uint32_t>(range.first / options.segment_blocks);
    const StreamSetting setting{make,    options.compare, options.observed, options.seed,
                                segment, limits.time,     options.waivers};
    const Case start = case_of(source, range, drive_of_segment(options, segment));
    const StreamOutcome failure = run_case(start, setting);
    // Blocks that changed places are a protocol failure of the run, and wrong ones of a case.
    const bool is_like =
        failure.has_failed() && (!result.failures.empty() || failure.protocol.empty());
    if (is_like) return FailingStream{start, setting, failure};
  }
  return {};
}

std::optional<SmallStream> shrink_stream(const BlockSource& source, const RunResult& result,
                                         const RunOptions& options, const DutFactory& make,
                                         const ShrinkLimits& limits) {
  const auto failing = failing_stream(source, result, options, make, limits);
  if (!failing) return {};
  return StreamShrinker(failing->setting, failing->outcome, limits).shrink(failing->failure);
}

std::optional<SmallRecords> shrink_records(const golden::RecordBatch& records,
                                           const RecordRun& seen, const RecordSetting& setting,
                                           const ShrinkLimits& limits) {
  const Case start = record_case(setting.header, records);
  const std::optional<RecordRun> failure = run_case(start, setting);
  if (!failure || !fails_like(*failure, seen)) return {};
  const Slots slots = [&](const golden::Configuration& each) {
    return record_slots(setting.header, each);
  };
  ShrinkOptions options;
  options.most_tries = limits.most_tries;
  options.deadline = end_of(limits);
  options.slots = slots;
  options.refusal = [](const golden::Configuration&) { return std::string(); };
  options.fails = [&](const Case& candidate) {
    const auto found = run_case(candidate, setting);
    if (InterruptWatch::caught() != 0) options.deadline = {};
    return found && fails_like(*found, *failure);
  };
  SmallRecords small{shrink(start, options),     setting, {}, start.questions.size(),
                     words_in_use(start, slots), 0};
  small.words = words_in_use(small.shrunk.failure, slots);
  small.failure = run_case(small.shrunk.failure, setting).value();
  return small;
}

}  // namespace mx::sim
