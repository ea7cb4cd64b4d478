// A block that came out wrong, and what of its answer counts.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/block/block.hpp"
#include "sim/block/model.hpp"

namespace mx::sim {

/// strict: every bit of every code counts but for what a profile leaves open. normative: element
/// codes that the policy declares don't-care (a NaN scale under nan_scale_codes = dont_care) are
/// left out too.
enum class Compare : std::uint8_t { kStrict, kNormative };

/// A block that came out wrong, or, where said so, right.
struct Mismatch {
  std::uint64_t index = 0;  ///< in the whole run
  BlockIn block;
  BlockOut expected;
  BlockOpen open;
  BlockOut actual;
  Compare compare = Compare::kStrict;
  std::optional<BlockIn> previous = {};  ///< the block before it in its segment
};

/// The codes that are compared, a bit a lane; those of lanes that are not kept are.
[[nodiscard]] std::uint32_t compared_lanes(Compare compare, const BlockOpen& open);

/// Do the answers agree?
[[nodiscard]] bool agrees(Compare compare, const BlockOut& expected, const BlockOpen& open,
                          const BlockOut& actual);

}  // namespace mx::sim
