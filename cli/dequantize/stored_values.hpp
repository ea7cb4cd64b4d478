// SPDX-License-Identifier: Apache-2.0
// Tensors whose bytes are values by themselves, as values: what `mxgold dequantize` does with files
// of kinds that name such types.
#pragma once

#include <string>

#include "cli/files/tensor_file.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

struct StoredRequest {
  std::string output;
  std::string tensor;  ///< "all" or a name
  const ElementFormat& to;
  DequantOverflow overflow = DequantOverflow::kInf;
  int threads = 1;
  bool is_json = false;
};

/// Has any tensor of the file such a type, because its kind says so?
[[nodiscard]] bool holds_stored_values(const TensorFile& file);
/// Has any tensor codes of a format by its type: F8_E4M3, F4?
[[nodiscard]] bool holds_code_types(const TensorFile& file);

/// Writes the values, binary32 or rounded from there, and reports. Tensors of other types are named
/// on stderr under "all". Throws Error: kUsage for an unknown name, kBadInput for a tensor of
/// another type.
void dequantize_stored(const TensorFile& file, const StoredRequest& request);

}  // namespace mx::cli
