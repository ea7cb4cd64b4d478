// What goes over the pipe between the harness and mxgold_systemc_dut, which holds the SystemC
// kernel: a line of greeting, then pins one way and pins the other. Compiled as C++17 there.
#pragma once

#include <cstdint>

#include "sim/dut/rtl_pins.hpp"

namespace mx::sim {

/// What the pins are set to. Both sides run on one machine and are built from this header; the
/// greeting tells apart those that were not.
struct PinRequest {
  std::uint32_t answers = 0;  ///< 1: the pins are wanted back
  RtlPins pins;
};

/// The greeting's first words; the sizes of a request and of the pins follow.
inline constexpr char kPinGreeting[] = "mxgold-pins 1";

}  // namespace mx::sim
