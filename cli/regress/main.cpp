// The regression of the Verilated quantizer alone: `mxgold run --dut rtl --suite full` without
// options, in a program that needs a third of the sources. ./dev regress runs it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/base/progress.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/text/colour.hpp"
#include "cli/verdict/stream_verdict.hpp"
#include "golden/bytes/new_file.hpp"
#include "reference/parallel/threads.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/report/report.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace {

using namespace mx;

constexpr int kUsage = 2, kProtocol = 4, kInternal = 6;

/// The first failure again, or the whole.
std::string repeated(const sim::RunResult& result, const sim::ReportFacts& facts,
                     std::string_view suite) {
  if (!result.mismatches.empty()) {
    const std::uint64_t first = result.mismatches.front().index;
    return facts.replay(first, first + 1);
  }
  if (!result.failures.empty()) {
    return facts.replay(result.failures.front().first, result.failures.front().last);
  }
  return fmt::format("mxgold run --dut rtl --suite {}", suite);
}

/// `log_path`: where the verdict with every count goes; nullptr for nowhere.
int regress(std::string_view suite, const char* log_path) {
  std::optional<golden::NewFile> log;
  if (log_path != nullptr) log.emplace(log_path);
  sim::SuiteOptions options;
  options.configs = sim::Selection::all().configurations(sim::kRtlRandomBits);
  options.size = suite == "full" ? sim::SuiteSize::kFull : sim::SuiteSize::kSmoke;
  options.random_bits = sim::kRtlRandomBits;
  options.threads = static_cast<unsigned>(machine_threads());
  const std::unique_ptr<sim::Dut> probe = sim::make_rtl_dut();
  options.refusal = [&](const QuantizerConfig& config) { return probe->refusal(config); };
  const sim::SuiteSource source(options);
  fmt::print(
      "run: suite {}: {} configurations, {} left out, {} more of other policies, dut {}, {} "
      "blocks\n",
      suite, source.configurations(), source.left_out(),
      source.configs().size() - source.configurations(), probe->name(),
      sim::with_commas(source.size()));
  std::fflush(stdout);

  sim::RunOptions run_options;
  run_options.judge = sim::Judge::kBoth;
  run_options.threads = options.threads;
  cli::Progress progress("checking", source.size());
  std::uint64_t shown = 0;
  run_options.progress = [&](std::uint64_t done, std::uint64_t) {
    progress.add(done - shown);
    shown = done;
  };
  const sim::RunResult result = sim::run(source, sim::make_rtl_dut, run_options);

  sim::ReportFacts facts;
  facts.dut = std::string(probe->name());
  facts.input = fmt::format("suite {}", suite);
  facts.judged_by.profile = golden::Origin().profile;
  facts.observed = probe->observes();
  facts.describe = [&](std::uint64_t i) { return source.describe(i); };
  facts.replay = [&](std::uint64_t first, std::uint64_t last) {
    return fmt::format("mxgold run --dut rtl --suite {} --only {}:{}", suite, first, last);
  };
  fmt::print(
      "{}{}{}", sim::failures_text(result, facts), sim::table_text(result),
      cli::with_colour(cli::stream_verdict(result, facts, repeated(result, facts, suite)), stdout));
  if (log) {
    log->write(sim::verdict_line(result, facts));
    log->commit();
  }
  return result.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view suite = argc > 1 ? argv[1] : "full";
  if (argc == 2 && suite == "--version") {
    fmt::print("mxgold_regress (sources {})\n", mx::cli::source_digest());
    return 0;
  }
  const bool has_log = argc == 4 && std::string_view(argv[2]) == "--log";
  if ((argc > 2 && !has_log) || (suite != "full" && suite != "smoke")) {
    fmt::print(stderr,
               "usage: mxgold_regress [full|smoke [--log FILE]|--version]; mxgold run has "
               "options\n");
    return kUsage;
  }
  try {
    return regress(suite, has_log ? argv[3] : nullptr);
  } catch (const sim::DutError& error) {
    fmt::print(stderr, "mxgold_regress: {}\n", error.what());
    return kProtocol;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mxgold_regress: {}\n", error.what());
    return kInternal;
  }
}
