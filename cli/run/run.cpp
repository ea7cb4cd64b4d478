// mxgold run: a device through a suite, real tensors or golden vectors, every bit compared.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/base/by_signal.hpp"
#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/common.hpp"
#include "cli/options/unread.hpp"
#include "cli/run/cover.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/run/options.hpp"
#include "cli/run/page.hpp"
#include "cli/run/shrink.hpp"
#include "cli/run/usage.hpp"
#include "cli/text/colour.hpp"
#include "cli/text/names.hpp"
#include "cli/vectors/waiver_file.hpp"
#include "cli/verdict/stream_verdict.hpp"
#include "cli/waves/waves.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/kept_input.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "sim/device/build.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/record/interrupt.hpp"
#include "sim/report/report.hpp"

namespace mx::cli {
namespace {

constexpr const char* kRunExamples = R"(
Formats, roundings, rules and sources may be lists (a,b) or all, which is what the default RTL build
does. A block format of OCP MX means its element.

Examples:
  mxgold run --dut rtl --suite full
  mxgold run --dut rtl --suite smoke --stall heavy --reset sweep --seed 7
  mxgold run --dut rtl --input model.safetensors
  mxgold run --dut rtl --input model.safetensors --all-modes --tensor embeddings.weight
  mxgold run --dut rtl --vectors goldens.tv
  mxgold run --dut process:'./my_sim' --format e4m3fn --rounding ties_to_even --rule floor \
             --source fp32
  mxgold run --dut reference:ties_to_away_for_even --suite smoke      (must fail)

Exit codes: 0 pass, 1 mismatch, 2 usage, 3 bad vectors or input, 4 device protocol, time-out or X,
6 the reference and its checks do not agree on what is right, 7 the machine lacks memory, processes or files.)";

/// The devices and the examples.
std::string footer() {
  std::string text = "\nDevices:\n";
  for (const sim::DutKind& kind : sim::all_dut_kinds()) {
    text +=
        fmt::format("  {:<19} {}{}\n", kind.usage(), kind.help,
                    kind.random_bits == 0 ? std::string()
                                          : fmt::format(" (random bits: {})", kind.random_bits));
  }
  return text + kRunExamples;
}

void set_schedule(const RunCommand& command, sim::RunOptions& options) {
  require_schedule(command);
  if (command.stall != "mix") options.schedule.stall = sim::parse_stall(command.stall);
  if (command.reset != "mix") options.schedule.reset = sim::ResetPlan::parse(command.reset);
}

/// Wrong blocks that causes are looked for in: the first ones, and the first of each configuration.
constexpr std::size_t kCauseBlocks = 256, kMostCauseBlocks = 1024;

sim::RunOptions options_of(const RunCommand& command) {
  sim::RunOptions options;
  set_schedule(command, options);
  const golden::Shard shard = require_shard(command.gen.shard);
  options.shard = shard.index;
  options.shards = shard.count;
  const RunRange range = run_range(command);
  options.first = range.first;
  options.last = range.last;
  options.compare = compare_of(command);
  options.observed = require_observes(command.observe);
  options.judge = judge_of(command);
  options.judges = judges_of(command);
  options.seed = command.gen.seed;
  options.threads = static_cast<unsigned>(thread_count(command.threads));
  options.keep_mismatches = std::max(command.errors, kCauseBlocks);
  options.time_limit = time_limit_of(command, options.time_limit);
  return options;
}

/// Blocks [first, last) again, each wrong block kept.
sim::RunResult run_again(const sim::BlockSource& source, const sim::DutFactory& make,
                         sim::RunOptions options, const RunRange& range) {
  options.first = range.first;
  options.last = range.last;
  options.shard = 0;
  options.shards = 1;
  options.threads = 1;
  options.progress = nullptr;
  options.keep_mismatches = options.segment_blocks;
  return sim::run(source, make, options);
}

/// A wrong block is shown again alone, or with what came before it in its segment, or in the whole
/// segment: whichever is the first to show it.
std::string replay_of(const RunCommand& command, const sim::BlockSource& source,
                      const sim::DutFactory& make, const sim::RunOptions& options,
                      const RunRange& failed, std::size_t& tries) {
  if (failed.last != failed.first + 1) return run_replay(command, failed.first, failed.last);
  constexpr std::size_t kTries = 64;  // runs over a block or a segment
  const std::uint64_t length = options.segment_blocks;
  const std::uint64_t start = failed.first - failed.first % length;
  const std::uint64_t first = std::max(start, options.first);
  const std::uint64_t last = std::min({start + length, options.last, source.size()});
  const std::array<RunRange, 3> ranges = {failed, RunRange{first, failed.last},
                                          RunRange{first, last}};
  if (tries++ >= kTries) return run_replay(command, first, last);
  const RunRange range = shortest_failing(ranges, [&](const RunRange& each) {
    const sim::RunResult result = run_again(source, make, options, each);
    return std::ranges::find(result.mismatches, failed.first, &sim::Mismatch::index) !=
           result.mismatches.end();
  });
  return run_replay(command, range.first, range.last);
}

/// The causes of the wrong blocks that were kept.
std::vector<sim::Cause> find_causes(const sim::RunResult& result) {
  std::vector<sim::Mismatch> wrong = result.mismatches;
  wrong.insert(wrong.end(), result.first_of_each.begin(), result.first_of_each.end());
  std::ranges::sort(wrong, {}, &sim::Mismatch::index);
  const auto is_same = [](const sim::Mismatch& a, const sim::Mismatch& b) {
    return a.index == b.index;
  };
  wrong.erase(std::unique(wrong.begin(), wrong.end(), is_same), wrong.end());
  if (wrong.size() > kMostCauseBlocks) wrong.resize(kMostCauseBlocks);
  return wrong.empty() ? std::vector<sim::Cause>()
                       : sim::causes_of(wrong, result.right, result.configs);
}

/// The blocks before the one at which a plugin ended an earlier try, and that crash as what the
/// device broke in the segment of the block.
sim::RunResult run_up_to_crash(const sim::PluginCrash& crash, const sim::BlockSource& source,
                               const sim::DutFactory& make, sim::RunOptions options) {
  const auto ranges = sim::run_ranges(source.size(), options);
  options.last = std::min(options.last, crash.first);
  sim::RunResult result;
  if (sim::run_ranges(source.size(), options).empty()) {
    result.configs = source.configs();
    result.tallies = sim::TallyTable(result.configs.size());
    result.waivers = options.waivers;
    result.judge = options.judge;
  } else {
    result = sim::run(source, make, options);
  }
  result.declared = 0;
  result.digest.clear();
  for (const sim::BlockRange& range : ranges) {
    result.declared += range.last - range.first;
    if (crash.first < range.first || crash.first >= range.last) continue;
    result.failures.push_back(
        {range.first, crash.first + 1, fmt::format("{} at block {}", crash.what, crash.first)});
  }
  if (result.failures.empty()) {
    result.failures.push_back({crash.first, crash.first, crash.what + " behind the last block"});
  }
  return result;
}

/// How to see the first failure again, or the whole run where it has none.
std::string repeated(const RunCommand& command, const sim::RunResult& result,
                     const sim::ReportFacts& facts) {
  if (result.interrupted != 0) return run_again_text(command);
  if (!result.mismatches.empty()) {
    const std::uint64_t first = result.mismatches.front().index;
    return facts.replay(first, first + 1);
  }
  if (result.failures.empty()) return run_again_text(command);
  return facts.replay(result.failures.front().first, result.failures.front().last);
}

sim::RunPart part_of_run(const RunCommand& command, const sim::BlockSource& source,
                         const sim::RunOptions& options) {
  sim::RunPart part{options.shard, options.shards, command.only, source.size(), 0};
  for (const sim::BlockRange& range : sim::run_ranges(source.size(), options)) {
    part.run += range.last - range.first;
  }
  return part;
}

/// A part without a block is no run.
[[noreturn]] void refuse_empty_part(const RunCommand& command, const sim::RunPart& part) {
  if (command.only.empty()) {
    fail(Exit::kUsage, "--shard {}: holds none of {} blocks; give fewer shards", command.gen.shard,
         sim::with_commas(part.whole));
  }
  fail(Exit::kUsage, "--only {}: no blocks; the blocks are 0 to {}{}", command.only, part.whole - 1,
       part.shards == 1 ? "" : ", of which the shard has some");
}

/// `path` as it was meant in the folder; "" and standard output as they are.
void hold_path(std::string& path, const std::filesystem::path& folder) {
  if (!path.empty() && !golden::is_standard_output(path)) path = folder / path;
}

/// A plugin may have changed the folder: what is read from now on is where it was.
void hold_inputs(RunCommand& command, const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::current_path(ignored) == folder) return;
  for (std::string* path : {&command.gen.input, &command.waivers, &command.vectors_path}) {
    hold_path(*path, folder);
  }
}

