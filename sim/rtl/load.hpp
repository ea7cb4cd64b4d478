// Builds of rtl/mx_quantizer in libraries of their own: of other sources, or with waveforms.
#pragma once

#include <span>
#include <string>

#include "sim/compile/compiled.hpp"
#include "sim/dut/rtl_pins.hpp"

namespace mx::sim {

/// A file of the program's text: the sources of the RTL, and what its library is compiled with.
struct RtlFile {
  std::string_view path;
  std::string_view text;
};
/// CMake makes the definition; none where the build has no RTL.
[[nodiscard]] std::span<const RtlFile> rtl_files();

/// The library for the sources of a folder, "" for those that this program was built from: compiled
/// now if no earlier run did. It stays loaded. Throws golden::VectorError for sources that are
/// missing or do not compile, DutError where there is no Verilator.
[[nodiscard]] const RtlFunctions& load_rtl(const std::string& folder, Tracing tracing);

}  // namespace mx::sim
