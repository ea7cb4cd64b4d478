// A device file's module compiled with the bench: Verilator and a C++ compiler, once for all runs.
#pragma once

#include <cstdint>
#include <string>

#include "sim/device/description.hpp"

namespace mx::sim {

/// Can the program record waveforms? One that can is slower.
enum class Tracing : std::uint8_t { kAbsent, kPresent };

/// The program that stands for the device: from the cache, or made now (a line on standard error
/// says so). Throws golden::VectorError for sources that do not compile and ports that do not fit,
/// DutError where there is no Verilator.
///
/// The cache is the folder MXGOLD_CACHE, else mxgold below XDG_CACHE_HOME or ~/.cache. A program
/// enters it whole, by a rename, under a digest of everything that it was made of.
[[nodiscard]] std::string build_device(const Description& description,
                                       Tracing tracing = Tracing::kAbsent);

}  // namespace mx::sim
