// A run as a page (--html), from what the other reports are made of.
#pragma once

#include <vector>

#include "cli/page/run_page.hpp"
#include "golden/coverpoints/coverpoint.hpp"
#include "sim/report/run_report.hpp"

namespace mx::cli {

/// `coverage`: what --cover measured, empty without.
[[nodiscard]] RunPage page_of(const sim::RunReport& report,
                              std::vector<golden::Covergroup> coverage = {});

}  // namespace mx::cli
