// mxgold mutate: defects in the netlist of our RTL, each caught by the smoke suite or proved to be
// none.
#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/base/command.hpp"
#include "cli/mutate/report.hpp"
#include "cli/options/common.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/text/names.hpp"
#include "cli/text/part_of.hpp"
#include "golden/bytes/json_text.hpp"
#include "sim/mutate/campaign.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::cli {
namespace {

constexpr const char* kMutateExamples = R"(
A mutant changes one bit of one port of one cell of the netlist that Yosys makes of rtl/mx_quantizer.sv
(word-level cells, after proc; flatten; opt). Mutants are taken at random from all that there are, each as likely
as any other. Needs yosys, verilator, make and a C++ compiler.

Verdicts: killed (by the smoke suite), equivalent (proved by SAT), survivor, undecided (no proof in time),
invalid (a clock pin). Score: killed of all that are neither invalid nor equivalent.

Examples:
  mxgold mutate --build 2x16 --count 100
  mxgold mutate --build all --count 1000 --seed 7 --gate 99.5 --least-judged 2000 --json
  mxgold mutate --build 8x32 --count 5 --list > some.txt
  mxgold mutate --build 8x32 --mutants some.txt

Exit codes: 0 pass, 2 usage, 3 tools, RTL or nothing judged, 4 the netlist itself does not pass, 5 below the gate,
6 a killed mutant was proved equivalent (--prove-killed).)";

struct MutateOptions {
  std::string rtl = "rtl", work, mutants;
  Names builds = {"32x32"};
  std::size_t count = 100, prove_killed = 0, least_judged = 1;
  std::uint64_t seed = kDefaultSeed;
  double gate = 100;
  int threads = 0, prove_seconds = 60;
  bool is_list = false, is_json = false, is_quick = false, without_comparison = false;
  bool is_dry_run = false;
  std::string shard = "0/1";
};

/// Mutants of a part of a farm: a part begins with a netlist and a compiler, about 8 s of CPU time.
constexpr std::size_t kPart = 100;

constexpr sim::NetlistBuild kBuilds[] = {{32, 32}, {8, 32}, {2, 16}};

std::vector<sim::NetlistBuild> require_builds(const Names& names) {
  std::vector<sim::NetlistBuild> builds;
  if (is_all(names)) return {std::begin(kBuilds), std::end(kBuilds)};
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kBuilds, name, &sim::NetlistBuild::name);
    if (found == std::end(kBuilds)) {
      fail(Exit::kUsage, "--build {}: give 32x32, 8x32, 2x16 (lanes x block) or all",
           printable(name));
    }
    if (std::ranges::find(builds, name, &sim::NetlistBuild::name) != builds.end()) {
      fail(Exit::kUsage, "--build {}: is given twice; leave one out", name);
    }
    builds.push_back(*found);
  }
  return builds;
}

/// The lines of a file as --list prints them.
std::vector<sim::Mutation> read_mutants(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(Exit::kBadInput, "--mutants {}: cannot be read", path);
  std::vector<sim::Mutation> list;
  std::size_t number = 0;
  std::map<std::string, std::size_t> lines;  // by what they say
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::optional<sim::Mutation> mutation = sim::parse_mutation(line);
    if (!mutation) {
      fail(Exit::kBadInput, "{}:{}: not a mutation; give lines of mxgold mutate --list", path,
           number);
    }
    const auto [first, is_new] = lines.try_emplace(mutation->command(0), number);
    if (!is_new) {
      fail(Exit::kBadInput, "{}:{}: is the mutant of line {} again; leave one out", path, number,
           first->second);
    }
    list.push_back(*mutation);
  }
  if (list.empty()) fail(Exit::kBadInput, "{}: no mutants", path);
  return list;
}

sim::CampaignOptions campaign_options(const MutateOptions& options, const sim::NetlistBuild& build,
                                      const sim::WorkFolder& work) {
  sim::CampaignOptions campaign;
  campaign.rtl = options.rtl;
  campaign.work = work.path() / build.name();
  std::filesystem::create_directories(campaign.work);
  campaign.build = build;
  campaign.count = options.count;
  campaign.seed = options.seed;
  campaign.threads = static_cast<unsigned>(thread_count(options.threads));
  campaign.prove_seconds = options.prove_seconds;
  campaign.prove_killed = options.prove_killed;
  if (options.is_quick) campaign.effort = sim::CampaignEffort::kQuick;
  if (options.without_comparison) campaign.comparison = sim::Comparison::kAbsent;
  if (!options.mutants.empty()) campaign.given = read_mutants(options.mutants);
  campaign.say = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
  return campaign;
}

std::string name_of_rtl(const MutateOptions& options) {
  return fmt::format("netlist (sources {})", sim::digest_of_rtl(options.rtl).substr(0, 16));
}

/// What is to be done with the netlist of a build.
struct Job {
  sim::CampaignOptions options;
  sim::CampaignPlan plan;
};

std::size_t mutants_of(const std::vector<Job>& jobs) {
  std::size_t count = 0;
  for (const Job& job : jobs) count += job.plan.mutants.size();
  return count;
}

