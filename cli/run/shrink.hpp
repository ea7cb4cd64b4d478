// --shrink: the first failure of a run, made as small as it can be, in a file for `mxgold replay`.
#pragma once

#include <optional>
#include <string>

#include "cli/run/options.hpp"
#include "sim/shrink/shrink_run.hpp"

namespace mx::cli {

/// Writes and commits the file and returns what it holds, in lines for a person. Where nothing
/// failed, or the failure does not show by itself, it says so and writes nothing.
[[nodiscard]] std::string write_shrunk_stream(const RunCommand& command,
                                              const sim::BlockSource& source,
                                              const sim::RunResult& result,
                                              const sim::RunOptions& options,
                                              const sim::DutFactory& make, golden::NewFile& file);

/// What came of shrinking records: lines for a person, and the case where there is one.
struct ShrunkRecords {
  std::string text;
  std::optional<sim::SmallRecords> small{};
};

/// The same of records: lots of them, from the fewest up, until one fails by itself as the run did.
[[nodiscard]] ShrunkRecords write_shrunk_records(const RunCommand& command,
                                                 const std::vector<golden::RecordBatch>& records,
                                                 const sim::RecordRun& seen,
                                                 const sim::RecordSetting& setting,
                                                 golden::NewFile& file);

/// What a case showed, for a person.
[[nodiscard]] std::string shown_text(const sim::Case& failure, const sim::StreamOutcome& outcome);
[[nodiscard]] std::string shown_text(const golden::VectorHeader& header, const sim::RecordRun& run);

}  // namespace mx::cli
