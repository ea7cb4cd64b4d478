// A campaign as a Slurm job array: what is missing is submitted, and a last job submits again what
// was lost, or merges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/farm/campaign.hpp"

namespace mx::cli {

struct SlurmOptions {
  std::string sbatch;  ///< options of sbatch, as on a command line: "-p long -t 4:00:00"
  int retries = 2;     ///< arrays after the first
  int threads = 1;     ///< of each task's program
};

/// Shards [first, last) of a task of the array. Slurm holds so many tasks in an array
/// (MaxArraySize); where a campaign has more shards, a task takes several.
[[nodiscard]] std::vector<std::uint64_t> shards_of_task(const Campaign& campaign,
                                                        std::uint64_t tasks, std::uint64_t task);

/// "0-3,7,9-12".
[[nodiscard]] std::string array_text(const std::vector<std::uint64_t>& tasks);

/// Words of a text, split at blanks outside quotes. Error kUsage for a quote without its end.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// The jobs of the campaign in this folder that Slurm still has, by its word. Error kBadInput
/// without Slurm.
[[nodiscard]] std::vector<std::string> live_jobs(const std::string& folder,
                                                 const Campaign& campaign);

/// Submits an array for these shards, and the last job behind it. `round` 0 is the first. Returns a
/// line that says so. Error kBadInput where sbatch refuses.
[[nodiscard]] std::string submit(const std::string& folder, const Campaign& campaign,
                                 const std::vector<std::uint64_t>& missing, int round,
                                 const SlurmOptions& options);

/// Submits the last job alone behind jobs that have none: of a farm that was killed between the
/// two.
void submit_end_if_missing(const std::string& folder, const Campaign& campaign,
                           const std::vector<std::string>& jobs, const SlurmOptions& options);

}  // namespace mx::cli
