// Which tensors of a quantized file come back, every part checked against the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/tensors/plan.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {

/// One tensor on its way back.
struct DequantizeJob {
  std::string name;
  const Tensor* codes = nullptr;
  const Tensor* scales = nullptr;  ///< nullptr for an element format
  std::string packing;             ///< how codes share bytes, as the recipe or their type says; ""
  std::vector<std::uint64_t> shape;
  BlockedShape blocks;
  TensorLevel level;  ///< of T.tensor_scale, where the format has one
  std::uint64_t elements = 0;
};

/// Every T with T.codes, or the one that `selector` names. Tensors that are neither codes nor
/// scales are named on stderr. Throws Error: kBadInput where types, shapes and metadata disagree,
/// kUsage for an unknown name.
[[nodiscard]] std::vector<DequantizeJob> dequantize_jobs(const TensorFile& file,
                                                         const Recipe& recipe,
                                                         const std::string& selector);

}  // namespace mx::cli
