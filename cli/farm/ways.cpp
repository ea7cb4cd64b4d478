#include "cli/farm/ways.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "cli/base/chunks.hpp"
#include "cli/farm/folder.hpp"
#include "cli/farm/meter.hpp"
#include "cli/farm/result.hpp"
#include "cli/farm/slurm.hpp"
#include "cli/farm/suite.hpp"
#include "cli/text/command_text.hpp"
#include "cli/trust/trust.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {
int workers_of(const FarmOptions& options) {
  if (options.local != 0) return options.local;
  return std::max(1, default_threads() / options.work.threads);
}

/// How long the first part takes is how long the others will.
std::uint64_t measured_shards(const FarmOptions& options, Campaign campaign) {
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

Campaign begun(const FarmOptions& options) {
  if (std::filesystem::exists(result_path(options.folder))) {
    fail(Exit::kUsage, "{}: is there, and no campaign beside it: name another folder",
         result_path(options.folder));
  }
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
Campaign campaign_of(const FarmOptions& options) {
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

/// Before any of it is executed: the folder's command, unless the user typed it on this line.
void require_trust(const FarmOptions& options, const Campaign& campaign) {
  if (!options.command.empty()) return;
  require_farmed(campaign.command);
  require_trust(manifest_of(options.folder), executed_by(campaign.command),
                options.is_trusted ? Trust::kGiven : Trust::kAsked,
                fmt::format("{} farm {} --trust", program_word(), shell_quoted(options.folder)));
}

Exit print_result(const FarmOptions& options, const CampaignResult& result) {
  const std::vector<std::uint64_t> missing = result.survey.missing();
  if (!missing.empty()) {
    fmt::print(stderr, "farm: shards {} have no receipt: start the farm again{}\n",
               array_text(missing),
               std::filesystem::exists(options.folder + "/slurm")
                   ? fmt::format("; what tasks said: {}/slurm", options.folder)
                   : "");
  }
  if (result.is_covered) {
    golden::write_file(result_path(options.folder), result.json);
  } else {
    std::error_code ignored;  // of who may only look
    std::filesystem::remove(result_path(options.folder), ignored);
  }
  fmt::print("{}", options.is_json ? result.json : result.text);
  return result.exit();
}

/// What has no receipt, after what is no good was refused or forgotten.
std::vector<std::uint64_t> missing_of(const FarmOptions& options, const Campaign& campaign) {
  const Survey found = survey(options.folder, campaign, {});
  if (options.forgets_bad) {
    forget_bad(options.folder, found);
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

Exit merged(const FarmOptions& options, const Campaign& campaign, Exit work) {
  // Of a file that was replaced meanwhile nobody knows who answered what.
  require_unchanged(options.folder, campaign);
  const CampaignResult result = merge_campaign(options.folder, campaign);
  const Exit exit = print_result(options, result);
  return work == Exit::kPass ? exit : work;
}

/// "vectors compared"; the unit of runs says so by itself.
std::string compared_unit(const Campaign& campaign) {
  constexpr std::string_view kCompared = " compared";
  return campaign.unit + (campaign.unit.ends_with(kCompared) ? "" : std::string(kCompared));
}

SlurmOptions slurm_options(const FarmOptions& options) {
  return {options.sbatch, options.work.retries, options.work.threads};
}

constexpr std::chrono::seconds kPause{2};  // between questions to Slurm

/// A controller that is started again answers after a while.
bool has_jobs(const FarmOptions& options, const Campaign& campaign) {
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
void wait_for_jobs(const FarmOptions& options, const Campaign& campaign, std::uint64_t done) {
  Meter meter(campaign, campaign.shards - done);
  while (has_jobs(options, campaign)) {
    for (const std::uint64_t now = count_receipts(options.folder); done < now; ++done) meter.add(0);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Exit farm_here(const FarmOptions& options) {
  // A folder without a campaign is made for a command only.
  if (options.command.empty()) static_cast<void>(read_campaign(options.folder));
  const FolderLock lock(options.folder);
  const Campaign campaign = campaign_of(options);
  WorkOptions work = options.work;
  work.workers = workers_of(options);
  const std::vector<std::uint64_t> missing = missing_of(options, campaign);
  if (!missing.empty()) require_trust(options, campaign);
  const WorkEnd end = work_on(options.folder, campaign, missing, work);
  if (!end.problem.empty()) fail(end.exit, "{}", end.problem);
  return merged(options, campaign, end.exit);
}

Exit farm_task(const FarmOptions& options) {
  const Campaign campaign = read_campaign(options.folder);
  require_unchanged(options.folder, campaign);
  std::vector<std::uint64_t> shards =
      shards_of_task(campaign, options.tasks, static_cast<std::uint64_t>(options.task));
  std::erase_if(shards, [&](std::uint64_t shard) {
    return std::filesystem::exists(receipt_path(options.folder, campaign, shard));
  });
  if (!shards.empty()) require_trust(options, campaign);
  const WorkEnd end = work_on(options.folder, campaign, shards, options.work);
  if (!end.problem.empty()) fail(end.exit, "{}", end.problem);
  return end.exit;
}

Exit farm_round(const FarmOptions& options) {
  const Campaign campaign = read_campaign(options.folder);
  require_unchanged(options.folder, campaign);
  const Survey found = survey(options.folder, campaign, {});
  require_good(options.folder, found);
  const std::vector<std::uint64_t> missing = found.missing();
  if (!missing.empty() && options.round <= options.work.retries) {
    require_trust(options, campaign);
    fmt::print("{}\n",
               submit(options.folder, campaign, missing, options.round, slurm_options(options)));
    return Exit::kPass;
  }
  return merged(options, campaign, Exit::kPass);
}

Exit farm_by_slurm(const FarmOptions& options) {
  if (options.command.empty()) static_cast<void>(read_campaign(options.folder));
  const FolderLock lock(options.folder);
  const Campaign campaign = campaign_of(options);
  const std::vector<std::uint64_t> missing = missing_of(options, campaign);
  const std::vector<std::string> jobs = live_jobs(options.folder, campaign);
  if (!missing.empty() || !jobs.empty()) require_trust(options, campaign);
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

Exit farm_status(const FarmOptions& options) {
  const Campaign campaign = read_campaign(options.folder);
  const Survey found = survey(options.folder, campaign, {});
  const double each =
      found.shards_done == 0 ? 0 : found.seconds / static_cast<double>(found.shards_done);
  const std::uint64_t left = campaign.shards - found.shards_done;
  fmt::print(
      "{}: mxgold {}\n  device {}, judge {}, program {} of sources {}\n"
      "  {} of {} shards done, {} to do; {} {}, {} wrong\n"
      "  {:.1f} s a shard; {} to go for one worker\n",
      options.folder, fmt::join(campaign.command, " "), campaign.dut, campaign.judge,
      campaign.version, campaign.sources, found.shards_done, campaign.shards, left,
      golden::with_commas(found.compared), compared_unit(campaign), found.wrong, each,
      duration_text(each * static_cast<double>(left)));
  require_unchanged(options.folder, campaign);
  require_good(options.folder, found);
  if (found.wrong != 0) return Exit::kMismatch;
  return left == 0 ? Exit::kPass : Exit::kCoverage;
}

Exit farm_merge(const FarmOptions& options) {
  const Campaign campaign = read_campaign(options.folder);
  if (!options.forgets_bad) return merged(options, campaign, Exit::kPass);
  const FolderLock lock(options.folder);
  require_unchanged(options.folder, campaign);
  static_cast<void>(missing_of(options, campaign));
  return merged(options, campaign, Exit::kPass);
}

}  // namespace mx::cli
