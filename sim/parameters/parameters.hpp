// SPDX-License-Identifier: Apache-2.0
// The parameters of rtl/mx_quantizer, as `--dut rtl:Lanes=8,InFmtMask=4` gives them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/policy/checked.hpp"

namespace mx::sim {

/// One parameter: what the module takes, and what it has where nothing is given.
struct RtlParameter {
  std::string_view name;
  std::uint32_t least = 0, most = 0, otherwise = 0;
  bool is_power_of_two = false;
  bool is_mask = false;  ///< shown in hexadecimal

  [[nodiscard]] bool takes(std::uint32_t value) const;
  /// "1, 2, 4, 8, 16 or 32", "0 to 3", "0x1 to 0x3f".
  [[nodiscard]] std::string legal() const;
};

/// In the order of the module's header.
inline constexpr std::array kRtlParameters{
    RtlParameter{"Lanes", 1, 32, 32, true, false},
    RtlParameter{"BlockSize", 16, 64, 32, true, false},
    RtlParameter{"InFmtMask", 1, 0x7, 0x7, false, true},
    RtlParameter{"FmtMask", 1, 0x3F, 0x3F, false, true},
    RtlParameter{"RoundMask", 1, 0x3FF, 0x3FF, false, true},
    RtlParameter{"RuleMask", 1, 0x1F, 0x1F, false, true},
    RtlParameter{"PolicyMask", 0, 0x7FFF, 0x7FFF, false, true},
    RtlParameter{"SrBits", 2, 16, 8, false, false},
    RtlParameter{"SrVariant", 0, 2, 0, false, false},
    RtlParameter{"Subnormals", 0, 1, 1, false, false},
    RtlParameter{"PipeLane", 0, 3, 3, false, false},
    RtlParameter{"OutSkid", 0, 1, 0, false, false}};

/// A build of our RTL: every parameter, and the fault that stands in it.
struct RtlParameters {
  int fault = 0;  ///< number among rtl_faults(); 0: none
  std::array<std::uint32_t, kRtlParameters.size()> values{};

  [[nodiscard]] std::uint32_t of(std::string_view name) const;
};

/// Does what follows `rtl:` name parameters? A folder that is there is a folder, whatever its name.
[[nodiscard]] bool names_rtl_parameters(std::string_view argument);

/// "Lanes=8,InFmtMask=0x4", or a fault and a comma before it. The problem names the parameter, what
/// it may be and the remedy.
[[nodiscard]] Checked<RtlParameters> parse_rtl_parameters(std::string_view argument);

}  // namespace mx::sim
