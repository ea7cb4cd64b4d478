// A device under test that reads records and answers them: any operation, any shape.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "golden/answers/observed.hpp"
#include "golden/coverpoints/coverpoint.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::sim {

/// Replaces the batch by the next records, operands only; false at the end.
using NextRecords = std::function<bool(golden::RecordBatch&)>;
/// Takes records with the device's answers, in order.
using TakeAnswers = std::function<void(const golden::RecordBatch&)>;

/// Records [first, last) of a run, which a device answers from a fresh state. What happens in a
/// segment depends on the seed, its number and its records alone, not on threads or shards.
struct Segment {
  std::uint32_t number = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

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
  /// Answers one segment of a run of many. A device that has no such segments gets all records of
  /// the header in one.
  virtual void run_segment(const golden::VectorHeader& header, const Segment& segment,
                           const NextRecords& next, const TakeAnswers& take) {
    static_cast<void>(segment);
    run(header, next, take);
  }

  /// What of an answer the device gives; the rest counts as unobserved.
  [[nodiscard]] virtual golden::Observed observes() const { return {}; }

  /// Which bins of the protocol (spec V10) the cycles of the last whole run hit; nothing of a
  /// device that counts none.
  [[nodiscard]] virtual std::optional<golden::Covergroup> protocol() const { return std::nullopt; }
};

/// Makes a device; called once for each thread.
using RecordDeviceFactory = std::function<std::unique_ptr<RecordDevice>()>;

}  // namespace mx::sim
