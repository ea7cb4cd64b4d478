// Receipts put together: do they cover every word, once, with one answer?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/sweep/receipt.hpp"

namespace mx::cli {

/// One conversion by one device, of all receipts.
struct MergedSweep {
  std::string summary;  ///< of the conversion and of what was swept
  SweepSpace space;
  std::string dut;
  std::string judge;
  std::uint64_t words = 0;     ///< that the sweep has
  std::uint64_t segments = 0;  ///< that the source has
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::string digest;                  ///< of the whole; "" where segments are missing
  std::vector<SegmentRange> missing;   ///< segments that no receipt has
  std::vector<std::string> conflicts;  ///< "segment 7: A and B have other digests"
  double seconds = 0;
  [[nodiscard]] bool is_proven() const {
    return missing.empty() && conflicts.empty() && mismatches == 0;
  }
};

struct Merged {
  std::vector<MergedSweep> sweeps;
  std::vector<std::string> notes;  ///< duplicates, other versions: what a reader should know
  bool is_of_one_program = true;
  [[nodiscard]] bool is_proven() const;
};

/// A receipt and the name of its file.
struct NamedReceipt {
  std::string name;
  Receipt receipt;
};

[[nodiscard]] Merged merge(const std::vector<NamedReceipt>& receipts);

}  // namespace mx::cli
