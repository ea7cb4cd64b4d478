// What a beat carries, as words.
#pragma once

#include <array>
#include <cstdint>

namespace mxgold {

inline constexpr int kMaxBeatLanes = 32;
inline constexpr int kMaxBlock = 64;

/// The streaming shell that is modelled: parameters of rtl/mx_quantizer.sv.
struct Build {
  int lanes = 32;
  int block_size = 32;
  int in_width = 32;
  int sr_bits = 8;
  std::uint32_t policy_mask = 0x7FFF;
  int sr_variant = 0;  ///< 0 stochastic_a, 1 stochastic_b, 2 stochastic_c
  int subnormals = 1;
  int pipe_lane = 3;
  int out_skid = 0;

  [[nodiscard]] int beats() const { return block_size / lanes; }
};

/// s_axis_*: source codes by lane.
struct BeatIn {
  std::array<std::uint32_t, kMaxBeatLanes> source{};
  std::uint32_t keep = 0;  ///< bit i: lane i takes part
  std::uint32_t tuser = 0;
  bool last = false;
};

/// m_axis_*.
struct BeatOut {
  std::array<std::uint8_t, kMaxBeatLanes> codes{};
  std::uint32_t keep = 0;
  std::uint16_t user = 0;  ///< scale code in 7:0, status bits above
  bool last = false;
};

/// R by lane.
using BeatRandom = std::array<std::uint32_t, kMaxBeatLanes>;

}  // namespace mxgold
