// What every report of a run shows of a failure.
#pragma once

#include <span>
#include <string>

#include "sim/block/model.hpp"
#include "sim/report/report.hpp"

namespace mx::sim {

/// The mismatches that reports list.
[[nodiscard]] std::span<const Mismatch> shown_of(const RunResult& result, const ReportFacts& facts);

/// A mismatch as people read it.
[[nodiscard]] std::string mismatch_text(const Mismatch& mismatch, ReferenceModel& model,
                                        const ReportFacts& facts);

/// Right answers that the judges do not agree on: a defect of mxgold, whatever the device does.
[[nodiscard]] std::string disagreements_text(const RunResult& result, const ReportFacts& facts);

/// A broken law of the ports.
[[nodiscard]] std::string failure_text(const ProtocolFailure& failure, const ReportFacts& facts);

}  // namespace mx::sim
