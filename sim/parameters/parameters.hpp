// SPDX-License-Identifier: Apache-2.0
// Our RTL under parameters, as `--dut rtl:Lanes=8,InFmtMask=4` gives them: of mx_quantizer, or of
// the unit that is named first (`rtl:mx_dequantizer,Lanes=8`).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/policy/checked.hpp"

namespace mx::sim {

/// One parameter: what the module takes, and what it has where nothing is given.
struct RtlParameter {
  std::string_view name;
  std::uint32_t least = 0, most = 0, otherwise = 0;
  bool is_power_of_two = false;
  bool is_mask = false;      ///< shown in hexadecimal
  bool is_of_bench = false;  ///< of the blocks that are sent, and none of the module's

  [[nodiscard]] bool takes(std::uint32_t value) const;
  /// "1, 2, 4, 8, 16 or 32", "0 to 3", "0x1 to 0x3f".
  [[nodiscard]] std::string legal() const;
};

struct RtlParameters;

/// A unit of rtl/ that can be built under parameters.
struct RtlUnit {
  std::string_view name;    ///< of the top module
  std::string_view folder;  ///< "rtl", or the folder of the modules that it alone has
  std::span<const RtlParameter> parameters;  ///< in the order of the module's header
  /// "" where the values go together, else what is wrong and the remedy.
  std::string (*wrong_together)(const RtlParameters& build);
  /// The device file of a build, in JSON; `sources` stand beside it.
  std::string (*device_file)(const RtlParameters& build, const std::vector<std::string>& sources);
  /// What the masks of a build leave out: "source fp32, bf16 (InFmtMask)"; "" for nothing.
  std::string (*left_out)(const RtlParameters& build);
};

/// Every unit; mx_quantizer, which no name stands for too, first.
[[nodiscard]] std::span<const RtlUnit> rtl_units();

/// A build of a unit: every parameter, and the fault that stands in it.
struct RtlParameters {
  const RtlUnit* unit = nullptr;
  int fault = 0;  ///< number among rtl_faults(); 0: none
  std::vector<std::uint32_t> values;

  [[nodiscard]] std::uint32_t of(std::string_view name) const;
};

/// Does what follows `rtl:` name a unit or parameters? A folder that is there is a folder, whatever
/// its name.
[[nodiscard]] bool names_rtl_parameters(std::string_view argument);

/// "Lanes=8,InFmtMask=0x4", with a unit, a fault of it or both before them. The problem names the
/// parameter, what it may be and the remedy.
[[nodiscard]] Checked<RtlParameters> parse_rtl_parameters(std::string_view argument);

}  // namespace mx::sim
