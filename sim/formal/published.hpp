// SPDX-License-Identifier: Apache-2.0
// Builds of mx_quantizer by their parameters, and those whose areas are published.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mx::sim {

/// A parameter set of rtl/synth_report, which a test compares with these.
struct Published {
  std::string_view name;
  std::string_view parameters;
};
inline constexpr std::array kPublished{
    Published{"bf16_e2m1fn", "InFmtMask=2 FmtMask=16 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_e4m3fn", "InFmtMask=2 FmtMask=1 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_int8", "InFmtMask=2 FmtMask=32 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_defaults", "InFmtMask=2 RoundMask=1011 RuleMask=15 PolicyMask=0"},
    Published{"bf16_all", "InFmtMask=2"},
    Published{"bf16_all_lanes8", "InFmtMask=2 Lanes=8"},
    Published{"fp32_all", "InFmtMask=1"},
    Published{"full", ""}};

/// Yosys' command for a build of mx_quantizer by its parameters, "Lanes=4 InFmtMask=2".
[[nodiscard]] std::string hierarchy_of(std::string_view parameters);

}  // namespace mx::sim
