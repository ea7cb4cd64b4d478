#include "sim/record/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/answers/answers.hpp"
#include "sim/dut/dut.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::RecordBatch;

void flip(RecordBatch& batch, Field field, std::size_t i, std::size_t lane) {
  if (!batch.has(field)) field = Field::kCode;
  batch.of(field, i)[std::min(lane, batch.lanes(field) - 1)] ^= 1;
}

constexpr std::array kFaults = {
    RecordFault{"record_code", "the code of one lane of every record",
                [](RecordBatch& b, std::size_t i, std::uint64_t, std::uint64_t) {
                  flip(b, Field::kCode, i, 0);
                }},
    RecordFault{"record_last_lane", "the code of the last lane that takes part",
                [](RecordBatch& b, std::size_t i, std::uint64_t, std::uint64_t) {
                  const Field lanes = b.has(Field::kSource) ? Field::kSource : Field::kCode;
                  flip(b, Field::kCode, i, b.elements(lanes, i) - 1);
                }},
    RecordFault{"record_scale", "the scale of every record",
                [](RecordBatch& b, std::size_t i, std::uint64_t, std::uint64_t) {
                  flip(b, Field::kScale, i, 0);
                }},
    RecordFault{"record_flags", "the flags of every record",
                [](RecordBatch& b, std::size_t i, std::uint64_t, std::uint64_t) {
                  flip(b, Field::kFlags, i, 0);
                }},
    RecordFault{"record_first", "the first record",
                [](RecordBatch& b, std::size_t i, std::uint64_t number, std::uint64_t) {
                  if (number == 0) flip(b, Field::kFlags, i, 0);
                }},
    RecordFault{"record_middle", "one record in the middle",
                [](RecordBatch& b, std::size_t i, std::uint64_t number, std::uint64_t count) {
                  if (number == count / 2) flip(b, Field::kFlags, i, 0);
                }},
    RecordFault{"record_last", "the last record",
                [](RecordBatch& b, std::size_t i, std::uint64_t number, std::uint64_t count) {
                  if (number + 1 == count) flip(b, Field::kFlags, i, 0);
                }},
    RecordFault{"record_lost", "every answer comes", nullptr, RecordFault::Shift::kLost},
    RecordFault{"record_doubled", "every answer comes once", nullptr, RecordFault::Shift::kDoubled},
};

}  // namespace

std::span<const RecordFault> record_faults() { return kFaults; }

const RecordFault* find_record_fault(std::string_view token) {
  const auto found = std::ranges::find(kFaults, token, &RecordFault::token);
  return found == kFaults.end() ? nullptr : &*found;
}

ReferenceDevice::ReferenceDevice(const RecordFault* fault)
    : fault_(fault),
      name_(fault == nullptr ? "reference" : fmt::format("reference with {}", fault->token)) {}

// From the middle on, the answers of the neighbours.
void ReferenceDevice::run_shifted(const golden::VectorHeader& header, const NextRecords& next,
                                  const TakeAnswers& take) const {
  golden::ReferenceAnswerer reference(header);
  RecordBatch all;
  for (RecordBatch batch; next(batch);) {
    if (all.empty()) all = RecordBatch(header.shape());
    all.append(batch, 0, batch.size());
  }
  reference.answer(all, 0, all.size());
  const RecordBatch right = all;
  const bool is_lost = fault_->shift == RecordFault::Shift::kLost;
  for (std::size_t i = all.size() / 2; i < all.size(); ++i) {
    const std::size_t from = is_lost ? std::min(i + 1, all.size() - 1) : i - (i == 0 ? 0 : 1);
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      std::ranges::copy(right.of(field, from), all.of(field, i).begin());
    }
  }
  if (is_lost) all.resize(all.size() - 1);
  take(all);
  if (!is_lost) throw DutError(fmt::format("{} has more to say after the last answer", name_));
}

void ReferenceDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                          const TakeAnswers& take) {
  if (fault_ != nullptr && fault_->breaks_protocol()) return run_shifted(header, next, take);
  golden::ReferenceAnswerer reference(header);
  golden::RecordBatch batch;
  std::uint64_t number = 0;
  while (next(batch)) {
    reference.answer(batch, 0, batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i, ++number) {
      if (fault_ != nullptr) fault_->change(batch, i, number, header.count);
    }
    take(batch);
  }
}

}  // namespace mx::sim
