// Weights in blocks as ModelOpt, compressed-tensors and ggml write them, beside the weights that
// they were made of: which tensors of two models in files belong together, and what each block
// holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_files.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {

/// What the number of a two-level format is, beside the scales of its blocks.
enum class LevelNumber : std::uint8_t {
  kNone,
  kFactor,  ///< values are multiplied by it: ModelOpt
  kDivisor  ///< and divided: compressed-tensors
};

/// Names, types and layout of one kind of weights, as data.
struct CheckpointLayout {
  std::string_view writers;
  std::string_view block;     ///< the block format
  std::string_view codes;     ///< how the names end: of the codes,
  std::string_view scales;    ///< of the scale codes,
  std::string_view level;     ///< of the number of the tensor, "" for none,
  std::string_view original;  ///< and of the tensor in the file of weights
  std::string_view codes_type;
  std::string_view scales_type;
  std::string_view packing;  ///< of cli/tensors/packing.hpp; "": a code a byte
  LevelNumber number = LevelNumber::kNone;
  bool has_blocks = false;  ///< codes and scales are one tensor of ggml's blocks
};

/// A weight of two dimensions or more, in whole blocks along its last axis. Its tensors live as
/// long as their files.
struct CheckpointWeight {
  std::string name;  ///< without the ending
  const CheckpointLayout* layout = nullptr;
  const BlockFormat* format = nullptr;
  const Tensor* original = nullptr;
  const Tensor* codes = nullptr;
  const Tensor* scales = nullptr;
  std::uint32_t level = 0x3F800000;  ///< binary32

  [[nodiscard]] std::uint64_t blocks() const {
    const int each = layout->has_blocks ? format->block_size : 1;
    return scales->elements / static_cast<std::uint64_t>(each);
  }
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
  std::vector<std::string> not_there;         ///< names of weights that the checkpoint lacks
  std::vector<std::string> lone_parts;        ///< named as parts of weights that are not whole
  std::size_t others = 0;                     ///< tensors that are no part of any
};

/// Is any tensor of the file one of the kinds?
[[nodiscard]] bool has_blocks(const TensorFiles& checkpoint);

/// Pairs a checkpoint with the file of its weights. Throws Error kBadInput naming file and tensor
/// where shapes or types do not belong together.
[[nodiscard]] Checkpoint read_checkpoint(const TensorFiles& weights, const TensorFiles& checkpoint);

}  // namespace mx::cli
