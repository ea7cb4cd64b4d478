// SPDX-License-Identifier: Apache-2.0
// Orders that lanes, bytes and bits may come in by mistake.
#pragma once

#include <cstdint>
#include <span>

namespace mx::golden {

/// Words of lanes in another order.
struct LaneOrder {
  const char* value;
  const char* text;  ///< after "lanes" or the like
  void (*apply)(std::span<std::uint64_t>);
};

[[nodiscard]] std::span<const LaneOrder> lane_orders();

/// The low `bits` of a word with its parts of `part` bits in the opposite order.
[[nodiscard]] std::uint64_t reversed_parts(std::uint64_t word, int bits, int part);

}  // namespace mx::golden
