// What a command line may not say together: errors kUsage that name the option.
#pragma once

#include <array>
#include <string_view>

#include "cli/run/options.hpp"

namespace mx::cli {

inline constexpr std::array<std::string_view, 5> kSuites = {"smoke", "full", "dir", "rnd",
                                                            "policy"};

/// One input, and nothing beside it that it says itself. No input: the suite smoke.
void check_usage(RunCommand& command);

/// No option that only programs know. `by`: who does not look at it.
void refuse_program_options(const RunCommand& command, std::string_view by);

/// Error kUsage for a --time-out of a device that is no program or plugin, and so always answers.
void refuse_time_out(const RunCommand& command);

/// Error kUsage for a --stall or a --reset that there is not.
void require_schedule(const RunCommand& command);

/// Error kUsage for a --stall or a --reset that the described module has no port for.
void refuse_schedule(const RunCommand& command, const sim::Description& device);

/// Error kUsage for --waves of a device of which no build can record.
void refuse_waves(std::string_view dut, const sim::DutKind& kind);

/// Only what runs of records know.
void require_record_options(const RunCommand& command, const sim::DutKind& kind);

/// Only what clocked devices know.
void require_stream_options(const RunCommand& command, const sim::DutKind& kind);

/// A file of vectors whose blocks stand on the streams: a good file of another shape is the
/// device's limit, not the file's fault.
void require_streams(const RunCommand& command, const sim::DutKind& kind);

}  // namespace mx::cli