Exit run_command(RunCommand command, const Command& app) {
  check_usage(command);
  const sim::DutKind& kind = run_dut_kind(command.dut);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::current_path(ignored);
  if (!kind.is_program && !kind.is_plugin && !kind.is_described) refuse_time_out(command);
  const bool is_over_records = runs_records(command, kind);
  if (kind.is_plugin) hold_inputs(command, folder);
  // What an option says depends on what the device computes.
  refuse_unused_stimulus(app, is_over_records ? gen_options_of(command, kind) : command.gen);
  if (is_over_records) {
    require_record_options(command, kind);
    if (!kind.is_program) refuse_program_options(command, "devices that are no programs");
    return run_over_records(command, kind);
  }
  require_stream_options(command, kind);
  std::unique_ptr<sim::VectorSource> vectors;
  if (!command.vectors.empty()) {
    require_streams(command, kind);
    vectors = std::make_unique<sim::VectorSource>(command.vectors_path, command.vectors);
  }
  if (command.gen.configs.random_bits == 0) {
    command.gen.configs.random_bits = random_bits_of(command, kind);
    command.gen.configs.has_device_random_bits = true;
    command.gen.configs.unchecked.emplace_back("random_bits");
  }
  const sim::DutFactory make = make_clocked(command, kind);
  sim::RunOptions options = options_of(command);
  // A device made for its opinion on configurations; workers make their own.
  const std::unique_ptr<sim::Dut> probe = make();
  const RunInput input = run_input(command, std::move(vectors), [&](const QuantizerConfig& config) {
    return probe->refusal(config);
  });
  options.waivers = read_waivers(command.waivers, sim::block_header(input.source->configs()));
  std::FILE* const people = people_stream(command);
  const sim::RunPart part = part_of_run(command, *input.source, options);
  if (part.run == 0 && part.whole != 0) refuse_empty_part(command, part);
  const std::string part_note = sim::part_text(part, "blocks");
  fmt::print(people, "run: {}{}{}, dut {}, seed {}, stall {}, reset {}, {}\n", input.name,
             input.note.empty() ? "" : ": ", input.note, probe->name(), command.gen.seed,
             command.stall, command.reset,
             part_note.empty() ? sim::with_commas(part.whole) + " blocks" : part_note);
  std::fflush(people);
  if (command.is_dry_run) {
    const std::size_t parts = sim::run_ranges(input.source->size(), options).size();
    print_run_plan(command, probe->name(), input.source->size(), parts);
    return Exit::kPass;
  }
  require_coverable(command, input);
  const std::unique_ptr<golden::NewFile> junit = report_file(command.junit);
  const std::unique_ptr<golden::NewFile> log = report_file(command.log);
  const std::unique_ptr<golden::NewFile> page = report_file(command.html);
  const std::unique_ptr<golden::NewFile> small = report_file(command.shrink);
  const std::unique_ptr<golden::NewFile> waves = report_file(command.waves);
  // A plugin may hang in a call: a signal ends it and its process at once.
  std::optional<sim::InterruptWatch> watch;
  if (!run_dut_kind(command.dut).is_plugin) {
    watch.emplace();
    options.interrupted = sim::InterruptWatch::caught;
  }
  sim::RunResult result;
  {
    Progress progress("checking", input.source->size());
    std::uint64_t shown = 0;
    std::uint64_t unreleased = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t) {
      progress.add(done - shown);
      unreleased += done - shown;
      shown = done;
      constexpr std::uint64_t kReleaseAfter = 1 << 20;  // blocks
      if (unreleased < kReleaseAfter) return;
      unreleased = 0;
      for (const Tensor* tensor : input.tensors) input.file->release(tensor->data);
    };
    result = command.crash ? run_up_to_crash(*command.crash, *input.source, make, options)
                           : sim::run(*input.source, make, options);
  }
  options.interrupted = nullptr;
  const bool is_whole = result.interrupted == 0;
  sim::ReportFacts facts;
  if (is_whole) facts.causes = find_causes(result);
  facts.shown = command.errors;
  facts.dut = std::string(probe->name());
  facts.asked = command.dut;
  facts.input = input.name;
  facts.seed = command.gen.seed;
  // Those that a suite adds have policies of every kind.
  facts.judged_by = golden::judged_by(std::span(input.source->configs()).first(input.chosen));
  facts.stall = command.stall;
  facts.reset = command.reset;
  facts.judge = command.judge;
  facts.observed = options.observed & probe->observes();
  facts.not_offered = input.not_offered;
  facts.narrowed = input.narrowed;
  facts.part = part;
  facts.describe = [&](std::uint64_t i) { return input.source->describe(i); };
  std::size_t tries = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> replays;
  facts.replay = [&](std::uint64_t first, std::uint64_t last) {
    // Only in a process of its own.
    if (command.crash && last > command.crash->first) return run_replay(command, first, last);
    std::string& text = replays[{first, last}];
    if (text.empty()) text = replay_of(command, *input.source, make, options, {first, last}, tries);
    return text;
  };
  if (is_whole) fmt::print(people, "{}", sim::failures_text(result, facts));
  fmt::print(people, "{}", sim::table_text(result));
  std::optional<sim::RunReport> report;
  if (command.is_json || junit || page) report = sim::report_of(result, facts);
  if (command.is_json) fmt::print("{}", sim::report_json(*report));
  std::vector<golden::Covergroup> coverage;
  if (is_whole && !command.cover.empty()) {
    coverage = measure_coverage(input, options, result, probe->name());
    fmt::print(people, "{}", write_coverage(command, coverage));
  }
  ShrunkStream shrunk;
  if (is_whole && small) {
    shrunk = write_shrunk_stream(command, *input.source, result, options, make, *small);
  }
  fmt::print(people, "{}", shrunk.text);
  if (is_whole && waves) {
    fmt::print(people, "{}",
               stream_waves(command, shrunk, *input.source, result, options, make, *waves));
  }
  fmt::print(people, "{}", result.waivers.text());
  fmt::print(people, "{}",
             with_colour(stream_verdict(result, facts, repeated(command, result, facts)), people));
  if (log) {
    log->write(sim::verdict_line(result, facts));
    log->commit();
  }
  if (junit) {
    junit->write(sim::report_junit(*report));
    junit->commit();
  }
  if (page) {
    page->write(run_page_html(page_of(*report, std::move(coverage))));
    page->commit();
  }
  if (watch && sim::InterruptWatch::caught() != 0) end_by_signal(sim::InterruptWatch::caught());
  return static_cast<Exit>(result.exit_code());
}

