// Receipts put together: do they cover every word, once, with one answer?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
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
  bool may_be_open = false;  ///< does the profile leave anything open?
  std::uint64_t open = 0;    ///< words whose codes it leaves open, so not compared
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;  ///< the lowest wrong word
  std::string digest;                  ///< of the whole; "" where segments are missing
  std::vector<SegmentRange> missing;   ///< segments that no receipt has
  std::vector<std::string> conflicts;  ///< "segment 7: A and B have other digests"
  double seconds = 0;
  [[nodiscard]] bool is_proven() const { return is_right() && compared != 0; }
  /// Proven, but for that nothing may have been compared.
  [[nodiscard]] bool is_right() const {
    return missing.empty() && conflicts.empty() && mismatches == 0;
  }
};

struct Merged {
  std::vector<MergedSweep> sweeps;
  std::set<LeftOut> left_out;      ///< of all receipts
  std::vector<std::string> notes;  ///< duplicates, other versions: what a reader should know
  bool is_of_one_program = true;
  [[nodiscard]] bool is_proven() const;
};

/// A receipt and the name of its file.
struct NamedReceipt {
  std::string name;
  Receipt receipt;
};

/// Takes receipts one by one and keeps of each only the digests of its segments.
class SweepMerger {
 public:
  SweepMerger();
  ~SweepMerger();
  SweepMerger(const SweepMerger&) = delete;
  SweepMerger& operator=(const SweepMerger&) = delete;

  void add(const NamedReceipt& from);
  /// What all of them come to; nothing is added after that.
  [[nodiscard]] Merged finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Merged merge(const std::vector<NamedReceipt>& receipts);

}  // namespace mx::cli
