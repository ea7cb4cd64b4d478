// mxgold farm: a long command in shards, on one machine or many, begun once and resumed at will.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/farm/folder.hpp"
#include "cli/farm/meter.hpp"
#include "cli/farm/result.hpp"
#include "cli/farm/slurm.hpp"
#include "cli/farm/suite.hpp"
#include "cli/farm/workers.hpp"
#include "cli/options/common.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Cuts a command into numbered shards, runs those that have no receipt in FOLDER yet, and merges. The
same line begins a campaign, goes on with one that was broken off, however that was, and says the
verdict of one that is done; without the command it is that of the folder. Farmed are sweep, run,
prove, mutate and verify-goldens. A receipt is written beside its name and renamed when it is whole,
so none is ever half there; a shard that two programs did counts once. The digest does not depend on
how many shards or machines there were. docs/farm.md has the rest.

Without --shards they are sized by the first part, which is timed: --shard-time seconds each.

Examples:
  mxgold farm sweeps --local 8 -- sweep --format e4m3fn,e5m2 --rounding all
  mxgold farm sweeps
  mxgold farm sweeps --status
  mxgold farm nightly --shards 64 -- run --dut rtl --suite full
  mxgold farm proofs --local 4 -- prove P1 P2
  mxgold farm mutants --slurm -- mutate --build all --count 5000 --seed 7
  mxgold farm goldens --local 8 -- verify-goldens golden/data/smoke
  mxgold farm sweeps --slurm --sbatch '-p long -t 2:00:00' -- sweep --format e4m3fn

Exit codes: 0 every shard is done and right, 1 mismatches, 2 usage (also: another farm is at work on
the folder), 3 a receipt, program or input that is not the campaign's, a disk that takes no receipt,
no Slurm, 4 a device that failed, 5 shards are missing, 6 shards whose program broke down.)";

struct Options {
  std::string folder;
  std::vector<std::string> command;
  int local = 0;
  std::uint64_t shards = 0;
  double shard_time = 60;
  WorkOptions work;
  bool is_status = false;
  bool is_merge = false;
  bool forgets_bad = false;
  bool is_slurm = false;
  bool is_detached = false;
  std::string sbatch;
  std::int64_t task = -1;
  std::uint64_t tasks = 1;
  int round = 0;
  bool is_json = false;
};

int workers_of(const Options& options) {
  if (options.local != 0) return options.local;
  return std::max(1, default_threads() / options.work.threads);
}

/// How long the first part takes is how long the others will.
std::uint64_t measured_shards(const Options& options, Campaign campaign) {
  if (campaign.parts == 1) return 1;
  campaign.shards = campaign.parts;
  const ShardEnd first = run_shard(campaign, 0, options.work.threads);
  if (!first.receipt) fail(first.exit, "the first part, to be timed: {}", first.message);
  const double part = std::max(first.receipt->seconds, 1e-3);
  const double all = part * static_cast<double>(campaign.parts);
  const int workers = workers_of(options);
  // Enough of them that no worker waits long for the last one.
  const auto least = options.is_slurm ? 1 : static_cast<std::uint64_t>(workers) * 4;
  const auto by_time = static_cast<std::uint64_t>(std::llround(all / options.shard_time));
  const std::uint64_t shards =
      std::clamp<std::uint64_t>(std::max(by_time, least), 1, campaign.parts);
  fmt::print(stderr, "farm: the first of {} parts took {:.2f} s: {} {} take {} on {}\n",
             golden::with_commas(campaign.parts), part,
             short_count(static_cast<double>(campaign.work)),
             campaign.suite() == "run" ? "cases" : campaign.unit,
             options.is_slurm ? duration_text(all) : duration_text(all / workers),
             options.is_slurm ? "one core" : fmt::format("{} at a time", workers));
  return shards;
}

Campaign begun(const Options& options) {
  Campaign campaign = planned(options.command, std::filesystem::current_path().string());
  if (options.shards > campaign.parts) {
    fail(Exit::kUsage, "--shards {}: `mxgold {}` has {} parts at most; give no more",
         options.shards, fmt::join(options.command, " "), campaign.parts);
  }
  campaign.shards = options.shards != 0 ? options.shards : measured_shards(options, campaign);
  write_campaign(options.folder, campaign);
  fmt::print(stderr, "farm: {} shards, device {}, in {}\n", golden::with_commas(campaign.shards),
             campaign.dut, options.folder);
  return campaign;
}

/// The folder's campaign, or a new one. Error kUsage where the command is not the folder's.
Campaign campaign_of(const Options& options) {
  const bool is_there = std::filesystem::exists(manifest_of(options.folder));
  if (!is_there && !options.command.empty()) return begun(options);
  Campaign campaign = read_campaign(options.folder);
  if (!options.command.empty() && options.command != campaign.command) {
    fail(Exit::kUsage,
         "{}: is the campaign of `mxgold {}`: name another folder, or leave the "
         "command out",
         options.folder, fmt::join(campaign.command, " "));
  }
  if (options.shards != 0 && options.shards != campaign.shards) {
    fail(Exit::kUsage, "--shards {}: {} was begun with {}: leave the option out", options.shards,
         options.folder, campaign.shards);
  }
  require_unchanged(options.folder, campaign);
  return campaign;
}