/// The run in a process of its own, so that a plugin that ends it is no end of the verdict.
Exit run_plugin(const RunCommand& command, const Command& app) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::current_path(ignored);
  return static_cast<Exit>(sim::run_apart(time_out_of(command), [&](const auto* crash) {
    RunCommand again = command;
    for (std::string* path :
         {&again.junit, &again.log, &again.html, &again.shrink, &again.waves, &again.cover})
      hold_path(*path, folder);
    if (crash != nullptr) {
      again.crash = *crash;
      for (std::string* path : {&again.shrink, &again.waves, &again.cover}) {
        if (path->empty()) continue;
        fmt::print(stderr, "mxgold: {} is not written: the plugin ended the run\n", *path);
        path->clear();
      }
    }
    return static_cast<int>(run_command(again, app));
  }));
}

/// Vectors of a pipe are kept: what they hold decides who reads them.
Exit run_kept(RunCommand& command, const Command& app) {
  const bool is_plugin = run_dut_kind(command.dut).is_plugin;
  const auto run = [&] { return is_plugin ? run_plugin(command, app) : run_command(command, app); };
  if (command.vectors.empty()) return run();
  const golden::KeptInput vectors(command.vectors);
  command.vectors_path = vectors.path();
  try {
    return with_device_errors(run);
  } catch (const Error& error) {
    throw Error(error.exit(), vectors.renamed(error.what()));
  }
}

