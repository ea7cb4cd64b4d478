// SPDX-License-Identifier: Apache-2.0
// How checkpoints store weights in codes and scales, as data: which tensors belong together by
// their names and types, for each library that writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/files/tensor_files.hpp"

namespace mx::cli {

/// What the number of a two-level format is, beside the scales of its blocks.
enum class LevelNumber : std::uint8_t {
  kNone,
  kFactor,  ///< values are multiplied by it: ModelOpt, torchao
  kDivisor  ///< and divided: compressed-tensors
};

/// How the tensor of codes lies beside its weight.
enum class CodesForm : std::uint8_t {
  kRows,    ///< in the weight's shape, the last axis shorter where codes share bytes
  kGroups,  ///< the bytes of a block are an axis of their own: gpt-oss
  kGgml     ///< codes and scales are one tensor of ggml's blocks
};

/// Names, types and layout of one kind of weights.
struct WeightLayout {
  std::string_view writers;
  /// The block format. "": the type of the codes says the element format, and the shape of the
  /// scales how many elements share one.
  std::string_view block;
  std::string_view codes;     ///< how the names end: of the codes,
  std::string_view scales;    ///< of the scales,
  std::string_view level;     ///< of the number of the tensor, "" for none,
  std::string_view original;  ///< and of the weight before it was quantized
  std::string_view codes_types;
  std::string_view scales_types;
  std::string_view packing;  ///< of cli/tensors/packing.hpp; "": a code a byte
  LevelNumber number = LevelNumber::kNone;
  CodesForm form = CodesForm::kRows;
  std::string_view joint = {};       ///< what stands for the last "." of the weight's name
  std::string_view never_with = {};  ///< the ending of a tensor that these weights do not have
};

[[nodiscard]] std::span<const WeightLayout> weight_layouts();

/// The tensors of a weight under a layout.
struct WeightParts {
  const WeightLayout* layout = nullptr;
  std::string stem;  ///< the name before the endings
  const Tensor* codes = nullptr;
  const Tensor* scales = nullptr;
  const Tensor* level = nullptr;  ///< nullptr where the layout has none

  /// The name of the weight: "model.layers.0.mlp.up_proj.weight".
  [[nodiscard]] std::string name() const;
};

/// The parts of the weight whose codes a tensor may be under a layout; nothing where a name or a
/// type says that it is none.
[[nodiscard]] std::optional<WeightParts> parts_under(const WeightLayout& layout,
                                                     const TensorFiles& files, const Tensor& codes);

/// Has a tensor a name that only a part of a weight has?
[[nodiscard]] bool names_a_part(std::string_view name);

}  // namespace mx::cli
