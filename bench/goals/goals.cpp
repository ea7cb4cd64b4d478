// The table of goals: our paths beside peers and physical limits, in one process, in rounds that
// take turns. bench/README.md says what the rows are and where the peers come from.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/goals/rows.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/table.hpp"

namespace {

using namespace mx::goals;

struct Options {
  Setting setting = {.peers = MX_PEER_DIRECTORY, .program = MX_PROGRAM};
  std::vector<std::string> rows;
  int rounds = 25;
  bool is_strict = false;
};

void add_options(CLI::App& app, Options& options) {
  // C2, C10 and C11 are rows of python_goals.py, which takes the same options.
  const std::vector<std::string> goals = {"C1",  "C2",  "C3",  "C4", "C5", "C6", "C7", "C8", "C9",
                                          "C10", "C11", "C12", "G1", "G2", "G3", "R2", "R3", "R4"};
  app.add_option("--rows", options.rows, "only these goals, for example C1,C7")
      ->delimiter(',')
      ->check(CLI::IsMember(goals));
  app.add_option("--rounds", options.rounds, "rounds that count; fewer than 15 judge nothing")
      ->check(CLI::Range(3, 1000));
  app.add_option("--peers", options.setting.peers, "folder of the peers' libraries");
  app.add_option("--program", options.setting.program, "mxgold, which sweeps");
  app.add_option("--testfloat", options.setting.testfloat,
                 "folder of testfloat_gen and testfloat_ver");
  const auto whole_blocks = CLI::Validator(
      [](const std::string& text) {
        return std::stoull(text) % 32 == 0 && std::stoull(text) > 0
                   ? std::string()
                   : "must be a multiple of 32 above 0";
      },
      "BLOCKS");
  app.add_option("--small", options.setting.small, "elements that fit the caches")
      ->check(CLI::PositiveNumber & whole_blocks);
  app.add_option("--large", options.setting.large, "elements that do not")
      ->check(CLI::PositiveNumber & whole_blocks);
  app.add_flag("--strict", options.is_strict,
               "exit 1 where a goal is not met, or a row invalid or skipped");
}

/// The outcome. What has no fast path in this build is skipped; a row whose peer or files fail is a
/// mismatch with the reason.
Outcome outcome_of(const RowPlan& plan, const Options& options) {
  try {
    return measure(row_of(plan, options.setting), options.rounds);
  } catch (const std::invalid_argument& problem) {
    return {.id = plan.id, .what = plan.what, .goal = plan.goal, .note = problem.what()};
  } catch (const std::exception& error) {
    return {.id = plan.id,
            .what = plan.what,
            .goal = plan.goal,
            .verdict = Verdict::kMismatch,
            .note = std::string("failed: ") + error.what()};
  }
}

int run(const Options& options) {
  std::cout << machine_words() << "rounds: " << options.rounds
            << " and one dropped; sizes: " << options.setting.small << " and "
            << options.setting.large << " elements\n\n"
            << table_head() << std::flush;
  std::vector<Outcome> outcomes;
  for (const RowPlan& plan : all_rows(options.setting)) {
    if (!options.rows.empty() && std::ranges::count(options.rows, plan.id) == 0) continue;
    const Outcome outcome = outcome_of(plan, options);
    std::cout << table_line(outcome) << std::flush;
    if (!outcome.ratio) {
      std::cerr << "goals: " << word_of(outcome.verdict) << " " << outcome.id << ": "
                << outcome.note << "\n";
    }
    outcomes.push_back(outcome);
  }
  std::cout << "\n" << summary(outcomes) << "\n";
  return exit_status(outcomes, options.is_strict);
}

}  // namespace

int main(int count, char** words) {
  CLI::App app("Measures mxgold beside its peers and prints the table of goals.", "goals");
  Options options;
  add_options(app, options);
  CLI11_PARSE(app, count, words);
  return run(options);
}
