// The reference as a device that answers records, right or with one named defect: the self-test of
// what has no streams.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/record/device.hpp"

namespace mx::sim {

/// A defect of a device of records.
struct RecordFault {
  std::string_view token;
  std::string_view breaks;  ///< what a run must notice
  /// Changes the answer to record `number` of `count`; nullptr where it changes none.
  void (*change)(golden::RecordBatch&, std::size_t i, std::uint64_t number, std::uint64_t count);
  /// What becomes of the answer to the middle record.
  enum class Shift : std::uint8_t { kNone, kLost, kDoubled } shift = Shift::kNone;

  [[nodiscard]] bool breaks_protocol() const { return shift != Shift::kNone; }
};

/// One wrong bit in each field of the answer, in the first, a middle or the last record; answers
/// out of step.
[[nodiscard]] std::span<const RecordFault> record_faults();
[[nodiscard]] const RecordFault* find_record_fault(std::string_view token);

class ReferenceDevice : public RecordDevice {
 public:
  explicit ReferenceDevice(const RecordFault* fault = nullptr);

  [[nodiscard]] std::string_view name() const override { return name_; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;

 private:
  void run_shifted(const golden::VectorHeader& header, const NextRecords& next,
                   const TakeAnswers& take) const;
  const RecordFault* fault_;
  std::string name_;
};

}  // namespace mx::sim
