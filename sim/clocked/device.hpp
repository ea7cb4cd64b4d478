// SPDX-License-Identifier: Apache-2.0
// A device with a clock as one that answers records: each segment is driven through its ports, with
// stalls, resets and the laws of the protocol.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/block/model.hpp"
#include "sim/coverage/protocol_coverage.hpp"
#include "sim/drive/driver.hpp"
#include "sim/dut/dut.hpp"
#include "sim/record/device.hpp"

namespace mx::sim {

/// What the clocked devices of one run have done, added up over all threads.
struct ClockedTotals {
  DriveStats drive;
  std::uint64_t reset_segments = 0;
  std::uint64_t stalled_segments = 0;
  std::optional<ProtocolCoverage> protocol;  ///< of a device whose cycles mean something
};

/// Adds totals up; any thread may.
class ClockedTally {
 public:
  void add(const DriveStats& segment);
  void add(const ProtocolCoverage& coverage);
  [[nodiscard]] const ClockedTotals& totals() const { return totals_; }

 private:
  std::mutex mutex_;
  ClockedTotals totals_;
};

/// Stalls, resets and seed of a segment.
using DriveOf = std::function<DriveOptions(std::uint32_t segment)>;

class ClockedDevice : public RecordDevice {
 public:
  /// `configs` and `tally` must live as long. Throws what Dut::configure() throws.
  ClockedDevice(std::unique_ptr<Dut> dut, const Configurations& configs, std::uint64_t seed,
                DriveOf drive_of, ClockedTally& tally);
  ~ClockedDevice() override;
  ClockedDevice(const ClockedDevice&) = delete;
  ClockedDevice& operator=(const ClockedDevice&) = delete;

  [[nodiscard]] std::string_view name() const override { return dut_->name(); }
  [[nodiscard]] golden::Observed observes() const override;
  /// Everything in segment 0.
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;
  void run_segment(const golden::VectorHeader& header, const Segment& segment,
                   const NextRecords& next, const TakeAnswers& take) override;

 private:
  std::unique_ptr<Dut> dut_;
  DriveOf drive_of_;
  ClockedTally& tally_;
  std::optional<ProtocolCoverage> protocol_;
  // Of the segment:
  golden::RecordBatch records_, batch_;
  std::vector<BlockIn> blocks_;
  std::vector<BlockOut> answers_;
};

}  // namespace mx::sim
