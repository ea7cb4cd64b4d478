// The RTL quantizer, by Verilator.
#pragma once

#include <memory>

#include "sim/dut/dut.hpp"

namespace mx::sim {

/// SrBits of the device: N of its stochastic rounding.
inline constexpr int kRtlRandomBits = 8;

/// Its cycles from a block to its answer (spec R6).
inline constexpr std::size_t kRtlLatency = 7;

/// rtl/mx_quantizer with all formats, roundings, rules and policies, 32 lanes. State that
/// the RTL does not reset starts at random values drawn from Setup::seed.
[[nodiscard]] std::unique_ptr<Dut> make_rtl_dut();

/// The same with the assertions of rtl/mx_quantizer_checker evaluated in every cycle; a failing one
/// is a DutError. Library mx_sim_rtl_checked.
[[nodiscard]] std::unique_ptr<Dut> make_checked_rtl_dut();

}  // namespace mx::sim
