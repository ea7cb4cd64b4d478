// The blocks that comparisons of quantizers try, class by class. Nothing here rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "golden/compare/block_difference.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {

/// Elements of a whole block, or of one long enough where the format leaves the length open or it
/// is very long.
[[nodiscard]] std::size_t tried_elements(const BlockFormat& format);

/// One element: every code of a 16-bit source; every code of the upper 16 bits of a wider one and
/// seeded ones.
[[nodiscard]] std::vector<BlockInput> single_blocks(const ElementFormat& source,
                                                    const BlockFormat& format);
/// A block maximum and one element at, below and above each threshold of the element format under
/// the scales that the maximum may get, both signs; at most about `limit` of them.
[[nodiscard]] std::vector<BlockInput> pair_blocks(const ElementFormat& source,
                                                  const BlockFormat& format, std::size_t limit);
/// Zeros, infinities and NaN alone, together, and among numbers.
[[nodiscard]] std::vector<BlockInput> special_blocks(const ElementFormat& source,
                                                     const BlockFormat& format);
/// Whole blocks of seeded numbers.
[[nodiscard]] std::vector<BlockInput> seeded_blocks(const ElementFormat& source,
                                                    const BlockFormat& format, std::size_t count);

}  // namespace mx::golden
