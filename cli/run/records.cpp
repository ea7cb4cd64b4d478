// `mxgold run` over records: programs, and whatever has no streams of 32 lanes.
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>

#include "cli/base/by_signal.hpp"
#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/run/cover.hpp"
#include "cli/run/options.hpp"
#include "cli/run/page.hpp"
#include "cli/run/record_report.hpp"
#include "cli/run/shrink.hpp"
#include "cli/text/colour.hpp"
#include "cli/vectors/verify_oracle.hpp"
#include "cli/vectors/waiver_file.hpp"
#include "cli/waves/waves.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/device/fits.hpp"
#include "sim/dut/reference.hpp"
#include "sim/process/process.hpp"
#include "sim/record/causes.hpp"
#include "sim/record/interrupt.hpp"
#include "sim/record/reference.hpp"
#include "sim/record/run.hpp"

namespace mx::cli {
namespace {

using golden::RecordBatch;

/// The records to run, with the header that says so.
struct Records {
  std::shared_ptr<golden::VectorHeader> header;
  sim::RecordInput input;
  golden::Observed observed;
  std::uint64_t first = 0;
  std::uint64_t whole = 0;  ///< records of all shards
  std::string name;
  std::string held;  ///< what the stimulus of a suite was held to
};

Records records_of_file(const RunCommand& command) {
  Records records;
  records.header = std::make_shared<golden::VectorHeader>();
  const auto all = std::make_shared<const RecordBatch>(
      golden::read_records(command.vectors_path, *records.header, emulators::make_cast));
  records.input.has_answers = true;
  records.input.fill = [all, header = records.header](std::uint64_t first, std::uint64_t last,
                                                      RecordBatch& batch) {
    batch = RecordBatch(header->shape());
    batch.append(*all, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  };
  records.name = command.vectors;
  records.whole = records.header->count;
  return records;
}

Records records_of_plan(const RunCommand& command, const sim::DutKind& kind) {
  const GenOptions options = gen_options_of(command, kind);
  const GenPlan plan = plan_gen(options);
  Records records;
  records.header = plan.header;
  records.first = plan.first;
  records.whole = plan.whole;
  records.input.fill = plan.fill;
  if (kind.is_described) {
    const sim::Description description = described(command);
    records.held = description.not_built + sim::assumed_text(description);
    records.input.fill = [fill = plan.fill, device = description](
                             std::uint64_t first, std::uint64_t last, RecordBatch& batch) {
      fill(first, last, batch);
      sim::assume(device, batch);
    };
  }
  records.name = options.input.empty() ? "suite " + plan.header->suite : options.input;
  return records;
}

/// Parts that a farm may make. A module keeps state from record to record and begins every part
/// anew, so each has to be long enough for all schedules.
std::uint64_t record_parts(const sim::DutKind& kind, const golden::VectorHeader& header) {
  constexpr std::uint64_t kLeast = 4096;  // records
  if (!kind.is_described && !kind.is_plugin) return header.count;
  return std::max<std::uint64_t>(1, header.count / kLeast);
}

/// How the handshakes of a module with a clock were driven.
std::vector<std::pair<std::string, std::string>> schedule_facts(const RunCommand& command,
                                                                const sim::DutKind& kind) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!kind.is_described) return facts;
  const sim::Description device = described(command);
  if (!device.clock.empty()) facts.emplace_back("stall", command.stall);
  if (device.reset) facts.emplace_back("reset", command.reset);
  return facts;
}

/// Cuts to --only.
void take_range(const RunCommand& command, Records& records) {
  const RunRange range = run_range(command);
  const std::uint64_t end = records.first + records.header->count;
  const std::uint64_t first = std::max(range.first, records.first);
  const std::uint64_t last = std::min(range.last, end);
  if (first >= last) {
    fail(Exit::kUsage, "--only {}: the records are {} to {}", command.only, records.first, end - 1);
  }
  records.header->count = last - first;
  records.first = first;
}

/// The records [range.first, range.last) of the run, through a device of their own.
sim::RecordRun run_range_of(const RunCommand& command, const sim::DutKind& kind, Records records,
                            sim::RecordRunOptions options, const RunRange& range) {
  records.header = std::make_shared<golden::VectorHeader>(*records.header);
  records.header->count = range.last - range.first;
  options.first = range.first;
  options.progress = nullptr;
  options.keep_mismatches = ~std::size_t{0};
  return sim::run_records(*records.header, records.input,
                          *make_record_device(command, kind, records.observed), options);
}

/// A wrong record is shown again alone, or with all before it, or in the whole run: whichever is
/// the first to show it.
class Replays {
  // Every try starts the device once more.
  static constexpr std::size_t kTries = 8;

