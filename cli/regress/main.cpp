// The regression of the Verilated quantizer alone: `mxgold run --dut rtl --suite full` without
// options, in a program that needs a third of the sources. ./dev regress runs it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>
#include <thread>

#include "cli/base/progress.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/text/colour.hpp"
#include "reference/parallel/threads.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/report/report.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace {

using namespace mx;

constexpr int kUsage = 2, kProtocol = 4, kInternal = 6;

int regress(std::string_view suite) {
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
  fmt::print("{}{}{}", sim::failures_text(result, facts), sim::table_text(result),
             cli::with_colour(sim::verdict_line(result, facts), stdout));
  return result.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view suite = argc > 1 ? argv[1] : "full";
  if (argc == 2 && suite == "--version") {
    fmt::print("mxgold_regress (sources {})\n", mx::cli::source_digest());
    return 0;
  }
  if (argc > 2 || (suite != "full" && suite != "smoke")) {
    fmt::print(stderr, "usage: mxgold_regress [full|smoke|--version]; mxgold run has options\n");
    return kUsage;
  }
  try {
    return regress(suite);
  } catch (const sim::DutError& error) {
    fmt::print(stderr, "mxgold_regress: {}\n", error.what());
    return kProtocol;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mxgold_regress: {}\n", error.what());
    return kInternal;
  }
}
