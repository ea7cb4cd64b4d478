// SPDX-License-Identifier: Apache-2.0
// The weights that a checkpoint stores in codes and scales: their shapes, which elements share a
// scale, and who wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/checkpoints/layouts.hpp"
#include "cli/files/tensor_files.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {

/// A weight whose parts fit each other. Its tensors live as long as their files.
struct StoredWeight {
  std::string name;
  const WeightLayout* layout = nullptr;
  const BlockFormat* format = nullptr;  ///< nullptr where the scales are no block format's
  const Tensor* codes = nullptr;
  const Tensor* scales = nullptr;
  const Tensor* level = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> tile;  ///< elements that share a scale, along each axis
  std::string_view packing;         ///< as the type of the codes says, or the layout
  bool is_swizzled = false;         ///< scales in tiles of 128 x 4
  /// The scales in the order of their blocks.
  std::span<const std::byte> scale_bytes;

  [[nodiscard]] std::uint64_t elements() const;
  /// Of a row along the last axis.
  [[nodiscard]] std::uint64_t row_length() const { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] std::uint64_t scale_count() const;
  /// What the codes and scales are codes of; nullptr for codes that are whole numbers.
  [[nodiscard]] const ElementFormat* element() const;
  [[nodiscard]] const ElementFormat* scale() const;
  /// "mxfp4", "e4m3fn with fp32 scales".
  [[nodiscard]] std::string format_name() const;

  std::shared_ptr<std::vector<std::byte>> owned;  ///< what scale_bytes views, if swizzled
};

/// Who wrote a checkpoint, as the files beside it say: "compressed-tensors (nvfp4-pack-quantized)".
struct CheckpointMaker {
  std::string name;                 ///< "" where nothing says it
  std::vector<std::uint64_t> tile;  ///< weight_block_size, or empty
};

/// The maker's name, or the writers that the weight's layout has.
[[nodiscard]] std::string writer_of(const CheckpointMaker& maker, const StoredWeight& weight);

/// From config.json or hf_quant_config.json in the folder of a file; nothing where there are none.
/// Throws Error kBadInput for one that is no JSON.
[[nodiscard]] CheckpointMaker maker_of(const TensorFiles& files);

struct StoredWeights {
  std::vector<StoredWeight> weights;  ///< in the order of their codes' names
  std::vector<std::string> misfits;   ///< a line each for codes and scales that do not fit
};

/// Every weight of a checkpoint, without those of ggml's blocks: their types say what they hold.
[[nodiscard]] StoredWeights stored_weights(const TensorFiles& files, const CheckpointMaker& maker);

/// Whole tiles of swizzled scales have the size of scales in order.
enum class ScaleOrder : std::uint8_t {
  kAsSaid,   ///< swizzled where the file says it, or the size alone allows nothing else
  kSwizzled  ///< swizzled wherever the size allows it
};

/// The weight under a layout; nothing where the shapes of its parts are of another.
[[nodiscard]] std::optional<StoredWeight> fitted(const WeightParts& parts, const TensorFiles& files,
                                                 const CheckpointMaker& maker,
                                                 ScaleOrder order = ScaleOrder::kAsSaid);

}  // namespace mx::cli
