// One block on its way into a device under test, and the answer on its way out: the fields of the
// two streams of spec R6, without the wires.
#pragma once

#include <array>
#include <cstdint>

namespace mx::sim {

/// Lanes of a block. Every device under test of this harness takes one block of 32 per beat.
inline constexpr int kLanes = 32;
/// Every lane kept.
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFF;

/// What the driver offers.
struct BlockIn {
  std::array<std::uint32_t, kLanes> source{};  ///< source codes, 16-bit formats in the low half
  std::array<std::uint32_t, kLanes> random{};  ///< R of each element, below 2^N; 0 if unused
  std::uint32_t config = 0;                    ///< number among the configurations of the run
  std::uint32_t keep = kAllLanes;              ///< bit i: lane i takes part; the others count as +0
  bool last = false;                           ///< tlast, passed through
  constexpr bool operator==(const BlockIn&) const = default;
};

/// What the monitor collects.
struct BlockOut {
  std::array<std::uint8_t, kLanes> codes{};  ///< element codes, right-aligned; 0 where not kept
  std::uint32_t keep = kAllLanes;
  std::uint16_t status = 0;  ///< m_axis_tuser: scale code in 7:0, status bits above
  bool last = false;
  constexpr bool operator==(const BlockOut&) const = default;

  [[nodiscard]] constexpr std::uint8_t scale() const {
    return static_cast<std::uint8_t>(status & 0xFF);
  }
};

}  // namespace mx::sim
