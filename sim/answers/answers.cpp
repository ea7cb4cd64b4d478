// SPDX-License-Identifier: Apache-2.0
#include "sim/answers/answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/dut/dut.hpp"

namespace mx::sim {

std::string GivenAnswers::place(std::uint64_t record) const {
  if (record >= lines.size()) return fmt::format("{} row {}", name, record);
  return fmt::format("{} line {}", name, lines[static_cast<std::size_t>(record)]);
}

AnswerDevice::AnswerDevice(std::shared_ptr<const GivenAnswers> answers)
    : answers_(std::move(answers)), name_("answers of " + answers_->name) {}

void AnswerDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                       const TakeAnswers& take) {
  run_segment(header, {0, 0, header.count}, next, take);
}

void AnswerDevice::run_segment(const golden::VectorHeader& header, const Segment& segment,
                               const NextRecords& next, const TakeAnswers& take) {
  std::uint64_t first = segment.first;
  for (golden::RecordBatch batch; next(batch);) {
    if (first + batch.size() > answers_->records.size()) {
      throw DutError(fmt::format("{}: no answer to record {}", name_, answers_->records.size()));
    }
    for (const golden::FieldShape& shape : header.shape().fields) {
      if (!golden::is_result(shape.field)) continue;
      const auto words = answers_->records.all(shape.field)
                             .subspan(static_cast<std::size_t>(first) * batch.lanes(shape.field),
                                      batch.all(shape.field).size());
      std::ranges::copy(words, batch.all(shape.field).begin());
    }
    take(batch);
    first += batch.size();
  }
}

}  // namespace mx::sim
