// SPDX-License-Identifier: Apache-2.0
// The verdict on a device with a clock, for people.
#pragma once

#include <string>

#include "sim/report/report.hpp"

namespace mx::cli {

/// The last three lines of a run on streams. `again`: the command that repeats it.
[[nodiscard]] std::string stream_verdict(const sim::RunResult& result,
                                         const sim::ReportFacts& facts, const std::string& again);

/// The counts of words of a run on streams.
[[nodiscard]] golden::Verdict counts_of(const sim::Tally& total);

}  // namespace mx::cli
