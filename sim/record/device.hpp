// A device under test that reads records and answers them: any operation, any shape, no clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::sim {

/// Replaces the batch by the next records, operands only; false at the end.
using NextRecords = std::function<bool(golden::RecordBatch&)>;
/// Takes records with the device's answers, in order.
using TakeAnswers = std::function<void(const golden::RecordBatch&)>;

class RecordDevice {
 public:
  RecordDevice() = default;
  RecordDevice(const RecordDevice&) = delete;
  RecordDevice& operator=(const RecordDevice&) = delete;
  virtual ~RecordDevice() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Answers header.count records. Throws DutError where the device answers too little, too much,
  /// garbage, or nothing in time.
  virtual void run(const golden::VectorHeader& header, const NextRecords& next,
                   const TakeAnswers& take) = 0;

  /// Which bins of the protocol (spec V10) the cycles of the last whole run hit; nothing of a
  /// device that counts none.
  [[nodiscard]] virtual std::optional<golden::Covergroup> protocol() const { return std::nullopt; }
};

}  // namespace mx::sim
