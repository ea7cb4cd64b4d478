// Cases of devices that read records: any operation, any shape, no clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"
#include "sim/record/device.hpp"
#include "sim/record/run.hpp"
#include "sim/shrink/case.hpp"

namespace mx::sim {

/// What of a run stays as it is while its case shrinks.
struct RecordSetting {
  golden::VectorHeader header;  ///< operation, lanes and fields; configurations are the case's
  std::function<std::unique_ptr<RecordDevice>()> make;
  RecordRunOptions options;  ///< judges, observed fields, waivers
};

/// Does a question hold the field? What follows from the configuration it does not.
[[nodiscard]] bool is_put(golden::Field field);

/// The words of every operand field but the configuration's number.
[[nodiscard]] std::vector<Slot> record_slots(const golden::VectorHeader& header,
                                             const golden::Configuration& configuration);

/// Records with these operands.
[[nodiscard]] Case record_case(const golden::VectorHeader& header,
                               const golden::RecordBatch& records);

/// A case back as records without answers; `header` gets its configurations and count.
[[nodiscard]] golden::RecordBatch records_of(const Case& failure, golden::VectorHeader& header);

/// Runs a case through a fresh device. Nothing where records cannot have these operands.
[[nodiscard]] std::optional<RecordRun> run_case(const Case& failure, const RecordSetting& setting);

[[nodiscard]] bool has_failed(const RecordRun& run);
/// The same kind of failure?
[[nodiscard]] bool fails_like(const RecordRun& run, const RecordRun& other);

}  // namespace mx::sim
