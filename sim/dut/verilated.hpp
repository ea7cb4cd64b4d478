// The RTL quantizer, by Verilator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/dut/dut.hpp"
#include "sim/dut/rtl_pins.hpp"

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

/// The cycles of one run of such a device that are recorded as a waveform, and what it saw.
struct RtlRecording {
  std::string path;                   ///< "" for none
  std::uint64_t answer = 0;           ///< number of the wrong answer; beyond the last: none
  std::uint64_t first = 0, last = 0;  ///< cycles
  std::uint64_t cycles = 0;           ///< seen so far
  std::uint64_t answered = 0;         ///< of them answers came
  std::uint64_t wrong_at = 0;         ///< when the wrong one did; 0: not yet
  std::uint64_t answered_at = 0;      ///< when the last one did
};

/// A build in a library of its own (sim/rtl/load.hpp), with the fault of a number or, 0, none.
/// `recording`: nullptr, or that of the one device that is made; it must live as long.
[[nodiscard]] std::unique_ptr<Dut> make_loaded_rtl_dut(const std::string& name,
                                                       const RtlFunctions& functions, int fault,
                                                       RtlRecording* recording);

}  // namespace mx::sim
