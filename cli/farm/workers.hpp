// Shards on one machine: programs side by side, each shard until it has a verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/farm/campaign.hpp"

namespace mx::cli {

struct WorkOptions {
  int workers = 1;  ///< programs at a time
  int threads = 1;  ///< of each
  int retries = 2;  ///< of a shard whose program or device broke
};

/// What a round of work came to.
struct WorkEnd {
  std::uint64_t done = 0;  ///< shards that have a receipt now and had none
  /// kPass: every shard has a receipt. Else why one has none.
  Exit exit = Exit::kPass;
  std::string problem;  ///< of what stopped the work, or ""
};

/// Runs these shards and writes their receipts. Failures are told as they come.
[[nodiscard]] WorkEnd work_on(const std::string& folder, const Campaign& campaign,
                              std::vector<std::uint64_t> shards, const WorkOptions& options);

}  // namespace mx::cli
