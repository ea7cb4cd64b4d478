// The shared scale of a block: from the block maximum to a scale code. formats.md section 11.
#pragma once

#include <cstdint>

#include "mx/format.hpp"
#include "mx/policy.hpp"
#include "mx/unpacked.hpp"

namespace mx {

struct ScaleChoice {
  std::uint64_t code = 0;
  int unclamped = 0;     ///< the rule's code, before the ends of the scale format's range
  bool clamped = false;  ///< unclamped lies outside the range, or even_carry made the scale NaN
};

/// The scale code of a power-of-two rule for a finite, nonzero maximum, by value (not by bits), so
/// that it holds for every source format. `scale` is an exponent-only format without zero.
[[nodiscard]] ScaleChoice choose_scale(const Unpacked& amax, const ElementFormat& element,
                                       const ScaleFormat& scale, const BlockPolicy& policy);

/// The scale code an infinite maximum gets under inf_block = as_e255: the rule at 2^128.
[[nodiscard]] ScaleChoice choose_scale_as_e255(const ElementFormat& element,
                                               const ScaleFormat& scale, const BlockPolicy& policy);

}  // namespace mx
