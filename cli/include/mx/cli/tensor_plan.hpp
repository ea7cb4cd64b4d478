// What `quantize` writes and `dequantize` reads for a tensor: names, types and shapes of the tensor
// contract (design.md section 5), and its metadata.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mx/cli/names.hpp"
#include "mx/cli/policies.hpp"
#include "mx/quantizer.hpp"
#include "mx/tensor.hpp"

namespace mx::cli {

/// How the tensors of a quantized file were made, as its metadata says it.
struct Recipe {
  FormatChoice format;
  int block_size = 32;
  std::int64_t axis = -1;
  std::string profile = "mxgold-default";
  Policies policies;
  std::uint64_t seed = 0;
  std::string packing;                            ///< "" for one code a word, or a dense layout
  std::optional<ElementFormat> profiled_element;  ///< where the profile has its own

  /// The format of the elements: the profile's, if it has its own.
  [[nodiscard]] const ElementFormat& element() const {
    return profiled_element ? *profiled_element : *format.element;
  }

  /// The quantizer of this recipe. An element format counts as one with scale 1 (code 7F).
  [[nodiscard]] QuantizerConfig config(const ElementFormat& source) const;
};

/// Metadata keys are the option names with underscores, and `mxgold_version`.
[[nodiscard]] std::map<std::string, std::string> metadata_of(const Recipe& recipe);
/// The way back. Throws Error kBadInput naming the key that is missing or wrong.
[[nodiscard]] Recipe recipe_of(std::string_view file,
                               const std::map<std::string, std::string>& metadata);

/// Takes up what a profile says of decoding the recipe's format: its element and its rule. Error
/// kUsage for an unknown profile, or one that does not speak of the format.
void decode_by_profile(Recipe& recipe, std::string_view profile);

/// Collapses the shape around the recipe's axis, or nothing if the axis is out of range.
[[nodiscard]] std::optional<BlockedShape> blocked_shape(const Recipe& recipe,
                                                        std::span<const std::uint64_t> shape);
/// The shape of T.scales: the axis divided by the block size, rounded up; [1] for 0 dimensions.
[[nodiscard]] std::vector<std::uint64_t> scale_shape(const Recipe& recipe,
                                                     std::span<const std::uint64_t> shape);

/// Blocks a thread takes at a time: about 2^17 elements.
[[nodiscard]] std::uint64_t chunk_blocks(int block_size);

/// Names of the flags set in a block result (elements' and block's), in order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(std::uint16_t flags);

}  // namespace mx::cli
