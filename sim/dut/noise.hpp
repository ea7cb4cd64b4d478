// What idle payload pins show: a bus that keeps its last beat hides a device that looks at it
// without asking for valid (spec V12).
#pragma once

#include <cstdint>

namespace mx::sim {

/// SplitMix64: words of one cycle, a function of Drive::noise.
class Noise {
 public:
  constexpr explicit Noise(std::uint64_t seed) : state_(mix(seed)) {}
  constexpr std::uint32_t next() {
    state_ += 0x9E3779B97F4A7C15;
    return static_cast<std::uint32_t>(mix(state_) >> 32);
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace mx::sim
