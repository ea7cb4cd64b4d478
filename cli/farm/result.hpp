// All receipts of a campaign together: what was compared, by whom, with what digest.
#pragma once

#include <cstdint>
#include <string>

#include "cli/base/error.hpp"
#include "cli/farm/folder.hpp"

namespace mx::cli {

/// What a campaign came to. `json` depends on the command, the program and the device alone: not on
/// the number of shards, who did them, or when.
struct CampaignResult {
  Survey survey;
  bool is_covered = false;     ///< every shard has a receipt, and together they cover the whole
  bool is_judged = true;       ///< false: nothing compared; mutants, each invalid or equivalent
  std::uint64_t unjudged = 0;  ///< parts of which no judge could say anything
  std::uint64_t wrong = 0;
  std::string digest;  ///< of the whole; "" where it is not covered
  std::string text;    ///< for people
  std::string json;
  /// kPass, kMismatch, kCoverage: it is not whole, or kBadInput: nothing of it, or not all, is
  /// judged.
  [[nodiscard]] Exit exit() const;
};

/// Reads all receipts. Error kBadInput where one is no good, or where they contradict each other.
[[nodiscard]] CampaignResult merge_campaign(const std::string& folder, const Campaign& campaign);

/// Where the result of a whole campaign is written.
[[nodiscard]] std::string result_path(const std::string& folder);

}  // namespace mx::cli
