// What the kernels of nvfp4_4over6 read beside the thresholds of fast/scaled/constants.hpp: the
// other candidate's scales, and what a code under a scale is worth. Spec F11.4.
#pragma once

#include <array>
#include <cstddef>

#include "fast/scaled/constants.hpp"

namespace mx::fast::candidates {

/// Magnitude codes of e2m1fn.
inline constexpr std::size_t kMagnitudes = 8;

struct Errors {
  /// Of the candidate that brings the maximum to 4; the thresholds have the other one's.
  scaled::ScaleConstants four;
  /// fl32(fl32(fl32(element * scale) * amax) / top) by scale code and magnitude code.
  std::array<std::array<float, kMagnitudes>, scaled::kScales> kept = {};
  bool squares = false;  ///< errors are squared
};

}  // namespace mx::fast::candidates
