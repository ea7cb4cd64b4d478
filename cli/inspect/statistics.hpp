// SPDX-License-Identifier: Apache-2.0
// How often the codes of a tensor are zero, subnormal, the greatest, infinite, NaN.
#pragma once

#include <cstdint>

#include "cli/inspect/contents.hpp"

namespace mx::cli {

struct CodeStatistics {
  std::uint64_t codes = 0;
  std::uint64_t zero = 0;
  std::uint64_t subnormal = 0;
  std::uint64_t greatest = 0;  ///< of the largest finite magnitude, of either sign
  std::uint64_t infinite = 0;
  std::uint64_t nan = 0;
  std::uint64_t stray = 0;     ///< words with bits above the format's
  std::uint64_t distinct = 0;  ///< different codes; of formats of at most 16 bits
};

/// Of the words of a tensor as codes of the format of its use, which there is.
[[nodiscard]] CodeStatistics statistics_of(const Tensor& tensor, const TensorUse& use);

}  // namespace mx::cli
