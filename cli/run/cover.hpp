// The coverage of a run over streams, in a file for `mxgold cover`.
#pragma once

#include <string>

#include "cli/run/options.hpp"
#include "sim/report/run.hpp"

namespace mx::cli {

/// Error kUsage where the run has more configurations than coverage is kept of.
void require_coverable(const RunCommand& command, const RunInput& input);

/// Measures what the compared blocks of the chosen configurations hit, writes it, and says so in a
/// line. A run that did not compare all its blocks has none.
[[nodiscard]] std::string write_coverage(const RunCommand& command, const RunInput& input,
                                         const sim::RunOptions& options,
                                         const sim::RunResult& result);

}  // namespace mx::cli
