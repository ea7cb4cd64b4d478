// The 32 lanes of a warp as a plain loop: what quantize_block runs on where there is no device.
#pragma once

#include <array>
#include <cstdint>

#include "fast/cuda/arithmetic.hpp"

namespace mx::fast {

struct HostLanes {
  template <class T>
  struct PerLane {
    std::array<T, kBlockSize> value;
    T& operator[](int lane) { return value[static_cast<std::size_t>(lane)]; }
  };

  template <class Function>
  void each(Function function) const {
    for (int lane = 0; lane < kBlockSize; ++lane) function(lane);
  }
  [[nodiscard]] std::uint32_t maximum(const PerLane<std::uint32_t>& lanes) const {
    std::uint32_t largest = 0;
    for (const std::uint32_t value : lanes.value) largest = value > largest ? value : largest;
    return largest;
  }
  [[nodiscard]] bool any(const PerLane<bool>& lanes) const {
    bool found = false;
    for (const bool value : lanes.value) found |= value;
    return found;
  }
  template <class Function>
  void once(Function function) const {
    function();
  }
};

}  // namespace mx::fast
