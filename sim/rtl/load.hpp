// Builds of rtl/mx_quantizer in libraries of their own: of other sources, with faults, or with
// waveforms.
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

/// A build that is loaded, and which of its faults there is.
struct RtlBuild {
  const RtlFunctions* functions = nullptr;
  int fault = 0;  ///< 0: none
};

/// The library for a name: a fault (sim/rtl/faults.hpp; one library has all of them), the sources
/// of a folder, or "" for those that this program was built from. Compiled now if no earlier run
/// did; it stays loaded. Throws golden::VectorError for sources that are missing or do not compile,
/// and for a fault that no build of 32 lanes shows, DutError where there is no Verilator.
[[nodiscard]] RtlBuild load_rtl(const std::string& name, Tracing tracing);
/// The library with every fault, and none of them there.
[[nodiscard]] RtlBuild load_faulty_rtl(Tracing tracing);

}  // namespace mx::sim
