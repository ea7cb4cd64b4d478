// The ways in which a campaign is worked on: here, by Slurm, as one of Slurm's jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/farm/workers.hpp"

namespace mx::cli {

/// What `mxgold farm` was asked for.
struct FarmOptions {
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
  bool is_trusted = false;  ///< what the folder's command executes
};

/// Begins the folder's campaign or goes on with it, by programs on this machine, and merges.
[[nodiscard]] Exit farm_here(const FarmOptions& options);
/// The same by a job array; merges when no job of it is left.
[[nodiscard]] Exit farm_by_slurm(const FarmOptions& options);
/// One task of an array: its shards, one after the other.
[[nodiscard]] Exit farm_task(const FarmOptions& options);
/// The last job of a round: submits what was lost, as often as may be, or merges.
[[nodiscard]] Exit farm_round(const FarmOptions& options);
/// What is there, without doing any of it.
[[nodiscard]] Exit farm_merge(const FarmOptions& options);
[[nodiscard]] Exit farm_status(const FarmOptions& options);

}  // namespace mx::cli