void add_options(const Command& app, RunCommand& command) {
  app.add_option(
         "--dut", command.dut,
         fmt::format("Device to test (mxgold help devices): {}", fmt::join(run_dut_names(), ", ")))
      .capture_default_str();
  app.add_option("--op", command.gen.configs.op,
                 "What is computed: block | cvt | dot | arith | cast | dequantize | mma")
      .is_member({"block", "cvt", "dot", "arith", "cast", "dequantize", "mma"})
      .capture_default_str();
  suite_option(app, command.gen.suite, kSuites);
  app.add_flag("--all-modes", command.has_all_modes,
               "With --input: every rounding and scale rule, not only ties_to_even and rule floor");
  as_input(app.add_option("--vectors", command.vectors,
                          "Golden file (.tv, .mem, .bin, .jsonl), or - for standard input"));
  add_gen_options(app, command.gen);
  add_config_options(app, command.gen.configs);
  for (const PolicyOption& each : policy_options()) {
    app.find_option(option_name(each))
        ->default_str(fmt::format("the device's, else {}", default_of(each.get).text()));
  }
  app.add_option("--elements", command.elements, "Random elements for each configuration")
      .range(std::uint64_t{0}, std::uint64_t{1} << 44)
      .default_str("those of the suite");
  app.add_option("--stall", command.stall,
                 "Stalls on both sides: mix | none | light | heavy | random")
      .capture_default_str();
  app.add_option("--reset", command.reset,
                 "Resets during the run: mix | none | sweep | random, or cycles: 12,40")
      .capture_default_str();
  threads_option(app, command.threads);
  app.add_option("--only", command.only,
                 "Block or record I, or those of A:B without B, of the same run")
      .default_str("all");
  app.add_option(
         "--judge", command.judge,
         "Who says what is right: reference | certificate (where one decides) | both, which "
         "must agree | oracle (both, and the oracle)")
      .capture_default_str();
  app.add_option("--compare", command.compare,
                 "How codes under a NaN scale count: strict | normative (not compared)")
      .default_str("strict for rtl, else normative");
  app.add_option("--errors", command.errors, "Mismatches to show; all are counted")
      .capture_default_str();
  observe_option(app, command.observe);
  waivers_option(app, command.waivers);
  app.add_option("--time-out", command.time_out,
                 "Seconds a process may stay silent, and a call of a plugin may take")
      .capture_default_str();
  app.add_option("--start-time-out", command.start_time_out,
                 "Seconds a process may take to its first answer")
      .default_str("that of --time-out");
  app.add_option("--pipe", command.pipe,
                 "What a process reads and writes: stdio, or fifo (named pipes, whose paths are in "
                 "MXGOLD_IN and MXGOLD_OUT)")
      .is_member({"stdio", "fifo"})
      .capture_default_str();
  app.add_option("--answer-prefix", command.answer_prefix,
                 "What a process's answers start with; its other lines go to standard error")
      .type_name("TEXT");
  app.add_option("--time-limit", command.time_limit, "Seconds for the whole run")
      .default_str("3600 for devices with a clock, else none");
  json_option(app, command.is_json);
  app.add_flag("--trust", command.is_trusted,
               "Execute the command, the library or the Verilog that the dut of --config names");
  app.add_flag("--dry-run", command.is_dry_run,
               "Say how many blocks or records the whole has and which device, and run nothing");
  as_output(
      app.add_option("--cover", command.cover,
                     "Write what the blocks of the chosen configurations hit, for mxgold cover"),
      kCoverOutput);
  as_output(app.add_option("--shrink", command.shrink,
                           "Make the first failure as small as it can be, for mxgold replay"),
            kShrinkOutput);
  app.add_option("--shrink-time", command.shrink_time, "Seconds that --shrink may take")
      .range(1.0, 86400.0)
      .capture_default_str();
  as_output(app.add_option("--waves", command.waves,
                           "Write the cycles before the first failure (with --shrink: the smallest "
                           "one) of the RTL or of a device file's module as a waveform"),
            kWavesOutput);
  as_output(app.add_option("--junit", command.junit, "Write a JUnit XML report to this file"),
            kJunitOutput);
  log_option(app, command.log);
  as_output(app.add_option("--html", command.html,
                           "Write the run as a page to this file; with --cover its heat maps, too"),
            kHtmlOutput);
}

}  // namespace

