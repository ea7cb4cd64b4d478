// Which code computes, and what is wanted of it beside the codes.
#pragma once

#include <cstdint>

namespace mx::backend {

/// Who computes: the option --backend of the program.
enum class Choice : std::uint8_t {
  kAuto,       ///< the fast path where there is one
  kReference,  ///< the model
  kCpu         ///< the fast path, or a problem that says why there is none
};

/// What a caller wants to know beside codes and scales.
enum class Wanted : std::uint8_t {
  kCounts,  ///< blocks, elements and NaN scales; flags stay 0
  kFlags    ///< flags too
};

}  // namespace mx::backend
