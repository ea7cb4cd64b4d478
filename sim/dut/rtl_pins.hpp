// The pins of rtl/mx_quantizer with 32 lanes, under their names, for a build of it that stands in a
// library of its own. That library is compiled with this file, too.
#pragma once

#include <array>
#include <cstdint>

namespace mx::sim {

struct RtlPins {
  std::uint8_t clk_i = 0, rst_ni = 0;
  std::uint8_t s_axis_tvalid = 0, s_axis_tready = 0, s_axis_tlast = 0;
  std::uint8_t m_axis_tvalid = 0, m_axis_tready = 0, m_axis_tlast = 0;
  std::uint8_t rnd_ready_o = 0;
  std::uint16_t m_axis_tuser = 0;
  std::uint32_t s_axis_tuser = 0, m_axis_tkeep = 0;
  std::array<std::uint32_t, 32> s_axis_tdata{};
  std::array<std::uint32_t, 4> s_axis_tkeep{};
  std::array<std::uint32_t, 8> m_axis_tdata{}, rnd_i{};
};

/// What that library exports as `mx_rtl_functions`.
struct RtlFunctions {
  /// `fault`: which one of a library that has faults (sim/rtl/faults.hpp); 0: none.
  void* (*make)(int seed, int fault);
  void (*destroy)(void* model);
  /// Takes the inputs, settles, gives the outputs. Throws std::runtime_error for $stop, $fatal,
  /// $finish and assertions.
  void (*eval)(void* model, RtlPins& pins);
  // Waveforms, where it is compiled for them.
  void (*open)(void* model, const char* path);
  void (*dump)(void* model, std::uint64_t time);
  void (*close)(void* model);
};

}  // namespace mx::sim
