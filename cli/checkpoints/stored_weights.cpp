// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoints/stored_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/files/byte_order.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/tensor/scale_layout.hpp"

namespace mx::cli {
namespace {

using Shape = std::vector<std::uint64_t>;

std::uint64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Elements of the weight for each one of the tensor of codes along its last axis; 0: none are
/// whole.
std::uint64_t elements_along(std::string_view packing, const Tensor& codes, std::uint64_t length) {
  const DType& type = *find_dtype(codes.dtype);
  if (type.bits < 8) return length;  // F4 and F6 count codes
  const std::uint64_t bytes = length * static_cast<std::uint64_t>(type.bits) / 8;
  if (packing == "nibble_low_first") return bytes * 2;
  if (packing == "dense6") return bytes % 3 == 0 ? bytes / 3 * 4 : 0;
  return bytes;
}

/// The shape of a weight by that of its codes.
std::optional<Shape> shape_of(const WeightLayout& layout, const Tensor& codes) {
  Shape shape = codes.shape;
  if (layout.form == CodesForm::kGgml) return shape;
  if (layout.form == CodesForm::kGroups) {
    if (shape.size() < 2) return {};
    const std::uint64_t bytes = shape.back();
    shape.pop_back();
    shape.back() *= bytes;
  }
  if (shape.empty()) return {};
  shape.back() = elements_along(layout.packing, codes, shape.back());
  if (shape.back() == 0 && codes.elements != 0) return {};
  return shape;
}

/// How many elements of an axis share a scale, by how many scales there are; 0: no even share.
/// Where several fit, 128 goes first: the tiles of DeepSeek, of which the last may be short.
std::uint64_t share_of(std::uint64_t length, std::uint64_t scales, std::uint64_t asked) {
  constexpr std::uint64_t kUsual = 128;
  if (scales == 0) return length == 0 ? 1 : 0;
  if (asked != 0 && ceil_divide(length, asked) == scales) return asked;
  if (scales == length) return 1;
  if (scales == 1) return length;
  if (ceil_divide(length, kUsual) == scales) return kUsual;
  return length % scales == 0 ? length / scales : 0;
}

/// The shape of scales with an entry for every axis of the weight.
std::optional<Shape> aligned(Shape scales, std::size_t rank) {
  if (product(scales) == 1) return Shape(rank, 1);
  for (std::size_t i = scales.size(); i-- > 0 && scales.size() > rank;) {
    if (scales[i] == 1) scales.erase(scales.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (scales.size() > rank) return {};
  scales.resize(rank, 1);
  return scales;
}

/// The tile of a weight without a block format.
std::optional<Shape> tile_by_shapes(const Shape& shape, const Tensor& scales,
                                    const CheckpointMaker& maker) {
  const std::optional<Shape> counts = aligned(scales.shape, shape.size());
  if (!counts) return {};
  Shape tile;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t from_end = shape.size() - i;
    const std::uint64_t asked =
        from_end <= maker.tile.size() ? maker.tile[maker.tile.size() - from_end] : 0;
    tile.push_back(share_of(shape[i], (*counts)[i], asked));
    if (tile.back() == 0) return {};
  }
  return tile;
}

/// Does the number of a weight go with its shape: one, or one for each of the leading axis?
bool fits_level(const Tensor* level, const Shape& shape) {
  if (level == nullptr) return true;
  return level->dtype == "F32" &&
         (level->elements == 1 || (shape.size() > 2 && level->elements == shape.front()));
}

/// Does the file say of a weight that its scales are swizzled? torchao does, as JSON in the
/// metadata of safetensors files, and in an attribute of PyTorch's.
bool says_swizzled(const TensorFiles& files, const std::string& weight) {
  for (const TensorFile& file : files.files()) {
    const auto attribute = file.metadata().find(weight + ".is_swizzled_scales");
    if (attribute != file.metadata().end()) return attribute->second != "0";
    const auto found = file.metadata().find(weight);
    if (found == file.metadata().end()) continue;
    nlohmann::ordered_json json;
    if (golden::parse_json(found->second, json) || !json.is_object()) continue;
    const auto data = json.find("_data");
    if (data == json.end() || !data->is_object()) continue;
    const auto flag = data->find("is_swizzled_scales");
    if (flag != data->end() && flag->is_boolean()) return flag->get<bool>();
  }
  return false;
}

/// Sets tile and scale_bytes of a weight of a block format; false where the scales are others'.
bool take_blocks(const TensorFiles& files, ScaleOrder order, StoredWeight& weight) {
  const auto k = static_cast<std::uint64_t>(weight.format->block_size);
  if (weight.shape.back() % k != 0) return false;
  weight.tile.assign(weight.shape.size(), 1);
  weight.tile.back() = k;
  weight.scale_bytes = weight.scales->data;
  if (weight.layout->form == CodesForm::kGgml) return true;
  Shape expected = weight.shape;
  expected.back() /= k;
  const bool is_in_order = weight.scales->shape == expected;
  const bool is_said = says_swizzled(files, weight.name);
  if (is_in_order && !is_said && order == ScaleOrder::kAsSaid) return true;
  const std::uint64_t rows = product(expected) / std::max<std::uint64_t>(expected.back(), 1);
  const Swizzle128x4 layout{rows, expected.back()};
  if (weight.scales->elements != layout.bytes()) return is_in_order;
  weight.is_swizzled = true;
  weight.owned = std::make_shared<std::vector<std::byte>>(product(expected));
  unswizzle(layout, weight.scales->data, *weight.owned);
  weight.scale_bytes = *weight.owned;
  return true;
}

std::string misfit_of(const WeightParts& parts) {
  return fmt::format(
      "tensor {}: {} [{}], and its scales {}: {} [{}], fit in no way that mxgold knows",
      printable(parts.codes->name), parts.codes->dtype, fmt::join(parts.codes->shape, ", "),
      printable(parts.scales->name), parts.scales->dtype, fmt::join(parts.scales->shape, ", "));
}

}  // namespace

std::uint64_t StoredWeight::elements() const { return product(shape); }

std::uint64_t StoredWeight::scale_count() const {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    count *= ceil_divide(shape[i], std::max<std::uint64_t>(tile[i], 1));
  }
  return count;
}

const ElementFormat* StoredWeight::element() const {
  return format != nullptr ? &format->element : find_dtype(codes->dtype)->codes;
}

const ElementFormat* StoredWeight::scale() const {
  if (format != nullptr) return &format->scale;
  const DType& type = *find_dtype(scales->dtype);
  return type.codes != nullptr ? type.codes : &formats::e8m0;
}

std::string StoredWeight::format_name() const {
  if (format != nullptr) return std::string(format->name);
  const std::string_view codes_name = element() == nullptr ? "int8" : element()->name;
  return fmt::format("{} with scales of {}", codes_name, scale()->name);
}

std::string writer_of(const CheckpointMaker& maker, const StoredWeight& weight) {
  return maker.name.empty() ? std::string(weight.layout->writers) : maker.name;
}

std::optional<StoredWeight> fitted(const WeightParts& parts, const TensorFiles& files,
                                   const CheckpointMaker& maker, ScaleOrder order) {
  const WeightLayout& layout = *parts.layout;
  StoredWeight weight;
  weight.name = parts.name();
  weight.layout = &layout;
  weight.format = layout.block.empty() ? nullptr : find_block_format(layout.block);
  weight.codes = parts.codes;
  weight.scales = parts.scales;
  weight.level = parts.level;
  weight.packing = layout.packing;
  const std::optional<Shape> shape = shape_of(layout, *parts.codes);
  if (!shape || !fits_level(parts.level, *shape)) return {};
  // Words that hold several codes were turned round when the file was opened on such a host.
  if (kFilesAreForeign && parts.codes->dtype == "U32") return {};
  weight.shape = *shape;
  if (weight.format != nullptr) {
    if (!take_blocks(files, order, weight)) return {};
    return weight;
  }
  const std::optional<Shape> tile = tile_by_shapes(*shape, *parts.scales, maker);
  if (!tile) return {};
  weight.tile = *tile;
  weight.scale_bytes = parts.scales->data;
  return weight;
}

StoredWeights stored_weights(const TensorFiles& files, const CheckpointMaker& maker) {
  StoredWeights found;
  for (const auto& [name, tensor] : files.tensors()) {
    std::optional<StoredWeight> weight;
    std::optional<WeightParts> first;
    for (const WeightLayout& layout : weight_layouts()) {
      if (layout.form == CodesForm::kGgml) continue;
      const std::optional<WeightParts> parts = parts_under(layout, files, *tensor);
      if (!parts) continue;
      if (!first) first = parts;
      weight = fitted(*parts, files, maker);
      if (weight) break;
    }
    if (weight) {
      found.weights.push_back(std::move(*weight));
    } else if (first) {
      found.misfits.push_back(misfit_of(*first));
    }
  }
  return found;
}

}  // namespace mx::cli
