// SPDX-License-Identifier: Apache-2.0
// Orders that lanes may come in by mistake.
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

}  // namespace mx::golden