Exit print_result(const Options& options, const CampaignResult& result) {
  const std::vector<std::uint64_t> missing = result.survey.missing();
  if (!missing.empty()) {
    fmt::print(stderr, "farm: shards {} have no receipt: start the farm again{}\n",
               array_text(missing),
               std::filesystem::exists(options.folder + "/slurm")
                   ? fmt::format("; what tasks said: {}/slurm", options.folder)
                   : "");
  }
  if (result.is_covered) golden::write_file(result_path(options.folder), result.json);
  fmt::print("{}", options.is_json ? result.json : result.text);
  return result.exit();
}

/// What has no receipt, after what is no good was refused or forgotten.
std::vector<std::uint64_t> missing_of(const Options& options, const Campaign& campaign) {
  const Survey found = survey(options.folder, campaign, {});
  if (options.forgets_bad) {
    forget_bad(found);
  } else {
    require_good(options.folder, found);
  }
  std::vector<std::uint64_t> missing = found.missing();
  if (!missing.empty()) std::filesystem::remove(result_path(options.folder));
  if (found.shards_done != 0) {
    fmt::print(stderr, "farm: {} of {} shards have receipts, {} to do\n", found.shards_done,
               campaign.shards, missing.size());
  }
  return missing;
}

Exit merged(const Options& options, const Campaign& campaign, Exit work) {
  // Of a file that was replaced meanwhile nobody knows who answered what.
  require_unchanged(options.folder, campaign);
  const CampaignResult result = merge_campaign(options.folder, campaign);
  const Exit exit = print_result(options, result);
  return work == Exit::kPass ? exit : work;
}

Exit run_local(const Options& options) {
  // A folder without a campaign is made for a command only.
  if (options.command.empty()) static_cast<void>(read_campaign(options.folder));
  const FolderLock lock(options.folder);
  const Campaign campaign = campaign_of(options);
  WorkOptions work = options.work;
  work.workers = workers_of(options);
  const WorkEnd end = work_on(options.folder, campaign, missing_of(options, campaign), work);
  if (!end.problem.empty()) fail(end.exit, "{}", end.problem);
  return merged(options, campaign, end.exit);
}

/// One task of an array: its shards, one after the other.
Exit run_task(const Options& options) {
  const Campaign campaign = read_campaign(options.folder);
  require_unchanged(options.folder, campaign);
  std::vector<std::uint64_t> shards =
      shards_of_task(campaign, options.tasks, static_cast<std::uint64_t>(options.task));
  std::erase_if(shards, [&](std::uint64_t shard) {
    return std::filesystem::exists(receipt_path(options.folder, campaign, shard));
  });
  const WorkEnd end = work_on(options.folder, campaign, shards, options.work);
  if (!end.problem.empty()) fail(end.exit, "{}", end.problem);
  return end.exit;
}

SlurmOptions slurm_options(const Options& options) {
  return {options.sbatch, options.work.retries, options.work.threads};
}

/// The last job of a round: submits what was lost, as often as may be, or merges.
Exit run_round(const Options& options) {
  const Campaign campaign = read_campaign(options.folder);
  require_unchanged(options.folder, campaign);
  const Survey found = survey(options.folder, campaign, {});
  require_good(options.folder, found);
  const std::vector<std::uint64_t> missing = found.missing();
  if (!missing.empty() && options.round <= options.work.retries) {
    fmt::print("{}\n",
               submit(options.folder, campaign, missing, options.round, slurm_options(options)));
    return Exit::kPass;
  }
  return merged(options, campaign, Exit::kPass);
}

constexpr std::chrono::seconds kPause{2};  // between questions to Slurm

/// A controller that is started again answers after a while.
bool has_jobs(const Options& options, const Campaign& campaign) {
  constexpr int kTries = 30;
  for (int i = 1;; ++i) {
    try {
      return !live_jobs(options.folder, campaign).empty();
    } catch (const Error&) {
      if (i == kTries) throw;
      std::this_thread::sleep_for(kPause);
    }
  }
}

/// Until Slurm has no job of the campaign any more. The jobs need nobody to wait for them.
void wait_for_jobs(const Options& options, const Campaign& campaign, std::uint64_t done) {
  Meter meter(campaign, campaign.shards - done);
  while (has_jobs(options, campaign)) {
    for (const std::uint64_t now = count_receipts(options.folder); done < now; ++done) meter.add(0);
    std::this_thread::sleep_for(kPause);
  }
}

