// mxgold farm: a long command in shards, on one machine or many, begun once and resumed at will.
#include <filesystem>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/farm/ways.hpp"
#include "cli/options/common.hpp"
#include "golden/bytes/error.hpp"

namespace mx::cli {
namespace {

constexpr const char* kFarmExamples = R"(
Cuts a command into numbered shards, runs those that have no receipt in FOLDER yet, and merges. The
same line begins a campaign, goes on with one that was broken off, however that was, and says the
verdict of one that is done; without the command it is that of the folder. Farmed are sweep, run,
prove, mutate and verify-goldens. A receipt is written beside its name and renamed when it is whole,
so none is ever half there; a shard that two programs did counts once. The digest does not depend on
how many shards or machines there were. docs/howto/farm.md has the rest.

A folder's command may name a device that executes something: a command (process:), a shared library
(plugin:), Verilog that is compiled (device:, rtl:FOLDER, mutate). Where shards are left to do, type
the command again, or give --trust; otherwise it is refused (docs/trust.md). --merge and --status
execute nothing.

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

Exit run(FarmOptions options) {
  options.folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  while (options.folder.size() > 1 && options.folder.back() == '/') options.folder.pop_back();
  if (options.forgets_bad && (options.task >= 0 || options.round > 0 || options.is_status)) {
    fail(Exit::kUsage, "--forget-bad: not with --status, --task or --round, which remove nothing");
  }
  if (options.task >= 0) return farm_task(options);
  if (options.round > 0) return farm_round(options);
  if (options.is_status) return farm_status(options);
  if (options.is_merge) return farm_merge(options);
  if (!options.is_slurm && (options.is_detached || !options.sbatch.empty())) {
    fail(Exit::kUsage, "{}: goes with --slurm", options.is_detached ? "--detach" : "--sbatch");
  }
  return options.is_slurm ? farm_by_slurm(options) : farm_here(options);
}

void add_slurm_options(const Command& command, FarmOptions& options) {
  constexpr const char* kGroup = "Slurm";
  command
      .add_flag("--slurm", options.is_slurm,
                "Submit what is missing as a job array, wait for it and say the verdict")
      .group(kGroup);
  command.add_option("--sbatch", options.sbatch, "Options of sbatch for every job")
      .type_name("TEXT")
      .group(kGroup);
  command
      .add_flag("--detach", options.is_detached,
                "With --slurm: do not wait; exit 0 says that it was submitted, no verdict")
      .group(kGroup);
  command.add_option("--task", options.task, "What a task of the array calls: its number")
      .range(std::int64_t{0}, std::int64_t{1} << 32)
      .group(kGroup);
  command.add_option("--tasks", options.tasks, "With --task: tasks that the campaign is cut into")
      .range(std::uint64_t{1}, std::uint64_t{1} << 32)
      .group(kGroup);
  command
      .add_option("--round", options.round,
                  "What the job behind an array calls: submit what was lost, or merge")
      .range(0, 1000)
      .group(kGroup);
}

}  // namespace

void add_farm(const Command& root, Exit& exit) {
  const Command command = root.add_subcommand(
      "farm", "Run a long command in parts, on one machine or many, and resume it");
  const auto options = std::make_shared<FarmOptions>();
  command.add_option("FOLDER", options->folder, "Where the campaign is").required();
  command.add_option("COMMAND", options->command,
                     "Behind --: a command that is farmed, with options");
  command.add_option("--local", options->local, "Programs at a time on this machine")
      .range(1, 4096)
      .default_str("one for each core");
  command.add_option("--shards", options->shards, "Shards of a new campaign")
      .range(std::uint64_t{1}, std::uint64_t{1} << 32)
      .default_str("by the time that the first part takes");
  command.add_option("--shard-time", options->shard_time, "Seconds that a shard is to take")
      .range(0.1, 1e6)
      .capture_default_str();
  command.add_option("--threads", options->work.threads, "Threads of each program")
      .range(1, 4096)
      .capture_default_str();
  command
      .add_option("--retries", options->work.retries,
                  "How often a shard is tried again whose program or device broke")
      .range(0, 100)
      .capture_default_str();
  command.add_flag("--status", options->is_status, "Say how far it is, and do nothing");
  command.add_flag("--merge", options->is_merge, "Merge the receipts that are there, do no shard");
  command.add_flag(
      "--forget-bad", options->forgets_bad,
      "Remove receipts that are none of this campaign's, and do their shards again; with "
      "--merge: remove them alone");
  command.add_flag("--trust", options->is_trusted,
                   "Execute the devices that the folder's command names");
  json_option(command, options->is_json);
  add_slurm_options(command, *options);
  command.footer(kFarmExamples);
  command.callback([options, &exit] {
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      throw Error(Exit::kUnwritable, error.what());
    }
  });
}

}  // namespace mx::cli
