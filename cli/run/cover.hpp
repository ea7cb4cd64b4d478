// The coverage of a run, in a file for `mxgold cover`.
#pragma once

#include <string>
#include <vector>

#include "cli/run/options.hpp"
#include "golden/coverpoints/coverpoint.hpp"
#include "sim/record/device.hpp"
#include "sim/record/run.hpp"
#include "sim/report/run.hpp"

namespace mx::cli {

/// Error kUsage where the run has more configurations than coverage is kept of.
void require_coverable(const RunCommand& command, const RunInput& input);

/// What the compared blocks of the chosen configurations hit, and, of a device with a clock, what
/// its cycles did; nothing of a run that did not compare all its blocks.
[[nodiscard]] std::vector<golden::Covergroup> measure_coverage(const RunInput& input,
                                                               const sim::RunOptions& options,
                                                               const sim::RunResult& result,
                                                               std::string_view device);

/// What the records of a run hit, where all were checked, and what the device counted itself.
[[nodiscard]] std::vector<golden::Covergroup> measure_records(const golden::VectorHeader& header,
                                                              const sim::RecordInput& input,
                                                              const sim::RecordRunOptions& options,
                                                              const sim::RecordRun& run,
                                                              const sim::RecordDevice& device);

/// Error kUsage where so many configurations are more than coverage is kept of.
void require_coverable(const RunCommand& command, std::size_t configurations);

/// Writes it, and says so in a line.
[[nodiscard]] std::string write_coverage(const RunCommand& command,
                                         const std::vector<golden::Covergroup>& groups);

}  // namespace mx::cli