Exit run_slurm(const Options& options) {
  if (options.command.empty()) static_cast<void>(read_campaign(options.folder));
  const FolderLock lock(options.folder);
  const Campaign campaign = campaign_of(options);
  const std::vector<std::uint64_t> missing = missing_of(options, campaign);
  const std::vector<std::string> jobs = live_jobs(options.folder, campaign);
  if (!jobs.empty()) {
    fmt::print(stderr, "farm: jobs {} are still at work on it\n", fmt::join(jobs, ", "));
    submit_end_if_missing(options.folder, campaign, jobs, slurm_options(options));
  } else if (!missing.empty()) {
    fmt::print(stderr, "farm: {}\n",
               submit(options.folder, campaign, missing, 0, slurm_options(options)));
  }
  if (options.is_detached && !(jobs.empty() && missing.empty())) {
    fmt::print("SUBMITTED {}: no verdict yet; mxgold farm {} --status\n", options.folder,
               options.folder);
    return Exit::kPass;
  }
  wait_for_jobs(options, campaign, campaign.shards - missing.size());
  return merged(options, campaign, Exit::kPass);
}

Exit print_status(const Options& options) {
  const Campaign campaign = read_campaign(options.folder);
  const Survey found = survey(options.folder, campaign, {});
  const double each =
      found.shards_done == 0 ? 0 : found.seconds / static_cast<double>(found.shards_done);
  const std::uint64_t left = campaign.shards - found.shards_done;
  fmt::print(
      "{}: mxgold {}\n  device {}, judge {}, program {} of sources {}\n"
      "  {} of {} shards done, {} to do; {} {} compared, {} wrong\n"
      "  {:.1f} s a shard; {} to go for one worker\n",
      options.folder, fmt::join(campaign.command, " "), campaign.dut, campaign.judge,
      campaign.version, campaign.sources, found.shards_done, campaign.shards, left,
      golden::with_commas(found.compared), campaign.unit, found.wrong, each,
      duration_text(each * static_cast<double>(left)));
  require_good(options.folder, found);
  if (found.wrong != 0) return Exit::kMismatch;
  return left == 0 ? Exit::kPass : Exit::kCoverage;
}

Exit run(Options options) {
  options.folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  while (options.folder.size() > 1 && options.folder.back() == '/') options.folder.pop_back();
  if (options.task >= 0) return run_task(options);
  if (options.round > 0) return run_round(options);
  if (options.is_status) return print_status(options);
  if (options.is_merge) {
    return merged(options, read_campaign(options.folder), Exit::kPass);
  }
  if (!options.is_slurm && (options.is_detached || !options.sbatch.empty())) {
    fail(Exit::kUsage, "{}: goes with --slurm", options.is_detached ? "--detach" : "--sbatch");
  }
  return options.is_slurm ? run_slurm(options) : run_local(options);
}

void add_slurm_options(CLI::App& command, Options& options) {
  constexpr const char* kGroup = "Slurm";
  command
      .add_flag("--slurm", options.is_slurm,
                "Submit what is missing as a job array, wait for it and say the verdict")
      ->group(kGroup);
  command.add_option("--sbatch", options.sbatch, "Options of sbatch for every job")
      ->type_name("TEXT")
      ->group(kGroup);
  command
      .add_flag("--detach", options.is_detached,
                "With --slurm: do not wait; exit 0 says that it was submitted, no verdict")
      ->group(kGroup);
  command.add_option("--task", options.task, "What a task of the array calls: its number")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 32))
      ->group(kGroup);
  command.add_option("--tasks", options.tasks, "With --task: tasks that the campaign is cut into")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->group(kGroup);
  command
      .add_option("--round", options.round,
                  "What the job behind an array calls: submit what was lost, or merge")
      ->check(CLI::Range(0, 1000))
      ->group(kGroup);
}

}  // namespace

void add_farm(CLI::App& root, Exit& exit) {
  CLI::App& command = *root.add_subcommand(
      "farm", "A long command in shards, on one machine or many, resumed at will");
  const auto options = std::make_shared<Options>();
  command.add_option("FOLDER", options->folder, "Where the campaign is")->required();
  command.add_option("COMMAND", options->command,
                     "Behind --: a command that is farmed, with options");
  command.add_option("--local", options->local, "Programs at a time on this machine")
      ->check(CLI::Range(1, 4096))
      ->default_str("one for each core");
  command.add_option("--shards", options->shards, "Shards of a new campaign")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->default_str("by the time that the first part takes");
  command.add_option("--shard-time", options->shard_time, "Seconds that a shard is to take")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  command.add_option("--threads", options->work.threads, "Threads of each program")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--retries", options->work.retries,
                  "How often a shard is tried again whose program or device broke")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command.add_flag("--status", options->is_status, "Say how far it is, and do nothing");
  command.add_flag("--merge", options->is_merge, "Merge the receipts that are there, do no shard");
  command.add_flag("--forget-bad", options->forgets_bad,
                   "Remove files that are no receipts of this campaign, and do their shards again");
  json_option(command, options->is_json);
  add_slurm_options(command, *options);
  command.footer(kExamples);
  command.callback([options, &exit] {
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      throw Error(Exit::kUnwritable, error.what());
    }
  });
}

}  // namespace mx::cli
