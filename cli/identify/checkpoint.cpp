#include "cli/identify/checkpoint.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "cli/base/error.hpp"
#include "cli/files/stored_type.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/text/names.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

bool is_ggml(const CheckpointWeight& weight) {
  return weight.stored.layout->form == CodesForm::kGgml;
}

/// The binary32 number of a weight; an error where it is none above 0.
std::uint32_t level_of(const TensorFiles& file, const Tensor& tensor) {
  std::uint32_t bits = 0;
  if (tensor.dtype == "F32" && tensor.elements == 1) std::memcpy(&bits, tensor.data.data(), 4);
  if (bits == 0 || bits >= 0x7F800000) {
    fail(Exit::kBadInput, "{}: tensor {}: one F32 number above 0 was expected",
         file.path().string(), printable(tensor.name));
  }
  return bits;
}

std::uint64_t word_at(const Tensor& tensor, std::uint64_t index) {
  const std::size_t size = storage_bytes(*tensor.format);
  std::uint64_t word = 0;
  std::memcpy(&word, tensor.data.data() + index * size, size);
  return word;
}

/// Codes and scales that are no blocks of the original, under no layout that their names allow.
[[noreturn]] void refuse_parts(const TensorFiles& checkpoint, const Tensor& original,
                               const std::vector<WeightParts>& list) {
  std::vector<std::string> formats;
  for (const WeightParts& parts : list) {
    const std::string_view name = parts.layout->block;
    if (!name.empty() && std::ranges::find(formats, name) == formats.end()) {
      formats.emplace_back(name);
    }
  }
  const Tensor& codes = *list.front().codes;
  const Tensor& scales = *list.front().scales;
  fail(Exit::kBadInput,
       "{}: tensor {}: {} [{}] with scales {}, {} [{}], are no blocks of {} along the last axis of "
       "{}, {} [{}]; give the file of the weights that they were made of",
       checkpoint.path().string(), printable(codes.name), codes.dtype, fmt::join(codes.shape, ", "),
       printable(scales.name), scales.dtype, fmt::join(scales.shape, ", "),
       formats.empty() ? "any format" : fmt::format("{}", fmt::join(formats, " or ")),
       printable(original.name), original.dtype, fmt::join(original.shape, ", "));
}

/// A tensor of codes under each layout that its names and types allow.
std::vector<WeightParts> candidates_for(const TensorFiles& checkpoint, const Tensor& tensor) {
  std::vector<WeightParts> list;
  for (const WeightLayout& layout : weight_layouts()) {
    if (std::optional<WeightParts> parts = parts_under(layout, checkpoint, tensor)) {
      list.push_back(std::move(*parts));
    }
  }
  return list;
}

/// The first that has blocks of the original's shape. Without one: nothing where scales are floats.
std::optional<CheckpointWeight> fitting(const TensorFiles& checkpoint,
                                        const std::vector<WeightParts>& list,
                                        const Tensor& original, ScaleOrder order) {
  bool has_other_scales = false;
  for (const WeightParts& parts : list) {
    const std::optional<StoredWeight> stored = fitted(parts, checkpoint, {}, order);
    if (!stored || stored->shape != original.shape || original.format == nullptr) continue;
    if (stored->format == nullptr) {
      has_other_scales = true;
      continue;
    }
    CheckpointWeight weight{*stored, &original};
    if (parts.level != nullptr) weight.level = level_of(checkpoint, *parts.level);
    return weight;
  }
  if (has_other_scales) return {};
  // A number of a wrong type or shape is told as such.
  if (list.front().level != nullptr) level_of(checkpoint, *list.front().level);
  refuse_parts(checkpoint, original, list);
}

/// Where a block of ggml lies, and which of its parts a block of the format is.
struct PlaceInBlocks {
  std::uint64_t begin = 0;  ///< of the scale bytes, one a part, which the codes follow
  std::uint64_t parts = 0;
  std::uint64_t part = 0;
};

PlaceInBlocks place_in_blocks(const CheckpointWeight& weight, std::uint64_t index) {
  const StoredType& type = *weight.stored.codes->stored;
  const std::uint64_t parts =
      type.elements / static_cast<std::uint64_t>(weight.format().block_size);
  return {index / parts * type.bytes, parts, index % parts};
}