 public:
  Replays(const RunCommand& command, const sim::DutKind& kind, const Records& records,
          const sim::RecordRunOptions& options)
      : command_(command), kind_(kind), records_(records), options_(options) {}

  std::string of(std::uint64_t number) {
    std::string& text = texts_[number];
    if (!text.empty()) return text;
    const RunRange all = whole();
    if (texts_.size() > kTries || sim::InterruptWatch::caught() != 0)
      return text = run_replay(command_, all.first, all.last);
    const std::array<RunRange, 3> ranges = ranges_of(number);
    const RunRange range = shortest_failing(ranges, [&](const RunRange& each) {
      const sim::RecordRun run = run_range_of(command_, kind_, records_, options_, each);
      return std::ranges::find(run.mismatches, number, &sim::RecordMismatch::number) !=
             run.mismatches.end();
    });
    return text = run_replay(command_, range.first, range.last);
  }
  /// A record alone, with all before it, the whole run.
  [[nodiscard]] std::array<RunRange, 3> ranges_of(std::uint64_t number) const {
    const RunRange all = whole();
    return {RunRange{number, number + 1}, {all.first, number + 1}, all};
  }
  /// Everything again.
  [[nodiscard]] std::string of_all() const {
    return run_replay(command_, whole().first, whole().last);
  }

 private:
  [[nodiscard]] RunRange whole() const {
    return {records_.first, records_.first + records_.header->count};
  }

  const RunCommand& command_;
  const sim::DutKind& kind_;
  const Records& records_;
  const sim::RecordRunOptions& options_;
  std::map<std::uint64_t, std::string> texts_;
};

/// Records that hold the first failure of a run, from the fewest up.
std::vector<RecordBatch> failing_records(const Records& records, const sim::RecordRun& run,
                                         const Replays& replays) {
  constexpr std::uint64_t kMost = 65536;
  if (run.protocol().empty() && run.mismatches.empty()) return {};
  const std::uint64_t last = records.first + records.header->count - 1;
  const std::uint64_t at = run.mismatches.empty()
                               ? std::min(records.first + run.verdict.vectors, last)
                               : run.mismatches.front().number;
  std::vector<RecordBatch> lots;
  for (const RunRange& range : replays.ranges_of(at)) {
    if (range.last - range.first > kMost) continue;
    lots.emplace_back();
    records.input.fill(range.first, range.last, lots.back());
  }
  return lots;
}

sim::RecordSetting setting_of(const RunCommand& command, const sim::DutKind& kind,
                              const Records& records, const sim::RecordRunOptions& options) {
  sim::RecordSetting setting;
  setting.header = *records.header;
  setting.options = options;
  setting.make = [&] { return make_record_device(command, kind, records.observed); };
  return setting;
}

/// The smallest case as a waveform, or the first of the lots that fails by itself.
std::string waves_text(const RunCommand& command, const std::optional<sim::SmallRecords>& small,
                       const std::vector<RecordBatch>& lots, const sim::RecordRun& run,
                       const sim::RecordSetting& setting, golden::NewFile& file) {
  const sim::Description device = described(command);
  const sim::DeviceOptions options = device_options(command);
  if (small) {
    return write_waves(device, options, small->shrunk.failure, setting, small->failure,
                       command.waves, file);
  }
  if (lots.empty()) return "waves: nothing failed, no file written\n";
  for (const RecordBatch& lot : lots) {
    const sim::Case failure = sim::record_case(setting.header, lot);
    const std::optional<sim::RecordRun> outcome = sim::run_case(failure, setting);
    if (!outcome || !sim::fails_like(*outcome, run)) continue;
    return write_waves(device, options, failure, setting, *outcome, command.waves, file);
  }
  return "waves: the failure does not show in a run of its own, no file written\n";
}

/// Wrong records that causes are looked for in: the fewer, the longer they are.
std::size_t cause_records(const golden::VectorHeader& header) {
  constexpr std::size_t kMost = 128, kLanes = 8192;
  return std::clamp<std::size_t>(kLanes / static_cast<std::size_t>(header.lanes), 1, kMost);
}

/// The causes of the wrong records that were kept.
std::vector<sim::Cause> find_causes(const golden::VectorHeader& header, const sim::RecordRun& run) {
  if (run.mismatches.empty() || run.interrupted != 0) return {};
  return sim::record_causes(header, run.mismatches, run.right);
}

/// The records before those at which a plugin ended an earlier try, and that crash as what the
/// device broke. The header has these records alone from now on.
sim::RecordRun run_up_to_crash(const sim::PluginCrash& crash, Records& records,
                               sim::RecordDevice& device, const sim::RecordRunOptions& options) {
  auto header = std::make_shared<golden::VectorHeader>(*records.header);
  const std::uint64_t declared = header->count;
  header->count = std::min(declared, crash.first);
  records.header = header;
  sim::RecordRun run;
  if (header->count != 0) {
    run = sim::run_records(*header, records.input, device, options);
  } else {
    run.waivers = options.waivers;
    run.by_config.resize(header->configs.size());
  }
  run.declared = declared;
  run.digest.clear();
  // What broke before comes first.
  if (!run.protocol().empty()) return run;
  run.failures.push_back({records.first + crash.first, records.first + crash.last,
                          fmt::format("{} when asked for records {} to {}", crash.what,
                                      records.first + crash.first, records.first + crash.last - 1),
                          ""});
  return run;
}

/// Are the vectors of a file blocks on the reference's streams?
bool are_streams(const std::string& path) {
  const golden::VectorReader reader(path, emulators::make_cast);
  if (!sim::VectorSource::problem(reader.header()).empty()) return false;
  const sim::ReferenceDut streams;
  return std::ranges::all_of(reader.header().configs, [&](const golden::Configuration& each) {
    return streams.refusal(std::get<QuantizerConfig>(each.what)).empty();
  });
}

}  // namespace

