// What torch says of types and axes that an operation does not take, for every system over it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulators/common/tensor.hpp"

namespace mx::emulators {

/// A kernel for binary32 that was given another type.
[[nodiscard]] inline std::string wants_float(TensorType given) {
  return std::string("RuntimeError: expected scalar type Float but found ")
      .append(facts_of(given).scalar);
}

/// Where an answer would need the bits of CUDA's binary64 functions, which are not exact even for
/// powers of two (spec S3.3).
inline constexpr std::string_view kCudaBinary64 =
    "ValueError: on CUDA torch computes this by the binary64 log2 and pow of its library, which "
    "are "
    "not emulated; platform x86 is";

/// An axis outside -rank .. rank - 1; torch takes a 0-dimensional tensor as one of rank 1.
[[nodiscard]] inline std::string axis_out_of_range(std::int64_t axis, std::int64_t rank) {
  const std::int64_t most = rank == 0 ? 1 : rank;
  return std::string("IndexError: Dimension out of range (expected to be in range of [")
      .append(std::to_string(-most))
      .append(", ")
      .append(std::to_string(most - 1))
      .append("], but got ")
      .append(std::to_string(axis))
      .append(")");
}

}  // namespace mx::emulators
