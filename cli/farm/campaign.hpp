// A campaign: one long command in numbered shards, and the manifest that says which.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/parts/inputs.hpp"

namespace mx::cli {

/// What a campaign is. It is written once, when the campaign begins; everything later is held
/// against it.
struct Campaign {
  std::vector<std::string> command;  ///< "sweep", "--format", ...
  std::string folder;                ///< where the command runs: its paths may be relative
  std::string version;               ///< of the program
  std::string commit;
  std::string sources;             ///< digest of the program's sources
  std::vector<std::string> reads;  ///< files and folders that the command says that it reads
  InputDigests files;              ///< everything that it reads, as it was when the campaign began
  std::string dut;                 ///< as receipts have it
  std::string judge;
  std::string unit;          ///< what `work` counts: "words", "cases", "statements"
  std::uint64_t work = 0;    ///< in all
  std::uint64_t parts = 0;   ///< the most shards; digests are of parts, whatever the shards
  std::uint64_t sweeps = 0;  ///< conversions of a sweep
  std::uint64_t shards = 0;

  [[nodiscard]] const std::string& suite() const { return command.front(); }
  /// SHA-256 of all of the above.
  [[nodiscard]] std::string id() const;
};

/// Parts [first, last) of a shard.
struct PartRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
[[nodiscard]] PartRange parts_of(const Campaign& campaign, std::uint64_t shard);

/// The manifest's path in a campaign's folder.
[[nodiscard]] std::string manifest_of(const std::string& folder);

/// Writes it in one step. Throws golden::VectorError where it cannot be written.
void write_campaign(const std::string& folder, const Campaign& campaign);

/// Reads it. Error kBadInput naming file and field for anything that is no manifest as it was
/// written.
[[nodiscard]] Campaign read_campaign(const std::string& folder);

/// Error kUsage for a text that JSON cannot hold.
void require_text(const Campaign& campaign);

/// Error kBadInput where this is another program than the campaign's, or a file that its command
/// reads is another now.
void require_unchanged(const std::string& folder, const Campaign& campaign);

}  // namespace mx::cli
