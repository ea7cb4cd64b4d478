// What a run over records ends with, for people and as a report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/causes/causes.hpp"
#include "sim/record/run.hpp"
#include "sim/report/part.hpp"
#include "sim/report/run_report.hpp"

namespace mx::cli {

/// What the reports say about the run beyond its result.
struct RecordFacts {
  std::string dut;     ///< as --dut says it
  std::string device;  ///< the device's own name
  std::string input;   ///< "suite smoke", a file name
  const golden::VectorHeader& header;
  golden::Observed observed;
  sim::RunPart part;  ///< the records of all shards, and those of this run
  std::string judge;  ///< as --judge says it
  std::uint64_t seed = 0;
  std::string held;  ///< what the stimulus was held to; "" for nothing
  /// stall and reset, by those names, of a module that has them.
  std::vector<std::pair<std::string, std::string>> schedule;
  /// The command that shows a wrong record again, and the one that runs everything again.
  std::function<std::string(std::uint64_t)> replay;
  std::function<std::string()> replay_all;
  /// Where the answer to a record stands; "" of a device's.
  std::function<std::string(std::uint64_t)> place;
  std::vector<sim::Cause> causes = {};  ///< of the wrong records
  /// How many of the mismatches kept are shown.
  std::size_t shown = ~std::size_t{0};
};

/// What the stimulus was held to, and what part of its records the run had; "" for nothing.
[[nodiscard]] std::string note_of(const RecordFacts& facts);

/// The verdict in one long line, with every count.
[[nodiscard]] std::string record_verdict_line(const sim::RecordRun& run, const RecordFacts& facts);
/// The last three lines of the run. `again`: the command that runs the same again.
[[nodiscard]] std::string record_verdict_text(const sim::RecordRun& run, const RecordFacts& facts,
                                              const std::string& again);

/// Every mismatch kept and the broken protocol, each with its replay command.
[[nodiscard]] std::string record_failures(const sim::RecordRun& run, const RecordFacts& facts);
/// What JSON, JUnit and the page print of it.
[[nodiscard]] sim::RunReport record_report(const sim::RecordRun& run, const RecordFacts& facts);

}  // namespace mx::cli