bool runs_records(const RunCommand& command, const sim::DutKind& kind) {
  if (kind.reads_records()) return true;
  if (kind.is_plugin) {
    const bool is_clocked = plugin_facts(command).is_clocked;
    if (is_clocked && command.gen.configs.op != "block") {
      fail(Exit::kUsage, "--op {}: {} has a clock and takes blocks", command.gen.configs.op,
           command.dut);
    }
    return !is_clocked;
  }
  if (sim::find_record_fault(run_dut_argument(command.dut)) != nullptr) return true;
  if (!command.vectors.empty()) {
    return kind.name == "reference" && !are_streams(command.vectors_path);
  }
  if (command.gen.configs.op != "block") return true;
  constexpr std::array<std::string_view, 3> kRecordSuites = {"dir", "rnd", "policy"};
  if (kind.name == "reference" &&
      std::ranges::find(kRecordSuites, command.gen.suite) != kRecordSuites.end()) {
    return true;
  }
  if (kind.name != "reference" || command.gen.configs.formats.empty() ||
      is_all(command.gen.configs.formats)) {
    return false;
  }
  const sim::ReferenceDut streams;
  const ElementFormat& source = command.gen.configs.book->require_element(
      "source format", command.gen.configs.sources.empty() || is_all(command.gen.configs.sources)
                           ? "fp32"
                           : command.gen.configs.sources.front());
  ConfigOptions options = command.gen.configs;
  for (Names& names : options.policies) names.clear();
  options.unchecked.emplace_back("random_bits");  // of a rounding that stands here no more
  return std::ranges::any_of(
      configurations(options, source), [&](const golden::Configuration& each) {
        return !streams.refusal(std::get<QuantizerConfig>(each.what)).empty();
      });
}

