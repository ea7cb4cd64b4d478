// SPDX-License-Identifier: Apache-2.0
// Answers that a bench wrote to a file, and the device that gives them again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/record/device.hpp"

namespace mx::sim {

/// The answers of a file, one for each record of the vectors that were asked.
struct GivenAnswers {
  std::string name;                    ///< of the file
  std::vector<std::string> fields;     ///< the result fields that it has
  golden::RecordBatch records;         ///< of the vectors' shape, operands 0
  std::vector<std::uint64_t> lines{};  ///< where each answer stands; none of arrays

  /// "out.txt line 34", "out.npy row 33".
  [[nodiscard]] std::string place(std::uint64_t record) const;
};

/// Answers record i of the whole run as the file does.
class AnswerDevice final : public RecordDevice {
 public:
  explicit AnswerDevice(std::shared_ptr<const GivenAnswers> answers);

  [[nodiscard]] std::string_view name() const override { return name_; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;
  void run_segment(const golden::VectorHeader& header, const Segment& segment,
                   const NextRecords& next, const TakeAnswers& take) override;

 private:
  std::shared_ptr<const GivenAnswers> answers_;
  std::string name_;
};

}  // namespace mx::sim
