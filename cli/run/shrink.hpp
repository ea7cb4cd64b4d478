// --shrink: the first failure of a run, made as small as it can be, in a file for `mxgold replay`.
#pragma once

#include <optional>
#include <string>

#include "cli/run/options.hpp"
#include "sim/shrink/shrink_run.hpp"

namespace mx::cli {

/// What came of shrinking: lines for a person, and the case where there is one.
struct ShrunkStream {
  std::string text;
  std::optional<sim::SmallStream> small{};
};

/// Writes and commits the file. Where nothing failed, or the failure does not show by itself, it
/// says so and writes nothing.
[[nodiscard]] ShrunkStream write_shrunk_stream(const RunCommand& command,
                                               const sim::BlockSource& source,
                                               const sim::RunResult& result,
                                               const sim::RunOptions& options,
                                               const sim::DutFactory& make, golden::NewFile& file);

/// --waves of our RTL: of the case that shrinking left, or of the first failure of the run.
[[nodiscard]] std::string stream_waves(const RunCommand& command, const ShrunkStream& shrunk,
                                       const sim::BlockSource& source, const sim::RunResult& result,
                                       const sim::RunOptions& options, const sim::DutFactory& make,
                                       golden::NewFile& file);

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
