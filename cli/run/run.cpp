// mxgold run: a device through a suite, real tensors or golden vectors, every bit compared.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/common.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/options.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/report/report.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Formats, roundings, rules and sources may be lists (a,b) or all, which is what the default RTL build
does. Block formats of OCP MX stand for their elements.

Examples:
  mxgold run --dut rtl --suite full
  mxgold run --dut rtl --suite smoke --stall heavy --reset sweep --seed 7
  mxgold run --dut rtl --input model.safetensors
  mxgold run --dut rtl --input model.safetensors --all-modes --tensor embeddings.weight
  mxgold run --dut rtl --vectors goldens.tv
  mxgold run --dut process:'./my_sim' --format e4m3fn --rounding ties_to_even --rule floor \
             --source fp32
  mxgold run --dut reference:ties_to_away_for_even --suite smoke      (must fail)

Exit codes: 0 pass, 1 mismatch, 2 usage, 3 bad vectors or input, 4 device protocol, time-out or X.)";

/// The devices and the examples.
std::string footer() {
  std::string text = "\nDevices:\n";
  for (const sim::DutKind& kind : sim::all_dut_kinds()) {
    text +=
        fmt::format("  {:<19} {}{}\n", kind.usage(), kind.help,
                    kind.random_bits == 0 ? std::string()
                                          : fmt::format(" (random bits: {})", kind.random_bits));
  }
  return text + kExamples;
}

constexpr std::array<std::string_view, 2> kSuites = {"smoke", "full"};

std::uint64_t require_number(std::string_view option, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(Exit::kUsage, "{}: '{}' is not a number", option, text);
  }
  return number;
}

void set_range(const std::string& text, sim::RunOptions& options) {
  if (text.empty()) return;
  const std::size_t colon = text.find(':');
  options.first = require_number("--only", std::string_view(text).substr(0, colon));
  options.last = colon == std::string::npos
                     ? options.first + 1
                     : require_number("--only", std::string_view(text).substr(colon + 1));
  if (options.last <= options.first) fail(Exit::kUsage, "--only {}: an empty range", text);
}

void set_schedule(const RunCommand& command, const RunDut& dut, sim::RunOptions& options) {
  if (command.stall != "mix") {
    options.schedule.stall = sim::parse_stall(command.stall);
    if (!options.schedule.stall) {
      constexpr std::string_view kKnown[] = {"mix", "none", "light", "heavy", "random"};
      throw Error(Exit::kUsage, unknown_name("stall", command.stall, kKnown));
    }
  }
  if (command.reset != "mix") {
    options.schedule.reset = sim::ResetPlan::parse(command.reset);
    if (!options.schedule.reset) {
      fail(Exit::kUsage, "--reset '{}': give mix, none, sweep, random or ascending cycles 12,40",
           command.reset);
    }
  }
  if (dut.is_process) {
    // A program has no clock: by default it runs once, over everything.
    if (command.stall == "mix") options.schedule.stall = sim::Stall::kNone;
    if (command.reset == "mix") options.schedule.reset = sim::ResetPlan{};
    options.segment_blocks = 1U << 20;
  }
}

sim::RunOptions options_of(const RunCommand& command, const RunDut& dut) {
  sim::RunOptions options;
  set_schedule(command, dut, options);
  const golden::Shard shard = require_shard(command.shard);
  options.shard = shard.index;
  options.shards = shard.count;
  set_range(command.only, options);
  if (command.compare == "normative") {
    options.compare = sim::Compare::kNormative;
  } else if (command.compare != "strict") {
    fail(Exit::kUsage, "--compare '{}': give strict or normative", command.compare);
  }
  options.seed = command.seed;
  options.threads = dut.is_process && command.threads == 0
                        ? 1U
                        : static_cast<unsigned>(thread_count(command.threads));
  options.keep_mismatches = command.errors;
  options.time_limit = std::chrono::seconds(static_cast<long>(command.time_limit));
  return options;
}

void check_usage(RunCommand& command) {
  const int inputs = (command.suite.empty() ? 0 : 1) + (command.input.empty() ? 0 : 1) +
                     (command.vectors.empty() ? 0 : 1);
  if (inputs > 1) fail(Exit::kUsage, "give one of --suite, --input and --vectors");
  if (inputs == 0) command.suite = "smoke";
  if (!command.suite.empty() && std::ranges::find(kSuites, command.suite) == kSuites.end()) {
    throw Error(Exit::kUsage, unknown_name("suite", command.suite, kSuites));
  }
  if (!command.profile.empty() && (command.has_all_modes || !command.vectors.empty())) {
    fail(Exit::kUsage, "--profile goes with --suite or --input, without --all-modes");
  }
  if (command.has_all_modes && command.input.empty()) {
    fail(Exit::kUsage, "--all-modes goes with --input; a suite always runs all modes");
  }
}

// The shortest range that shows the mismatch again: the block alone if that does, else everything
// from the start of its segment.
std::string replay_of(const RunCommand& command, const sim::BlockSource& source, const RunDut& dut,
                      const sim::RunOptions& options, std::uint64_t first, std::uint64_t last) {
  if (last != first + 1) return run_replay(command, first, last);
  sim::RunOptions alone = options;
  alone.first = first;
  alone.last = last;
  alone.shard = 0;
  alone.shards = 1;
  alone.progress = nullptr;
  if (sim::run(source, dut.make, alone).exit_code() != 0) return run_replay(command, first, last);
  const std::uint64_t start = first - first % options.segment_blocks;
  return run_replay(command, std::max(start, options.first), last);
}

