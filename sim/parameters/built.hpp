// SPDX-License-Identifier: Apache-2.0
// Our RTL under parameters as a device file's module: the file is made, and what it leaves out.
#pragma once

#include <string>

#include "sim/device/description.hpp"
#include "sim/dut/kind.hpp"
#include "sim/parameters/parameters.hpp"

namespace mx::sim {

/// The row of such devices, which `rtl:NAME=VALUE,...` names and the list has not.
[[nodiscard]] const DutKind& rtl_of_parameters();

/// What the masks of a build leave out: "not built: source fp32, bf16 (InFmtMask)"; "" for nothing.
[[nodiscard]] std::string not_built(const RtlParameters& build);

/// What `rtl:` and this argument stand for. Sources and device file are written to the cache.
/// Throws UnsupportedError for parameters that are none.
[[nodiscard]] Description described_rtl(const std::string& argument);

}  // namespace mx::sim
