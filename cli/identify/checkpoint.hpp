// Weights in blocks as libraries of quantization and ggml write them, beside the weights that they
// were made of: which tensors of two models in files belong together, and what each block holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/checkpoints/stored_weights.hpp"
#include "cli/files/tensor_files.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {

/// A weight of whole blocks along its last axis, beside its original. Its tensors live as long as
/// their files.
struct CheckpointWeight {
  StoredWeight stored;
  const Tensor* original = nullptr;
  std::uint32_t level = 0x3F800000;  ///< binary32

  [[nodiscard]] const BlockFormat& format() const { return *stored.format; }
  [[nodiscard]] std::uint64_t blocks() const { return stored.scale_count(); }
  /// As it is stored, of any bits.
  [[nodiscard]] std::uint8_t scale_byte(std::uint64_t index) const;
};

/// What a block was made of, and what was made of it.
struct CheckpointBlock {
  std::vector<std::uint64_t> source;
  std::vector<std::uint64_t> codes;
  std::uint8_t scale = 0;
};
/// Throws Error kBadInput where the scale is no code of its format; a NaN's sign is no part of one.
[[nodiscard]] CheckpointBlock block_of(const TensorFiles& checkpoint,
                                       const CheckpointWeight& weight, std::uint64_t index);

struct Checkpoint {
  std::vector<CheckpointWeight> weights;
  std::vector<std::string> without_original;  ///< names of codes that the weights lack
  std::vector<std::string> without_format;    ///< weights whose scales are no block format's
  std::vector<std::string> not_there;         ///< names of weights that the checkpoint lacks
  std::vector<std::string> lone_parts;        ///< named as parts of weights that are not whole
  std::size_t others = 0;                     ///< tensors that are no part of any
};

/// Is any tensor of the file one of the kinds?
[[nodiscard]] bool has_blocks(const TensorFiles& checkpoint);

/// Pairs a checkpoint with the file of its weights. Throws Error kBadInput naming file and tensor
/// where shapes or types do not belong together.
[[nodiscard]] Checkpoint read_checkpoint(const TensorFiles& weights, const TensorFiles& checkpoint,
                                         ScaleOrder order);

}  // namespace mx::cli
