// mxgold replay: shows a failure again that `mxgold run --shrink` wrote.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/run/shrink.hpp"
#include "cli/run/usage.hpp"
#include "cli/text/colour.hpp"
#include "cli/text/command_text.hpp"
#include "cli/trust/trust.hpp"
#include "cli/verdict/again.hpp"
#include "cli/verdict/stream_verdict.hpp"
#include "cli/verdict/verdict_text.hpp"
#include "cli/waves/waves.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "sim/record/reference.hpp"
#include "sim/shrink/replay_file.hpp"

namespace mx::cli {
namespace {

constexpr const char* kReplayExamples = R"(
The file holds the device's name, the configurations, the operands and the schedule of one failure;
docs/replay-format.md describes it.

Exit codes: 0 the failure does not show any more, 1 mismatch, 2 usage, 3 bad file or nothing
compared, 4 device protocol or time-out.

Examples:
  mxgold run --dut rtl --suite full --shrink failure.json
  mxgold replay failure.json
  mxgold replay failure.json --dut process:'./my_sim --new'
  mxgold replay failure.json --trust

A file may name a device that executes something: a command (process:), a shared library (plugin:),
Verilog that is compiled (device:, rtl:FOLDER). The program says what that is, and does it with
--trust, where you type the device yourself by --dut, or where you agree on a terminal; otherwise it
is refused (docs/trust.md).)";

struct ReplayOptions {
  std::string input, dut, waves, log;
  std::string again;  ///< the command line that says the same
  std::optional<double> time_limit;
  bool is_trusted = false;
};

Exit exit_of(bool is_protocol, bool has_mismatch, bool has_compared) {
  if (is_protocol) return Exit::kDut;
  if (has_mismatch) return Exit::kMismatch;
  return has_compared ? Exit::kPass : Exit::kBadInput;
}

std::string_view replay_word(Exit exit) {
  if (exit == Exit::kPass) return "PASS";
  return exit == Exit::kBadInput ? "NOTHING COMPARED" : "FAIL";
}

/// Where lines for people go.
std::FILE* people_of(const ReplayOptions& options) {
  const auto is_taken = [](const std::string& path) {
    return !path.empty() && golden::is_standard_output(path);
  };
  return is_taken(options.waves) || is_taken(options.log) ? stderr : stdout;
}

/// What a replay came to.
struct Replayed {
  Exit exit = Exit::kPass;
  std::string shown;       ///< the failure in words
  golden::Verdict counts;  ///< its mismatches included
  std::size_t cases = 0;   ///< of the file
  std::string things;      ///< "blocks", "records"
  std::string coverage;    ///< every count of words
  std::string dut;
};

/// Shows it: three lines for people, and every count in the line of --log.
void tell(const ReplayOptions& options, const Replayed& replayed, golden::NewFile* log) {
  const golden::Verdict& counts = replayed.counts;
  const std::string checked = fmt::format(
      "{} replay of {}: {} of {} {} checked, {} differ", replay_word(replayed.exit), options.input,
      golden::with_commas(counts.vectors), golden::with_commas(replayed.cases), replayed.things,
      golden::with_commas(counts.mismatches));
  VerdictText verdict;
  verdict.things = replayed.things;
  verdict.result = fmt::format("{}; dut {}", checked, replayed.dut);
  verdict.counts = counts;
  verdict.again = options.again;
  std::FILE* const people = people_of(options);
  fmt::print(people, "{}{}", replayed.shown, with_colour(three_lines(verdict), people));
  if (log == nullptr) return;
  log->write(fmt::format("{}; {}; dut {}\n", checked, replayed.coverage, replayed.dut));
  log->commit();
}

/// The command line that the file stands for.
RunCommand command_of(const ReplayOptions& options, const sim::ReplayFile& replay) {
  RunCommand command;
  command.dut = replay.device;
  command.pipe = replay.program.pipe;
  command.answer_prefix = replay.program.answer_prefix;
  command.judge = replay.program.judge == "both" ? "oracle" : "reference";
  command.observe = replay.observe;
  command.time_out = replay.program.time_out;
  command.start_time_out = replay.program.start_time_out;
  command.stall = replay.program.stall;
  command.reset = replay.program.reset;
  command.gen.seed = replay.program.seed;
  command.time_limit = options.time_limit;
  return command;
}

Exit replay_stream(const ReplayOptions& options, const sim::ReplayFile& replay,
                   const sim::DutKind& kind) {
  const std::unique_ptr<golden::NewFile> waves = report_file(options.waves);
  const std::unique_ptr<golden::NewFile> log = report_file(options.log);
  const RunCommand command = command_of(options, replay);
  const sim::DutFactory make = make_clocked(command, kind);
  const std::unique_ptr<sim::Dut> probe = make();
  for (const golden::Configuration& each : replay.failure.configs) {
    const std::string why = probe->refusal(std::get<QuantizerConfig>(each.what));
    if (!why.empty()) fail(Exit::kUsage, "--dut {}: {}", replay.device, why);
  }
  const sim::StreamSetting setting{
      make,        replay.compare, require_observes(replay.observe),
      replay.seed, replay.segment, time_limit_of(command, std::chrono::minutes(1))};
  const sim::StreamOutcome outcome = sim::run_case(replay.failure, setting);
  const sim::Tally& total = outcome.total;
  const Exit exit = exit_of(!outcome.protocol.empty(), total.bad_blocks != 0, total.judged() != 0);
  const golden::Verdict counts = counts_of(total);
  const std::string coverage =
      fmt::format("{} words compared, {} don't-care, {} open, {} unobserved, {} waived",
                  golden::with_commas(total.words), golden::with_commas(total.dont_care),
                  golden::with_commas(total.open), golden::with_commas(total.unobserved),
                  golden::with_commas(total.waived));
  tell(options,
       {exit, shown_text(replay.failure, outcome), counts, replay.failure.questions.size(),
        "blocks", coverage, std::string(probe->name())},
       log.get());
  if (waves) {
    fmt::print(people_of(options), "{}",
               write_rtl_waves(std::string(run_dut_argument(replay.device)), replay.failure,
                               setting, outcome, options.waves, *waves));
  }
  return exit;
}

Exit replay_records(const ReplayOptions& options, const sim::ReplayFile& replay,
                    const sim::DutKind& kind) {
  const std::unique_ptr<golden::NewFile> waves = report_file(options.waves);
  const std::unique_ptr<golden::NewFile> log = report_file(options.log);
  const RunCommand command = command_of(options, replay);
  sim::RecordSetting setting;
  setting.header = replay.header;
  setting.options.observed = observed_of(command, kind, replay.header.shape());
  setting.options.judges = judges_of(command);
  setting.options.compare = replay.compare;
  setting.options.time_limit = time_limit_of(command, setting.options.time_limit);
  setting.options.for_each_piece = [](std::size_t count, const auto& work) {
    work(std::size_t{0}, count);
  };
  setting.make = [&] { return make_record_device(command, kind, setting.options.observed); };
  const std::optional<sim::RecordRun> outcome = sim::run_case(replay.failure, setting);
  if (!outcome) {
    fail(Exit::kUsage, "--dut {}: cannot be given the records of {}", replay.device, options.input);
  }
  const sim::RecordRun& run = *outcome;
  const Exit exit =
      exit_of(!run.protocol().empty(), run.verdict.mismatches != 0, run.verdict.judged() != 0);
  tell(options,
       {exit, shown_text(replay.header, run), run.verdict, replay.failure.questions.size(),
        "records", run.verdict.coverage(), replay.device},
       log.get());
  if (waves) {
    fmt::print(people_of(options), "{}",
               write_waves(described(command), device_options(command), replay.failure, setting,
                           run, options.waves, *waves));
  }
  return exit;
}

Exit replay_by(const ReplayOptions& options, const sim::ReplayFile& replay,
               const sim::DutKind& kind) {
  const bool is_stream = replay.kind == sim::ReplayKind::kStream;
  const RunCommand chosen = command_of(options, replay);
  const bool is_of_records = kind.reads_records() ||
                             (kind.is_plugin && !plugin_facts(chosen).is_clocked) ||
                             sim::find_record_fault(run_dut_argument(replay.device)) != nullptr;
  if (is_stream && is_of_records) {
    fail(Exit::kUsage, "--dut {}: {} holds blocks on streams; give a device with a clock",
         replay.device, options.input);
  }
  if (!options.waves.empty()) refuse_waves(replay.device, kind);
  return is_stream ? replay_stream(options, replay, kind) : replay_records(options, replay, kind);
}

Exit replay_command(const ReplayOptions& options) {
  sim::ReplayFile replay = sim::read_replay(options.input, emulators::make_cast);
  if (options.dut.empty()) {
    const std::string what = executed_by(replay.device);
    require_trust(options.input, what.empty() ? std::vector<std::string>{} : std::vector{what},
                  options.is_trusted ? Trust::kGiven : Trust::kAsked,
                  fmt::format("{} replay {} --trust", program_word(), shell_quoted(options.input)));
  } else {
    replay.device = options.dut;
  }
  const sim::DutKind& kind = run_dut_kind(replay.device);
  if (!kind.is_plugin) return replay_by(options, replay, kind);
  const std::chrono::milliseconds patience = time_out_of(command_of(options, replay));
  return static_cast<Exit>(sim::run_apart(patience, [&](const sim::PluginCrash* crash) {
    if (crash != nullptr) fail(Exit::kDut, "{}; the replay has no verdict", crash->what);
    return static_cast<int>(replay_by(options, replay, kind));
  }));
}

}  // namespace

void add_replay(const Command& root, Exit& exit) {
  const auto options = std::make_shared<ReplayOptions>();
  const Command app = root.add_subcommand("replay", "Show a failure again that run --shrink wrote");
  app.footer(kReplayExamples);
  as_input(app.add_option("FILE", options->input, "What run --shrink wrote")).required();
  app.add_option("--dut", options->dut, "Another device than the file's");
  app.add_flag("--trust", options->is_trusted,
               "Execute the command, the library or the Verilog that FILE names");
  as_output(app.add_option("--waves", options->waves,
                           "Write the last cycles of the RTL or of a device file's module as a "
                           "waveform"),
            kWavesOutput);
  app.add_option("--time-limit", options->time_limit, "Seconds that the device may take")
      .default_str("60 for devices with a clock, else none");
  log_option(app, options->log);
  app.callback([options, app, &exit] {
    options->again = typed_again(app);
    exit = with_device_errors([&] { return replay_command(*options); });
  });
}

}  // namespace mx::cli
