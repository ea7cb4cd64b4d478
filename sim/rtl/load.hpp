// Builds of rtl/ in libraries of their own: of other sources, with faults, or with waveforms; of
// mx_quantizer, or of a bench top that has parts of it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compile/compiled.hpp"
#include "sim/dut/rtl_pins.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::sim {

/// A file of the program's text: the sources of the RTL, and what its library is compiled with.
struct RtlFile {
  std::string_view path;
  std::string_view text;
};
/// CMake makes the definition; none where the build has no RTL.
[[nodiscard]] std::span<const RtlFile> rtl_files();

/// Those of mx_quantizer and its modules, the package first: the program's own, or a folder's.
/// Throws golden::VectorError where that has no mx_quantizer.sv.
[[nodiscard]] std::vector<RtlSource> rtl_sources(const std::string& folder = "");
/// Those of a unit, the package first: of mx_quantizer ("rtl"), or the modules in a folder
/// ("rtl/dequantizer") and those of rtl/ that they have. `own`: somebody's copy of rtl/, or "".
[[nodiscard]] std::vector<RtlSource> unit_sources(std::string_view folder,
                                                  const std::string& own = "");
/// Where the top module of a unit stands: "rtl/dequantizer" for mx_dequantizer. Throws
/// golden::VectorError where the program has none of this name.
[[nodiscard]] std::string folder_of_unit(std::string_view top);

/// What a library is compiled of beside rtl/: one of rtl_files() each.
struct RtlLibrary {
  std::string_view folder;     ///< of the cache
  std::string_view top;        ///< the top module
  std::string_view bench;      ///< the source of a top module that is none of rtl/, or ""
  std::string_view header;     ///< what the C++ includes
  std::string_view code;       ///< the C++
  std::string_view functions;  ///< the symbol that it exports
  std::string_view optimised;  ///< of the Verilated code, "-O1"
  FaultChoice choice;          ///< where a fault is chosen
  /// What is simulated in the place of the sources, made in a folder; nullptr: they themselves.
  std::vector<RtlSource> (*made_of)(const std::vector<RtlSource>& sources,
                                    const std::filesystem::path& folder) = nullptr;
  /// What it hangs on beside the sources, where it is made.
  std::string (*maker)() = nullptr;
};

/// A library that is loaded, and which of its faults there is.
struct LoadedRtl {
  const void* functions = nullptr;
  int fault = 0;        ///< 0: none
  std::string sources;  ///< digest over names and texts of the sources that are simulated
};

/// As load_rtl has it.
[[nodiscard]] LoadedRtl load_library(const RtlLibrary& library, const std::string& name,
                                     Tracing tracing);

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
