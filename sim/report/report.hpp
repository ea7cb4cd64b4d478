// What a run ends with: the scoreboard table, the verdict, and the same for machines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/judged_by.hpp"
#include "sim/judge/causes.hpp"
#include "sim/report/part.hpp"
#include "sim/report/run.hpp"

namespace mx::sim {

/// Configurations and blocks of the suite that the device did not get, and why.
struct NotOffered {
  std::uint64_t configurations = 0;
  std::uint64_t blocks = 0;
  std::string why;
};

/// Policies that options hold every configuration of a suite to, those that it varies by itself
/// among them.
struct Narrowed {
  std::string by;            ///< "--src-ftz keep"; "" for none
  std::uint64_t others = 0;  ///< configurations of the whole suite with other values
  std::uint64_t whole = 0;   ///< configurations of the whole suite
};

/// "narrowed to --src-ftz keep: 390 of the suite's 1,770 configurations have other values"; "" for
/// a suite that is not narrowed.
[[nodiscard]] std::string narrowed_text(const Narrowed& narrowed);

/// What the report says about the run beyond its result.
struct ReportFacts {
  std::string dut;
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

/// The whole report as JSON and as JUnit XML, each with a final line feed.
[[nodiscard]] std::string report_json(const RunResult& result, const ReportFacts& facts);
[[nodiscard]] std::string report_junit(const RunResult& result, const ReportFacts& facts);

}  // namespace mx::sim