/// The bytes that hold the codes of a block.
std::span<const std::byte> packed_block(const CheckpointWeight& weight, std::uint64_t index) {
  const auto k = static_cast<std::uint64_t>(weight.format().block_size);
  const std::string_view packing = weight.stored.packing;
  const std::uint64_t bytes = packing.empty() ? k : packed_bytes(packing, k, k);
  const std::span<const std::byte> data = weight.stored.codes->data;
  if (!is_ggml(weight)) return data.subspan(index * bytes, bytes);
  const PlaceInBlocks place = place_in_blocks(weight, index);
  return data.subspan(place.begin + place.parts + place.part * bytes, bytes);
}

std::uint8_t scale_of(const TensorFiles& checkpoint, const CheckpointWeight& weight,
                      std::uint64_t index) {
  const ScaleFormat& format = weight.format().scale;
  const std::uint8_t stored = weight.scale_byte(index);
  if (format.takes(stored)) return stored;
  const auto unsigned_code = static_cast<std::uint8_t>(stored & format.code_mask());
  if (decode(format, unsigned_code).cls == ValueClass::kNan) return unsigned_code;
  fail(Exit::kBadInput,
       "{}: tensor {}: the scale of block {} is {:02X}, which has its sign set; no scale of {} has",
       checkpoint.path().string(), printable(weight.stored.scales->name), index, stored,
       weight.format().name);
}

}  // namespace

std::uint8_t CheckpointWeight::scale_byte(std::uint64_t index) const {
  if (!is_ggml(*this)) return std::to_integer<std::uint8_t>(stored.scale_bytes[index]);
  const PlaceInBlocks place = place_in_blocks(*this, index);
  return std::to_integer<std::uint8_t>(stored.scales->data[place.begin + place.part]);
}

CheckpointBlock block_of(const TensorFiles& checkpoint, const CheckpointWeight& weight,
                         std::uint64_t index) {
  const auto k = static_cast<std::uint64_t>(weight.format().block_size);
  CheckpointBlock block;
  for (std::uint64_t i = index * k; i < (index + 1) * k; ++i) {
    block.source.push_back(word_at(*weight.original, i));
  }
  const auto packed = packed_block(weight, index);
  std::vector<std::byte> codes(packed.begin(), packed.end());
  if (!weight.stored.packing.empty()) {
    codes.resize(k);
    unpack(weight.stored.packing, packed, codes, k);
  }
  for (const std::byte code : codes) block.codes.push_back(std::to_integer<std::uint64_t>(code));
  block.scale = scale_of(checkpoint, weight, index);
  return block;
}

bool has_blocks(const TensorFiles& checkpoint) {
  return std::ranges::any_of(checkpoint.tensors(), [&](const auto& each) {
    return !candidates_for(checkpoint, *each.second).empty();
  });
}

Checkpoint read_checkpoint(const TensorFiles& weights, const TensorFiles& checkpoint,
                           ScaleOrder order) {
  Checkpoint read;
  std::set<const Tensor*> parts;
  std::set<const Tensor*> originals;
  for (const auto& [name, tensor] : checkpoint.tensors()) {
    const std::vector<WeightParts> list = candidates_for(checkpoint, *tensor);
    if (list.empty()) continue;
    const WeightParts& first = list.front();
    parts.insert({tensor, first.scales});
    if (first.level != nullptr) parts.insert(first.level);
    const Tensor* const original = weights.find(first.name());
    if (original == nullptr) {
      read.without_original.push_back(name);
      continue;
    }
    originals.insert(original);
    if (std::optional<CheckpointWeight> weight = fitting(checkpoint, list, *original, order)) {
      read.weights.push_back(std::move(*weight));
    } else {
      read.without_format.push_back(name);
    }
  }
  for (const auto& [name, tensor] : checkpoint.tensors()) {
    if (!parts.contains(tensor) && names_a_part(name)) read.lone_parts.push_back(name);
  }
  for (const auto& [name, tensor] : weights.tensors()) {
    if (!originals.contains(tensor) && checkpoint.find(name) == nullptr) {
      read.not_there.push_back(name);
    }
  }
  read.others = checkpoint.tensors().size() - parts.size() - read.lone_parts.size();
  return read;
}

}  // namespace mx::cli
