// From a failed run to the smallest case that fails like it. spec V11.
#pragma once

#include <optional>

#include "sim/report/run.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/shrink.hpp"
#include "sim/shrink/stream_case.hpp"

namespace mx::sim {

/// How much work shrinking may be.
struct ShrinkLimits {
  std::uint64_t most_tries = 20000;
  std::chrono::seconds time{60};
};

/// A small failing case and what it shows.
template <typename Setting, typename Failure>
struct SmallCase {
  Shrunk shrunk;
  Setting setting;
  Failure failure;
  std::size_t questions_before = 0, words_before = 0;  ///< of what failed first
  std::size_t words = 0;                               ///< not at rest
};
using SmallStream = SmallCase<StreamSetting, StreamOutcome>;
using SmallRecords = SmallCase<RecordSetting, RecordRun>;

/// A case that fails, how it runs, and what it shows.
struct FailingStream {
  Case failure;
  StreamSetting setting;
  StreamOutcome outcome;
};

/// The first wrong block of a run, or its first broken protocol, alone or with what came before it,
/// as a case of its own. Nothing where the blocks do not fail against the reference in a run of
/// their own.
[[nodiscard]] std::optional<FailingStream> failing_stream(const BlockSource& source,
                                                          const RunResult& result,
                                                          const RunOptions& options,
                                                          const DutFactory& make,
                                                          const ShrinkLimits& limits);

/// The first wrong block of a run, or its first broken protocol, alone or with what came before it.
/// Nothing where the blocks do not fail against the reference in a run of their own.
[[nodiscard]] std::optional<SmallStream> shrink_stream(const BlockSource& source,
                                                       const RunResult& result,
                                                       const RunOptions& options,
                                                       const DutFactory& make,
                                                       const ShrinkLimits& limits);

/// The same of records, which fail by themselves as in the run seen, or there is nothing.
[[nodiscard]] std::optional<SmallRecords> shrink_records(const golden::RecordBatch& records,
                                                         const RecordRun& seen,
                                                         const RecordSetting& setting,
                                                         const ShrinkLimits& limits);

}  // namespace mx::sim
