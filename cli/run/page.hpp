// A run as a page (--html), from what the other reports are made of.
#pragma once

#include <vector>

#include "cli/page/run_page.hpp"
#include "cli/run/record_report.hpp"
#include "golden/coverpoints/coverpoint.hpp"
#include "sim/report/report.hpp"

namespace mx::cli {

/// `coverage`: what --cover measured, empty without.
[[nodiscard]] RunPage stream_page(const sim::RunResult& result, const sim::ReportFacts& facts,
                                  std::vector<golden::Covergroup> coverage);
[[nodiscard]] RunPage record_page(const sim::RecordRun& run, const RecordFacts& facts);

}  // namespace mx::cli
