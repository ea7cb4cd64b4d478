// Which bits of status words a run of NVFP4 blocks has met.
#pragma once

#include <cstdint>
#include <string>

#include "tests/fast/cuda/judge.hpp"

namespace mx::fast::test {

/// Status bits that no more than `least` blocks had, with their number, "" where there are none. A
/// search finds nothing too large, so that its blocks must not have the last bit.
[[nodiscard]] std::string missing_status(const StreamTally& tally, ScaleRule rule,
                                         std::uint64_t least);

}  // namespace mx::fast::test
