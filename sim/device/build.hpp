// A device file's module compiled with the bench: Verilator and a C++ compiler, once for all runs.
#pragma once

#include <string>
#include <vector>

#include "sim/compile/compiled.hpp"
#include "sim/device/description.hpp"
#include "sim/device/fit.hpp"
#include "sim/device/ports.hpp"

namespace mx::sim {

struct BuiltDevice {
  std::string program;
  std::vector<Carried> carried;  ///< by its ports
};

/// The program that stands for the device: from the cache, or made now (a line on standard error
/// says so). Throws golden::VectorError for sources that do not compile and ports that do not fit,
/// DutError where there is no Verilator.
[[nodiscard]] BuiltDevice build_device(const Description& description,
                                       Tracing tracing = Tracing::kAbsent);

/// The ports of the module that a description names, in its order: sources, include, define,
/// parameter, top and verilator count. Throws as build_device() does.
[[nodiscard]] std::vector<Port> ports_of_module(const Description& description);

/// Every file that a built device is made of, beside the description: its sources, what lies in the
/// folders of `include`, what these and the options name in turn. Some are not there: a compiler
/// would take them for others.
[[nodiscard]] std::vector<std::string> files_behind(const Description& description);

}  // namespace mx::sim