Exit run_over_records(const RunCommand& command, const sim::DutKind& kind) {
  Records records =
      command.vectors.empty() ? records_of_plan(command, kind) : records_of_file(command);
  const std::optional<sim::Offer> offer = offer_of(command, kind);
  if (offer) require_offered(command, *offer, *records.header);
  take_range(command, records);
  require_coverable(command, records.header->configs.size());
  records.observed = observed_of(command, kind, records.header->shape());
  const std::unique_ptr<sim::RecordDevice> device =
      make_record_device(command, kind, records.observed);
  const int threads = thread_count(command.threads);
  sim::RecordRunOptions options;
  options.first = records.first;
  options.keep_mismatches = std::max(command.errors, cause_records(*records.header));
  options.judges = judges_of(command);
  options.judge = judge_of(command);
  options.compare = compare_of(command);
  options.observed = records.observed;
  options.waivers = read_waivers(command.waivers, *records.header);
  options.time_limit = time_limit_of(command, options.time_limit);
  options.for_each_piece = [threads](std::size_t count, const auto& work) {
    for_each_chunk(count, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
      work(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    });
  };
  std::FILE* const people = people_stream(command);
  sim::RunPart part{0, 1, command.only, records.whole, records.header->count};
  // A file is run whole, whatever part of its set it is.
  if (command.vectors.empty()) {
    part.shard = records.header->shard;
    part.shards = records.header->shards;
  }
  const std::string part_note = sim::part_text(part, "records");
  fmt::print(people, "run: {}: {} configurations, dut {}, seed {}, {}\n", records.name,
             records.header->configs.size(), device->name(), command.gen.seed,
             part_note.empty() ? golden::with_commas(part.run) + " records" : part_note);
  if (offer) {
    const std::string rest = sim::left_out(*offer, *records.header);
    if (!rest.empty()) fmt::print(people, "  of what the device offers, left out: {}\n", rest);
  }
  std::fflush(people);
  if (command.is_dry_run) {
    print_run_plan(command, command.dut, records.header->count,
                   record_parts(kind, *records.header));
    return Exit::kPass;
  }
  const std::unique_ptr<golden::NewFile> junit = report_file(command.junit);
  const std::unique_ptr<golden::NewFile> log = report_file(command.log);
  const std::unique_ptr<golden::NewFile> page = report_file(command.html);
  const std::unique_ptr<golden::NewFile> small = report_file(command.shrink);
  const std::unique_ptr<golden::NewFile> waves = report_file(command.waves);
  const sim::InterruptWatch watch;
  sim::RecordRun run;
  {
    Progress progress("checking", records.header->count);
    options.progress = [&](std::uint64_t done) { progress.add(done); };
    run = command.crash ? run_up_to_crash(*command.crash, records, *device, options)
                        : sim::run_records(*records.header, records.input, *device, options);
  }
  options.progress = nullptr;
  const std::vector<sim::Cause> causes = find_causes(*records.header, run);
  Replays replays(command, kind, records, options);
  const RecordFacts facts{
      command.dut,
      std::string(device->name()),
      records.name,
      *records.header,
      records.observed,
      part,
      command.judge,
      command.gen.seed,
      records.held,
      schedule_facts(command, kind),
      [&](std::uint64_t number) { return replays.of(number); },
      [&] {
        if (!command.crash) return replays.of_all();
        return run_replay(command, records.first, records.first + command.crash->last);
      },
      [&](std::uint64_t number) { return command.answers ? command.answers->place(number) : ""; },
      causes,
      command.errors};
  if (run.interrupted == 0) fmt::print(people, "{}", record_failures(run, facts));
  std::optional<sim::RunReport> report;
  if (command.is_json || junit || page) report = record_report(run, facts);
  if (command.is_json) fmt::print("{}", sim::report_json(*report));
  std::vector<golden::Covergroup> coverage;
  // The verdict is the last line, and told before a report that may not be writable.
  const auto tell_verdict = [&] {
    fmt::print(people, "{}{}", run.waivers.text(),
               with_colour(record_verdict_text(run, facts, run_again_text(command)), people));
    if (log) {
      log->write(record_verdict_line(run, facts));
      log->commit();
    }
  };
  try {
    if (!command.cover.empty()) {
      coverage = measure_records(*records.header, records.input, options, run, *device);
      fmt::print(people, "{}", write_coverage(command, coverage));
    }
    if ((small || waves) && sim::InterruptWatch::caught() == 0) {
      const std::vector<RecordBatch> lots = failing_records(records, run, replays);
      const sim::RecordSetting setting = setting_of(command, kind, records, options);
      ShrunkRecords shrunk;
      if (small) shrunk = write_shrunk_records(command, lots, run, setting, *small);
      fmt::print(people, "{}", shrunk.text);
      if (waves) {
        fmt::print(people, "{}", waves_text(command, shrunk.small, lots, run, setting, *waves));
      }
    }
  } catch (...) {
    tell_verdict();
    throw;
  }
  tell_verdict();
  if (junit) {
    junit->write(sim::report_junit(*report));
    junit->commit();
  }
  if (page) {
    page->write(run_page_html(page_of(*report, std::move(coverage))));
    page->commit();
  }
  const int signal = sim::InterruptWatch::caught();
  if (signal != 0) end_by_signal(signal);
  return static_cast<Exit>(run.exit_code());
}

}  // namespace mx::cli
