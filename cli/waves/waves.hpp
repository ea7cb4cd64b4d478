// --waves: the cycles before a wrong answer as a waveform (FST), of device files' modules and of
// our RTL.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "golden/bytes/new_file.hpp"
#include "sim/device/device.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/stream_case.hpp"

namespace mx::cli {

inline constexpr std::array<std::string_view, 1> kWavesOutput = {".fst"};

/// Runs a case again, recorded, through a build of the module that can record; writes and commits
/// the file. `seen`: what came of the case, or of the run that it is from. Returns a line for a
/// person.
[[nodiscard]] std::string write_waves(const sim::Description& description,
                                      sim::DeviceOptions options, const sim::Case& failure,
                                      sim::RecordSetting setting, const sim::RecordRun& seen,
                                      const std::string& name, golden::NewFile& file);

/// The same of our RTL: `rtl` is a fault, the folder of its sources, or "" for those of this
/// program.
[[nodiscard]] std::string write_rtl_waves(const std::string& rtl, const sim::Case& failure,
                                          sim::StreamSetting setting,
                                          const sim::StreamOutcome& seen, const std::string& name,
                                          golden::NewFile& file);

}  // namespace mx::cli