std::vector<Job> plan_all(const MutateOptions& options, const sim::WorkFolder& work) {
  const std::vector<sim::NetlistBuild> builds = require_builds(options.builds);
  if (!options.mutants.empty() && builds.size() != 1) {
    fail(Exit::kUsage, "--mutants: its mutants are of one build; give one --build");
  }
  std::vector<Job> jobs;
  for (const sim::NetlistBuild& build : builds) {
    sim::CampaignOptions campaign = campaign_options(options, build, work);
    sim::CampaignPlan plan = sim::plan_campaign(campaign);
    jobs.push_back({std::move(campaign), std::move(plan)});
  }
  return jobs;
}

/// Leaves the mutants of --shard, of all builds in a row, and the jobs that have any.
void take_shard(std::vector<Job>& jobs, const std::string& shard) {
  std::vector<std::pair<std::size_t, sim::Mutation>> all;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (sim::Mutation& each : jobs[i].plan.mutants) all.emplace_back(i, std::move(each));
    jobs[i].plan.mutants.clear();
  }
  for (auto& [job, mutation] : part_of(all, shard, "mutants")) {
    jobs[job].plan.mutants.push_back(std::move(mutation));
  }
  std::erase_if(jobs, [](const Job& job) { return job.plan.mutants.empty(); });
}

void print_list(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    fmt::print("# mutants of {}, seed {}\n", job.options.build.name(), job.options.seed);
    for (const sim::Mutation& mutation : job.plan.mutants) {
      fmt::print("{} -src {}\n", mutation.command(0), mutation.source);
    }
  }
}

void print_plan(const MutateOptions& options, std::size_t mutants) {
  const nlohmann::ordered_json plan = {{"parts", (mutants + kPart - 1) / kPart},
                                       {"cases", mutants},
                                       {"dut", name_of_rtl(options)},
                                       {"reads", nlohmann::ordered_json::array({options.rtl})},
                                       {"judge", "smoke suite; of what it leaves Yosys and ABC"}};
  fmt::print("{}\n", golden::dumped(plan, 2));
}

Exit mutate_command(const MutateOptions& options) {
  const sim::WorkFolder work(options.work);
  std::vector<Job> jobs = plan_all(options, work);
  take_shard(jobs, options.shard);
  if (options.is_dry_run) {
    print_plan(options, mutants_of(jobs));
    return Exit::kPass;
  }
  if (options.is_list) {
    print_list(jobs);
    return Exit::kPass;
  }
  std::vector<sim::Campaign> campaigns;
  for (const Job& job : jobs) campaigns.push_back(sim::run_campaign(job.options, job.plan));
  const MutationReport report{campaigns, name_of_rtl(options), options.seed, options.gate,
                              options.least_judged};
  fmt::print("{}", options.is_json ? json_of(report) : text_of(report));
  return exit_of(report);
}

}  // namespace

void add_mutate(const Command& root, Exit& exit) {
  const auto options = std::make_shared<MutateOptions>();
  const Command app = root.add_subcommand(
      "mutate", "Put defects into the netlist of our RTL and see whether tests catch them");
  app.footer(kMutateExamples);
  app.add_option("--rtl", options->rtl, "Folder of the RTL").capture_default_str();
  as_list(app.add_option("--build", options->builds, "LANESxBLOCK: 32x32, 8x32, 2x16, or all"))
      .capture_default_str();
  app.add_option("--count", options->count, "Mutants of each build")
      .range(1, 65535)
      .capture_default_str();
  seed_option(app, options->seed);
  app.add_option("--gate", options->gate, "Least score in percent")
      .range(0.0, 100.0)
      .capture_default_str();
  app.add_option("--least-judged", options->least_judged,
                 "Fewer mutants neither invalid nor equivalent are below the gate")
      .range(1, 1000000)
      .capture_default_str();
  app.add_flag("--list", options->is_list, "Print the mutants and try none");
  app.add_option("--mutants", options->mutants, "Lines of --list instead of random ones");
  app.add_flag("--quick", options->is_quick,
               "Without the rest of the suite for mutants that need it");
  app.add_option("--prove-seconds", options->prove_seconds, "For each question about a mutant")
      .range(1, 3600)
      .capture_default_str();
  app.add_option("--prove-killed", options->prove_killed,
                 "Control: try to prove so many killed mutants equivalent")
      .range(0, 65535);
  app.add_flag("--without-comparison", options->without_comparison,
               "Control: check the protocol only, so that mutants survive");
  app.add_option("--work", options->work, "Keep netlists, code and proofs in this folder");
  shard_option(app, options->shard);
  app.add_flag("--dry-run", options->is_dry_run,
               "Say as JSON how many mutants there are and of which RTL, try none");
  json_option(app, options->is_json);
  threads_option(app, options->threads);
  app.callback([options, &exit] {
    exit = with_device_errors([&] {
      try {
        return mutate_command(*options);
      } catch (const sim::ToolError& error) {
        throw Error(Exit::kBadInput, error.what());
      }
    });
  });
}

}  // namespace mx::cli
