// What can be farmed: how much a command has to do, and one shard of it by a program of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/farm/receipt.hpp"

namespace mx::cli {

/// Error kUsage for a command that has no shards, or with options that shards get themselves.
void require_farmed(const std::vector<std::string>& command);

/// Asks the program what a command would do and does nothing of it: a campaign without its shards.
/// Error kUsage for a command that cannot be farmed, and the program's own for one that it refuses.
[[nodiscard]] Campaign planned(const std::vector<std::string>& command, const std::string& folder);

/// What became of a shard.
struct ShardEnd {
  std::optional<ShardReceipt> receipt;  ///< nothing: it came to no verdict
  std::string message;                  ///< the wrong answers, or why there is no verdict
  Exit exit = Exit::kPass;              ///< kPass, kMismatch, or why there is no verdict
  /// Would the next try end the same? A program that was killed or a device that failed may not.
  bool is_final = false;
};

/// Runs a shard on threads. Throws nothing that the program's end can be blamed for.
[[nodiscard]] ShardEnd run_shard(const Campaign& campaign, std::uint64_t shard, int threads);

}  // namespace mx::cli
