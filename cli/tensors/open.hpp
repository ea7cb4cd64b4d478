// What a profile leaves open of a tensor: how much of what `quantize` writes is one choice of
// several.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/files/tensor_file.hpp"
#include "cli/tensors/plan.hpp"
#include "reference/profiles/masks.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {

struct OpenCount {
  std::uint64_t elements = 0;
  std::uint64_t scales = 0;
  std::uint64_t blocks = 0;  ///< with an open element or scale
  Masks masks = 0;           ///< those that left something open

  OpenCount& operator+=(const OpenCount& other);
};

/// The masks of the recipe's profile for a tensor's type.
[[nodiscard]] Masks masks_of(const Recipe& recipe, const ElementFormat& source);

/// Counts on several threads. Nothing is read where there are no masks.
[[nodiscard]] OpenCount count_open(const Recipe& recipe, const Tensor& tensor,
                                   const BlockedShape& shape, const TensorLevel& level,
                                   int threads);

/// "3 of 64 values and 1 of 2 scales (NaN)"
[[nodiscard]] std::string open_text(const OpenCount& open, std::uint64_t elements,
                                    std::uint64_t blocks);

/// Adds open_elements, open_scales and open_masks, for a profile that has masks.
void add_open(const OpenCount& open, std::map<std::string, std::string>& metadata);

}  // namespace mx::cli
