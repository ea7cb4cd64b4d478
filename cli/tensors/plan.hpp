// What `quantize` writes and `dequantize` reads for a tensor: names, types and shapes of the tensor
// contract (spec F24), and its metadata.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/text/names.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/hadamard.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {

/// How the tensors of a quantized file were made, as its metadata says it.
struct Recipe {
  std::shared_ptr<FormatBook>
      book;  ///< keeps the formats alive; may be empty for those of the table
  FormatChoice format;
  int block_size = 32;
  std::int64_t axis = -1;
  std::string profile = "mxgold-default";
  Policies policies;
  std::uint64_t seed = 0;
  std::string packing;       ///< "" for one code a word, or a dense layout
  std::string scale_layout;  ///< "" for T.scales in the shape of its blocks, or swizzle_128x4
  std::optional<Hadamard> hadamard;  ///< what the values were transformed by before (spec F25)
  std::optional<ElementFormat> profiled_element;  ///< where the profile has its own

  /// The format of the elements: the profile's, if it has its own.
  [[nodiscard]] const ElementFormat& element() const {
    return profiled_element ? *profiled_element : *format.element;
  }

  /// The quantizer of this recipe. An element format counts as one with scale 1 (code 7F), and
  /// block policies play no part.
  [[nodiscard]] QuantizerConfig config(const ElementFormat& source,
                                       const TensorLevel& tensor = {}) const;
  /// The block format with the recipe's block size.
  [[nodiscard]] BlockFormat block() const;
  /// Is a second scale stored for each tensor, as T.tensor_scale?
  [[nodiscard]] bool has_tensor_scale() const {
    return format.block != nullptr && format.block->tensor_scale != TensorScale::kNone;
  }
};

/// The element type of T.scales: that of a real-valued scale format, else unsigned words.
[[nodiscard]] std::string_view scale_dtype(const BlockFormat& format);

/// Metadata keys are the option names with underscores, and `mxgold_version`.
[[nodiscard]] std::map<std::string, std::string> metadata_of(const Recipe& recipe);
/// The metadata as they speak of one tensor: "axis.w" counts before "axis". Error kUsage where the
/// file's tensors were made in several ways and none is named; `option` names one.
[[nodiscard]] std::map<std::string, std::string> metadata_of_tensor(const TensorFile& file,
                                                                    const std::string& tensor,
                                                                    std::string_view option);
/// The way back. Throws Error kBadInput naming the key that is missing or wrong.
[[nodiscard]] Recipe recipe_of(std::string_view file,
                               const std::map<std::string, std::string>& metadata);

/// Takes up what a profile says of decoding the recipe's format: its element, its rule and its
/// overflow. Error kUsage for an unknown profile, or one that does not speak of the format.
void dequantize_by_profile(Recipe& recipe, std::string_view profile);

/// Collapses the shape around the recipe's axis, or nothing if the axis is out of range.
[[nodiscard]] std::optional<BlockedShape> blocked_shape(const Recipe& recipe,
                                                        std::span<const std::uint64_t> shape);
/// The shape of T.scales: the axis divided by the block size, rounded up (and the dimension before
/// it by the lines of a tile); the axis has length 1 where a block is a whole axis; [1] for 0
/// dimensions and for one block a tensor.
[[nodiscard]] std::vector<std::uint64_t> scale_shape(const Recipe& recipe,
                                                     std::span<const std::uint64_t> shape);

/// Blocks a thread takes at a time: about 2^17 elements.
[[nodiscard]] std::uint64_t chunk_blocks(std::uint64_t block_size);

/// Threads that take chunks, and threads that share each of them: short blocks are spread over the
/// threads, those of whole axes and tensors are worked on by all of them.
struct ThreadShare {
  int chunks = 1;
  int each = 1;
};
[[nodiscard]] ThreadShare share_threads(std::uint64_t block_size, int threads);

/// Legal names of scale layouts; Error kUsage for another name, or for a recipe that it does not
/// fit (swizzle_128x4: scales of one byte, blocks along the last axis). "" and plane give "".
[[nodiscard]] std::string require_scale_layout(std::string_view name, const FormatChoice& format);

}  // namespace mx::cli
