// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect/contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/checkpoints/stored_weights.hpp"
#include "cli/tensors/dequantize_jobs.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/tensors/plan.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kCodesEnding = ".codes";

std::string metadata_field(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? "" : found->second;
}

/// The formats of a recipe by their place in the table, or none: a recipe's own do not outlive it.
const ElementFormat* lasting(const ElementFormat& format) {
  const auto formats = all_formats();
  const auto found = std::find(formats.begin(), formats.end(), format);
  return found == formats.end() ? nullptr : &*found;
}

/// T.codes, T.scales and T.tensor_scale, as the metadata of the file say.
void add_own_weight(const TensorFile& file, const Tensor& codes, Contents& contents) {
  const std::string name = codes.name.substr(0, codes.name.size() - kCodesEnding.size());
  const Recipe recipe = recipe_of(file.path().string(), metadata_of_tensor(file, name, "--tensor"));
  const DequantizeJob job = dequantize_jobs(file, recipe, name).front();
  const BlockFormat* const block = recipe.format.block;
  const std::uint64_t group = block == nullptr ? 0 : static_cast<std::uint64_t>(recipe.block_size);
  contents.weights.push_back(
      {name, job.shape, std::string(recipe.format.name), std::string(recipe.element().name),
       block == nullptr ? "" : std::string(block->scale.name), group, recipe.axis, job.packing,
       recipe.scale_layout, recipe.has_tensor_scale()});
  contents.uses[codes.name] = {"codes",     name,  lasting(recipe.element()),
                               job.packing, group, job.elements};
  if (block != nullptr) {
    contents.uses[name + ".scales"] = {"scales", name, lasting(block->scale), "", 0, 0};
  }
  if (recipe.has_tensor_scale()) {
    contents.uses[name + ".tensor_scale"] = {"tensor scale", name, &formats::fp32, "", 0, 0};
  }
}

/// What mxgold wrote says so in its metadata.
bool know_our_own(const TensorFiles& files, Contents& contents) {
  for (const TensorFile& file : files.files()) {
    const std::string version = metadata_field(file, "mxgold_version");
    if (version.empty()) continue;
    const bool has_codes = holds_codes(file.metadata());
    contents.made_by = fmt::format("mxgold {}{}", has_codes ? "quantize " : "", version);
    if (const std::string profile = metadata_field(file, "profile"); !profile.empty()) {
      contents.made_by += fmt::format(", profile {}", profile);
    }
    if (const std::string from = metadata_field(file, "dequantized_from"); !from.empty()) {
      contents.made_by += fmt::format(", dequantized from {}", from);
    }
    if (!has_codes) continue;
    for (const Tensor& tensor : file.tensors()) {
      if (tensor.name.ends_with(kCodesEnding)) add_own_weight(file, tensor, contents);
    }
  }
  return !contents.made_by.empty();
}

/// A weight of another library, and the parts that it is made of.
void add_stored_weight(const StoredWeight& weight, Contents& contents) {
  const ElementFormat* const element = weight.element();
  const bool has_one_scale = weight.tile == weight.shape;
  contents.weights.push_back(
      {weight.name, weight.shape, weight.format_name(),
       std::string(element == nullptr ? "int8" : element->name), std::string(weight.scale()->name),
       weight.tile.empty() || has_one_scale ? 0 : weight.tile.back(), -1,
       std::string(weight.packing), weight.is_swizzled ? "swizzle_128x4" : "",
       weight.level != nullptr, weight.tile});
  contents.uses[weight.codes->name] = {
      "codes", weight.name, element, std::string(weight.packing), 0, weight.elements()};
  contents.uses[weight.scales->name] = {"scales", weight.name, weight.scale(), "", 0, 0};
  if (weight.level != nullptr) {
    contents.uses[weight.level->name] = {"tensor scale", weight.name, &formats::fp32, "", 0, 0};
  }
}

/// Checkpoints as libraries of quantization ship them: by the names and types of their tensors.
bool know_checkpoints(const TensorFiles& files, Contents& contents) {
  const CheckpointMaker maker = maker_of(files);
  const StoredWeights stored = stored_weights(files, maker);
  std::vector<std::string> writers;
  for (const StoredWeight& weight : stored.weights) {
    add_stored_weight(weight, contents);
    const std::string writer = writer_of(maker, weight);
    if (std::ranges::find(writers, writer) == writers.end()) writers.push_back(writer);
  }
  contents.made_by = fmt::format("{}", fmt::join(writers, "; "));
  contents.notes = stored.misfits;
  return !stored.weights.empty() || !stored.misfits.empty();
}

/// Each fills what it knows of a file, or says false. The first that knows one is asked alone.
using Recogniser = bool (*)(const TensorFiles& files, Contents& contents);
constexpr Recogniser kRecognisers[] = {know_our_own, know_checkpoints};

}  // namespace

Contents contents_of(const TensorFiles& files) {
  Contents contents;
  for (const Recogniser recogniser : kRecognisers) {
    if (recogniser(files, contents)) break;
  }
  return contents;
}

}  // namespace mx::cli
