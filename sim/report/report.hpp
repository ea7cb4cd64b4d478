// What a run ends with: the scoreboard table, the verdict, and the same for machines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/judged_by.hpp"
#include "sim/causes/causes.hpp"
#include "sim/report/part.hpp"
#include "sim/report/run.hpp"
#include "sim/report/run_report.hpp"

namespace mx::sim {

/// What the report says about the run beyond its result.
struct ReportFacts {
  std::string dut;    ///< the device's own name
  std::string asked;  ///< as --dut says it
  std::string input;  ///< "suite full", a file name
  std::uint64_t seed = 0;
  golden::JudgedBy judged_by;
  std::string judge;  ///< as --judge says it
  std::string stall;
  std::string reset;
  Observes observed;
  std::vector<NotOffered> not_offered;
  Narrowed narrowed;
  RunPart part;               ///< the source's blocks, and those of this run
  std::vector<Cause> causes;  ///< of the wrong blocks
  /// How many of the mismatches kept are shown.
  std::size_t shown = ~std::size_t{0};
  /// Where block i comes from, and the command that runs it again.
  std::function<std::string(std::uint64_t)> describe;
  std::function<std::string(std::uint64_t first, std::uint64_t last)> replay;
};

/// Who judged, where it is not the default: "judged by the reference and the oracle", "judged by
/// certificates alone"; else "". `judge`: as --judge says it.
[[nodiscard]] std::string judge_text(std::string_view judge);

using golden::with_commas;

/// A row for each element format and rounding, a column for each scale rule, elements compared in
/// each cell; cells with wrong blocks say so, rows also what was not compared.
[[nodiscard]] std::string table_text(const RunResult& result);

/// Every mismatch kept and every protocol failure, each with its replay command.
[[nodiscard]] std::string failures_text(const RunResult& result, const ReportFacts& facts);

/// The last line: "PASS 100,663,296/100,663,296 elements, ..." or "FAIL ...".
[[nodiscard]] std::string verdict_line(const RunResult& result, const ReportFacts& facts);

/// What JSON, JUnit and the page print of it.
[[nodiscard]] RunReport report_of(const RunResult& result, const ReportFacts& facts);

}  // namespace mx::sim