void print_run_plan(const RunCommand& command, std::string_view dut, std::uint64_t cases,
                    std::uint64_t parts) {
  if (!command.is_json) {
    fmt::print("{} parts at most; nothing was compared (--dry-run)\n", golden::with_commas(parts));
    return;
  }
  nlohmann::ordered_json plan = {
      {"parts", parts}, {"cases", cases}, {"dut", dut}, {"judge", command.judge}};
  if (run_dut_kind(command.dut).is_described) plan["reads"] = sim::files_behind(described(command));
  fmt::print("{}\n", golden::dumped(plan, 2));
}

std::FILE* people_stream(const RunCommand& command) {
  const auto takes_output = [](const std::string& path) {
    return !path.empty() && golden::is_standard_output(path);
  };
  const bool is_taken = command.is_json || takes_output(command.cover) ||
                        takes_output(command.shrink) || takes_output(command.junit) ||
                        takes_output(command.log) || takes_output(command.html) ||
                        takes_output(command.waves);
  return is_taken ? stderr : stdout;
}

sim::Observes require_observes(const Names& names) {
  const Checked<sim::Observes> observes = sim::parse_observes(names);
  if (!observes) fail(Exit::kUsage, "--observe: {}", observes.problem());
  return *observes;
}

void add_run(const Command& root, Exit& exit) {
  const Command app = root.add_subcommand(
      "run", "Run a device through a suite, tensors or vectors, and compare every bit");
  app.footer(footer());
  const auto command = std::make_shared<RunCommand>();
  const auto formats = std::make_shared<FormatOptions>();
  add_options(app, *command);
  formats->add_to(app);
  app.callback([command, formats, app, &exit] {
    exit = with_device_errors([&] {
      refuse_without(app, "--shrink-time", "--shrink");
      refuse_without(app, "--trust", "--config");
      note_typed(app, command->gen.configs);
      command->gen.configs.book = formats->book();
      command->definitions = formats->text();
      return run_kept(*command, app);
    });
  });
}

}  // namespace mx::cli
