// Random Hadamard transforms by the text of spec F25: every sum an exact rational, rounded by
// search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/format/format.hpp"

namespace mx::oracle {

/// The 16 binary32 codes that 16 codes of `source` become; `signs_last` is the order D H x / 4. A
/// NaN is 7FC00000.
[[nodiscard]] std::vector<std::uint32_t> hadamard(const ElementFormat& source,
                                                  std::span<const std::uint64_t> codes,
                                                  std::uint16_t mask, bool signs_last);

}  // namespace mx::oracle
