// SPDX-License-Identifier: Apache-2.0
// Builds of the RTL's units by their parameters, and those whose areas are published.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mx::sim {

/// A parameter set of rtl/synth_report, which a test compares with these.
struct Published {
  std::string_view name;
  std::string_view build;  ///< its parameters, behind the module where it is not mx_quantizer
};
inline constexpr std::array kPublished{
    Published{"bf16_e2m1fn", "InFmtMask=2 FmtMask=16 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_e4m3fn", "InFmtMask=2 FmtMask=1 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_int8", "InFmtMask=2 FmtMask=32 RoundMask=1 RuleMask=1 PolicyMask=0"},
    Published{"bf16_defaults", "InFmtMask=2 RoundMask=1011 RuleMask=15 PolicyMask=0"},
    Published{"bf16_all", "InFmtMask=2"},
    Published{"bf16_all_lanes8", "InFmtMask=2 Lanes=8"},
    Published{"fp32_all", "InFmtMask=1"},
    Published{"full", ""},
    Published{"deq_bf16_e2m1fn", "mx_dequantizer ResMask=2 FmtMask=16"},
    Published{"deq_bf16_e4m3fn", "mx_dequantizer ResMask=2 FmtMask=1"},
    Published{"deq_bf16", "mx_dequantizer ResMask=2"},
    Published{"deq_fp32", "mx_dequantizer ResMask=1"},
    Published{"deq_full", "mx_dequantizer"},
    Published{"amax_bf16", "mx_amax InFmtMask=2"},
    Published{"amax_fp32", "mx_amax InFmtMask=1"},
    Published{"amax_full", "mx_amax"},
    Published{"dot_e4m3fn", "mx_dot FmtMask=1"},
    Published{"dot_fp8", "mx_dot FmtMask=3"},
    Published{"nv_bf16", "mx_nvfp4_quantizer InFmtMask=2"},
    Published{"nv_fp32", "mx_nvfp4_quantizer InFmtMask=1"},
    Published{"nv_full", "mx_nvfp4_quantizer"}};

/// The module of a build, "mx_dequantizer" of "mx_dequantizer ResMask=2".
[[nodiscard]] std::string_view unit_of(std::string_view build);
/// "ResMask=2" of it, or "default parameters".
[[nodiscard]] std::string_view parameters_of(std::string_view build);
/// Yosys' command for a build, "Lanes=4 InFmtMask=2" or "mx_dequantizer ResMask=2".
[[nodiscard]] std::string hierarchy_of(std::string_view build);

}  // namespace mx::sim
