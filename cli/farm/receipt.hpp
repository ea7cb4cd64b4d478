// What a shard came to, on paper.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/farm/campaign.hpp"

namespace mx::cli {

/// A receipt of a shard. `result` is JSON: that of a sweep (docs/exhaustive-runs.md), or a list of
/// parts.
struct ShardReceipt {
  std::string campaign;  ///< its id
  std::uint64_t shard = 0;
  std::uint64_t shards = 0;
  std::string version;
  std::string commit;
  std::string sources;
  std::string host;
  std::string dut;
  std::string judge;
  std::string unit;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  double seconds = 0;  ///< of the shard, whatever else the machine did
  std::string result;

  /// Nothing is wrong: of a shard that may be wholly open nothing may have been compared.
  [[nodiscard]] bool is_right() const { return wrong == 0; }
  [[nodiscard]] std::string_view verdict() const {
    if (!is_right()) return "FAIL";
    return compared == 0 ? "NOTHING COMPARED" : "PASS";
  }
};

/// A receipt of this program on this machine, still without what the shard came to.
[[nodiscard]] ShardReceipt receipt_of_shard(const Campaign& campaign, std::uint64_t shard);

/// JSON with the SHA-256 of everything before it as its last field, and a final line feed.
[[nodiscard]] std::string shard_receipt_text(const ShardReceipt& receipt);

/// Throws Error kBadInput naming `path` and field for anything that is not a receipt as it was
/// written.
[[nodiscard]] ShardReceipt parse_shard_receipt(const std::string& path, const std::string& text);

/// Why a receipt is none of the campaign's, or "": another campaign, program, device or judge.
[[nodiscard]] std::string receipt_problem(const Campaign& campaign, const ShardReceipt& receipt);

/// Where a receipt contradicts itself: totals that are not those of its parts, parts that are not
/// its shard's, a sweep by another device. "" where it does not. Throws Error kBadInput naming
/// `path` for a result that is none.
[[nodiscard]] std::string contradiction_of(const std::string& path, const Campaign& campaign,
                                           const ShardReceipt& receipt);

/// The path of a shard's receipt.
[[nodiscard]] std::string receipt_path(const std::string& folder, const Campaign& campaign,
                                       std::uint64_t shard);

}  // namespace mx::cli
