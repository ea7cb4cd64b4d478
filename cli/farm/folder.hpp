// A campaign's folder: which shards have receipts, which files are no good, who is at work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/farm/receipt.hpp"

namespace mx::cli {

/// A file among the receipts that counts for nothing.
struct BadReceipt {
  std::string path;
  std::string problem;
  bool is_receipt = false;  ///< by its name or by what it calls itself: --forget-bad may remove it
};

/// What lies in receipts/.
struct Survey {
  std::vector<bool> has;  ///< by shard
  std::uint64_t shards_done = 0;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  double seconds = 0;  ///< of all shards together
  std::vector<BadReceipt> bad;

  [[nodiscard]] std::vector<std::uint64_t> missing() const;
};

/// Reads every receipt and gives the good ones to `each`, in the order of their shards.
[[nodiscard]] Survey survey(
    const std::string& folder, const Campaign& campaign,
    const std::function<void(const std::string& path, const std::string& text,
                             const ShardReceipt& receipt)>& each);

/// Files in receipts/, without reading them.
[[nodiscard]] std::uint64_t count_receipts(const std::string& folder);

/// Error kBadInput that names the bad files and what to do; returns where there are none.
void require_good(const std::string& folder, const Survey& survey);

/// Removes the bad receipts and says so of each. Error kBadInput for what is none and stays.
void forget_bad(const std::string& folder, Survey survey);

/// Writes a receipt in one step. Error kUnwritable where the disk takes none.
void write_receipt(const std::string& folder, const Campaign& campaign,
                   const ShardReceipt& receipt);

/// While it lives, no other farm works on the folder. The kernel lets go of it when the program
/// ends, however it ends. Where no campaign came of it, what it has made is removed again.
class FolderLock {
 public:
  /// Makes the folder where there is none. Error kUsage where another farm has it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string folder_;
  std::vector<std::string> made_;  ///< files and folders that were not there, the innermost last
  int descriptor_ = -1;
};

}  // namespace mx::cli