/// Vectors for a device that is built for one N.
void fit_random_bits(const sim::DutKind& kind, sim::VectorSource& vectors) {
  vectors.adopt_random_bits(kind.random_bits);
  const int given = vectors.header().context.random_bits;
  if (given == kind.random_bits) return;
  fail(Exit::kUsage,
       "--dut {}: random words of {} bits, the device takes {}; write the vectors with mxgold gen "
       "--random-bits {}",
       kind.name, given, kind.random_bits, kind.random_bits);
}

Exit run_command(RunCommand command) {
  check_usage(command);
  const sim::DutKind& kind = run_dut_kind(command.dut);
  const sim::Selection selection = run_selection(command);
  std::unique_ptr<sim::VectorSource> vectors;
  if (!command.vectors.empty()) vectors = std::make_unique<sim::VectorSource>(command.vectors);
  if (vectors && kind.random_bits != 0) fit_random_bits(kind, *vectors);
  if (command.random_bits == 0) command.random_bits = default_random_bits(kind);
  const golden::VectorHeader header = vectors ? vectors->header() : run_header(command, selection);
  const RunDut dut = run_dut(command, header);
  if (dut.is_process && command.vectors.empty() && selection.sources.size() != 1) {
    fail(Exit::kUsage, "a process device reads one source format a run: add --source fp32");
  }
  sim::RunOptions options = options_of(command, dut);
  // A device made for its opinion on configurations; workers make their own.
  const std::unique_ptr<sim::Dut> probe = dut.make();
  probe->configure({header.context, command.seed});
  const RunInput input =
      run_input(command, selection, std::move(vectors),
                [&](std::uint32_t config_word) { return probe->supports(config_word); });
  std::FILE* const people = command.is_json ? stderr : report_stream(command.junit);
  fmt::print(people, "run: {}{}{}, dut {}, seed {}, stall {}, reset {}, {} blocks\n", input.name,
             input.note.empty() ? "" : ": ", input.note, probe->name(), command.seed, command.stall,
             command.reset, sim::with_commas(input.source->size()));
  std::fflush(people);
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
    result = sim::run(*input.source, dut.make, options);
  }
  sim::ReportFacts facts;
  facts.dut = std::string(probe->name());
  facts.input = input.name;
  facts.seed = command.seed;
  facts.stall = command.stall;
  facts.reset = command.reset;
  facts.describe = [&](std::uint64_t i) { return input.source->describe(i); };
  facts.replay = [&](std::uint64_t first, std::uint64_t last) {
    return replay_of(command, *input.source, dut, options, first, last);
  };
  fmt::print(people, "{}{}", sim::failures_text(result, facts, input.source->context()),
             sim::table_text(result.tallies));
  if (command.is_json) fmt::print("{}", sim::report_json(result, facts));
  if (!command.junit.empty()) golden::write_file(command.junit, sim::report_junit(result, facts));
  fmt::print(people, "{}", sim::verdict_line(result, facts));
  return static_cast<Exit>(result.exit_code());
}

void add_options(CLI::App& app, RunCommand& command) {
  app.add_option("--dut", command.dut, fmt::format("Device: {}", fmt::join(run_dut_names(), ", ")))
      ->capture_default_str();
  suite_option(app, command.suite, kSuites);
  as_input(app.add_option("--input", command.input,
                          fmt::format("every tensor of a {} file", tensor_suffixes())));
  tensor_option(app, command.tensor);
  app.add_flag("--all-modes", command.has_all_modes,
               "with --input: every rounding and scale rule, not only ties_to_even and floor");
  as_input(app.add_option("--vectors", command.vectors,
                          "a golden file (.tv, .mem, .bin), or - for stdin"));
  format_option(app, command.formats)->default_str("all");
  policy_option(app, *find_policy_option("rounding"), command.roundings)
      ->default_str("all; with --input ties_to_even");
  policy_option(app, *find_policy_option("rule"), command.rules)
      ->default_str("all; with --input floor");
  source_option(app, command.sources)->default_str("all");
  profile_option(app, command.profile)->default_str("none");
  app.add_option("--elements", command.elements, "random elements for each configuration")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 44));
  random_bits_option(app, command.random_bits);
  seed_option(app, command.seed);
  app.add_option("--stall", command.stall, "mix, none, light, heavy, random");
  app.add_option("--reset", command.reset, "mix, none, sweep, random, or cycles: 12,40");
  shard_option(app, command.shard);
  threads_option(app, command.threads);
  app.add_option("--only", command.only, "block I, or blocks A:B without B, of the same run");
  app.add_option("--compare", command.compare, "strict, or normative: mask don't-care codes");
  app.add_option("--errors", command.errors, "mismatches to show; all are counted");
  app.add_option("--time-out", command.time_out, "seconds a process may stay silent");
  app.add_option("--time-limit", command.time_limit, "seconds for the whole run");
  json_option(app, command.is_json);
  as_output(app.add_option("--junit", command.junit, "write a JUnit XML report to this file"),
            kJunitOutput);
}

}  // namespace

void add_run(CLI::App& root, Exit& exit) {
  CLI::App* const app = root.add_subcommand("run", "a device through a suite, tensors or vectors");
  app->footer(footer());
  const auto command = std::make_shared<RunCommand>();
  add_options(*app, *command);
  app->callback([command, &exit] {
    try {
      exit = run_command(*command);
    } catch (const sim::StimulusError& error) {
      throw Error(Exit::kBadInput, error.what());
    } catch (const golden::VectorError& error) {
      throw Error(Exit::kBadInput, error.what());
    } catch (const sim::UnsupportedError& error) {
      throw Error(Exit::kUsage, error.what());
    } catch (const sim::DutError& error) {
      throw Error(Exit::kDut, error.what());
    } catch (const std::invalid_argument& error) {
      throw Error(Exit::kBadInput, error.what());
    }
  });
}

}  // namespace mx::cli
