// SPDX-License-Identifier: Apache-2.0
// What the tensors of a file are for: codes, scales and numbers of weights in blocks, and whose
// file it looks like.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/files/tensor_files.hpp"
#include "reference/format/format.hpp"

namespace mx::cli {

/// A tensor as a part of something.
struct TensorUse {
  std::string role;                       ///< "codes", "scales", "tensor scale"
  std::string of;                         ///< the weight
  const ElementFormat* format = nullptr;  ///< of its words
  std::string packing;                    ///< of cli/tensors/packing.hpp; "": a code a word
  std::uint64_t group = 0;                ///< the block size, for packings that need it
  std::uint64_t elements = 0;             ///< of packed codes
};

/// A weight, or another tensor, that several tensors of a file hold together.
struct BlockedWeight {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::string format;  ///< "mxfp4"
  std::string element;
  std::string scale;             ///< "" for none
  std::uint64_t block_size = 0;  ///< 0: no blocks
  std::int64_t axis = -1;
  std::string packing;       ///< "" for a code a word
  std::string scale_layout;  ///< "" for scales in the shape of their blocks
  bool has_tensor_scale = false;
  std::vector<std::uint64_t> tile = {};  ///< elements that share a scale, along each axis, if known
};

struct Contents {
  std::string made_by;  ///< "mxgold quantize 0.1.0, profile te"; "" where nobody is recognised
  std::vector<BlockedWeight> weights;
  std::vector<std::string> notes;                      ///< what looks like a weight and fits none
  std::map<std::string, TensorUse, std::less<>> uses;  ///< by the name of the tensor
};

/// What the recognisers know, of which the list stands in contents.cpp.
[[nodiscard]] Contents contents_of(const TensorFiles& files);

}  // namespace mx::cli
