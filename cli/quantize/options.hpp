// What `quantize` is asked for, and a tensor on its way.
#pragma once

#include <cstdint>
#include <string>

#include "cli/files/tensor_file.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/quantize/cast.hpp"
#include "cli/tensors/backend.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/level.hpp"
#include "cli/tensors/open.hpp"
#include "cli/text/names.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {

/// What `mxgold quantize` was asked for.
struct QuantizeOptions {
  std::string input;
  std::string output;
  std::string format;
  std::string tensor = "all";
  std::int64_t axis = -1;
  int block_size = 0;
  std::uint64_t seed = kDefaultSeed;
  std::string packing;
  std::string scale_layout;
  int threads = 0;
  bool is_json = false;
  BackendOptions backend;
  TensorLevelOptions tensor_level;
  HadamardOptions hadamard;
  FormatOptions formats;
  PolicyOptions policies;
  SystemOptions system;
  Names operands;
};

/// One tensor on its way.
struct QuantizeJob {
  const Tensor* tensor = nullptr;
  BlockedShape shape;
  TensorLevel level;
  TensorSummary summary;
  OpenCount open = {};
};

}  // namespace mx::cli
