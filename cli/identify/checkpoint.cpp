#include "cli/identify/checkpoint.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

constexpr std::string_view kModelopt = "ModelOpt";
constexpr std::string_view kCompressed = "compressed-tensors";
constexpr std::string_view kNibbles = "nibble_low_first";
constexpr std::string_view kHalves = "split_half";

/// Those of the same names and types are told apart by the bytes of their codes.
constexpr std::array kWeightLayouts = {
    CheckpointLayout{kCompressed, "nvfp4", ".weight_packed", ".weight_scale",
                     ".weight_global_scale", ".weight", "U8", "F8_E4M3", kNibbles,
                     LevelNumber::kDivisor},
    CheckpointLayout{kCompressed, "mxfp4", ".weight_packed", ".weight_scale", "", ".weight", "U8",
                     "U8", kNibbles},
    CheckpointLayout{kCompressed, "mxfp6_e2m3", ".weight_packed", ".weight_scale", "", ".weight",
                     "U8", "U8", "dense6"},
    CheckpointLayout{kModelopt, "nvfp4", ".weight", ".weight_scale", ".weight_scale_2", ".weight",
                     "U8", "F8_E4M3", kNibbles, LevelNumber::kFactor},
    CheckpointLayout{kModelopt, "mxfp4", ".weight", ".weight_scale", "", ".weight", "U8", "U8",
                     kNibbles},
    CheckpointLayout{"ModelOpt or compressed-tensors", "mxfp8_e4m3", ".weight", ".weight_scale", "",
                     ".weight", "F8_E4M3", "U8", ""},
    CheckpointLayout{"omlx", "mxfp8_e4m3", ".weight", ".weight_scale_inv", "", ".weight", "F8_E4M3",
                     "U8", ""},
    CheckpointLayout{"DeepSeek-V4", "mxfp4", ".weight", ".scale", "", ".weight", "U8", "U8",
                     kNibbles},
    CheckpointLayout{"ggml", "mxfp4", "", "", "", "", "MXFP4", "MXFP4", kHalves, LevelNumber::kNone,
                     true},
    CheckpointLayout{"ggml", "nvfp4", "", "", "", "", "NVFP4", "NVFP4", kHalves, LevelNumber::kNone,
                     true}};

/// Is a tensor of a type: where that is bytes, of signed ones or of the format's own type, too?
bool is_typed(const Tensor* tensor, std::string_view type, const ElementFormat& format) {
  if (tensor == nullptr) return false;
  const std::string& dtype = tensor->dtype;
  return dtype == type || (type == "U8" && (dtype == "I8" || dtype == own_dtype(format)));
}

/// Has a tensor of ggml's blocks another number that multiplies it, which its blocks do not hold?
bool has_scale_beside(const TensorFiles& file, const Tensor& tensor) {
  const std::string_view name = tensor.name;
  const std::string_view stem = name.substr(0, name.rfind(".weight"));
  return file.find(std::string(stem) + ".scale") != nullptr;
}

/// The name before the ending of a layout's codes; nothing where the tensor is none of them.
std::optional<std::string> name_under(const CheckpointLayout& layout, const TensorFiles& file,
                                      const Tensor& tensor) {
  const BlockFormat& block = *find_block_format(layout.block);
  if (!tensor.name.ends_with(layout.codes) ||
      !is_typed(&tensor, layout.codes_type, block.element)) {
    return {};
  }
  if (layout.has_blocks && has_scale_beside(file, tensor)) return {};
  std::string name = tensor.name.substr(0, tensor.name.size() - layout.codes.size());
  const Tensor* const scales = file.find(name + std::string(layout.scales));
  if (!is_typed(scales, layout.scales_type, block.scale)) return {};
  if (!layout.level.empty() && file.find(name + std::string(layout.level)) == nullptr) return {};
  return name;
}

/// What the codes of so many elements take, in units of their tensor's shape.
std::uint64_t code_bytes(const CheckpointLayout& layout, std::uint64_t elements) {
  if (layout.has_blocks) return elements;
  return layout.packing.empty() ? elements : packed_bytes(layout.packing, elements);
}

/// The binary32 number of a weight; an error where it is none above 0.
std::uint32_t level_of(const TensorFiles& file, const std::string& name) {
  const Tensor* const tensor = file.find(name);
  std::uint32_t bits = 0;
  if (tensor != nullptr && tensor->dtype == "F32" && tensor->elements == 1) {
    std::memcpy(&bits, tensor->data.data(), 4);
  }
  if (bits == 0 || bits >= 0x7F800000) {
    fail(Exit::kBadInput, "{}: tensor {}: one F32 number above 0 was expected",
         file.path().string(), printable(name));
  }
  return bits;
}

std::uint64_t word_at(const Tensor& tensor, std::uint64_t index) {
  const std::size_t size = storage_bytes(*tensor.format);
  std::uint64_t word = 0;
  std::memcpy(&word, tensor.data.data() + index * size, size);
  return word;
}

/// Error where a part of a weight does not lie as its original does, but for the last axis.
void check_shape(const TensorFiles& checkpoint, const CheckpointWeight& weight, const Tensor& part,
                 std::uint64_t line) {
  std::vector<std::uint64_t> expected(weight.original->shape.begin(), weight.original->shape.end());
  expected.back() = line;
  if (std::ranges::equal(part.shape, expected)) return;
  fail(Exit::kBadInput, "{}: tensor {}: of shape [{}]; [{}] was expected beside {} [{}]",
       checkpoint.path().string(), printable(part.name), fmt::join(part.shape, ", "),
       fmt::join(expected, ", "), printable(weight.original->name),
       fmt::join(weight.original->shape, ", "));
}

/// Error where the shapes of a weight are not those of whole blocks along the last axis.
void check_shapes(const TensorFiles& checkpoint, const CheckpointWeight& weight) {
  const Tensor& original = *weight.original;
  const auto k = static_cast<std::uint64_t>(weight.format->block_size);
  const std::uint64_t line = original.shape.empty() ? 0 : original.shape.back();
  if (original.format != nullptr && line != 0 && line % k == 0 &&
      weight.blocks() * k == original.elements) {
    // F4 and F6 have a length for each code, bytes one for what they hold.
    const bool has_own = weight.codes->dtype == own_dtype(weight.format->element);
    check_shape(checkpoint, weight, *weight.codes,
                has_own ? line : code_bytes(*weight.layout, line));
    if (weight.layout->has_blocks) return;
    return check_shape(checkpoint, weight, *weight.scales, line / k);
  }
  fail(
      Exit::kBadInput,
      "{}: tensor {}: {} scales of {} beside {}, {} [{}]; whole blocks of {} floats along its last "
      "axis were expected",
      checkpoint.path().string(), printable(weight.scales->name), weight.blocks(),
      weight.format->name, printable(original.name), original.dtype,
      fmt::join(original.shape, ", "), k);
}

/// A tensor of codes under each layout that its names and types allow.
std::vector<CheckpointWeight> candidates_for(const TensorFiles& weights,
                                             const TensorFiles& checkpoint, const Tensor& tensor) {
  std::vector<CheckpointWeight> list;
  for (const CheckpointLayout& layout : kWeightLayouts) {
    const std::optional<std::string> name = name_under(layout, checkpoint, tensor);
    if (!name) continue;
    const auto named = [&](std::string_view ending) { return *name + std::string(ending); };
    list.push_back({*name, &layout, find_block_format(layout.block),
                    weights.find(named(layout.original)), &tensor,
                    checkpoint.find(named(layout.scales))});
  }
  return list;
}

/// What a tensor of codes holds, in the units of code_bytes().
std::uint64_t held_by(const CheckpointWeight& weight) {
  return weight.layout->has_blocks ? weight.codes->elements : weight.codes->data.size();
}

/// The one whose codes have the bytes that the original needs.
CheckpointWeight fitting(const TensorFiles& checkpoint, const std::vector<CheckpointWeight>& list) {
  std::string needs;
  for (CheckpointWeight weight : list) {
    const std::uint64_t bytes = code_bytes(*weight.layout, weight.original->elements);
    if (held_by(weight) == bytes) {
      check_shapes(checkpoint, weight);
      const std::string_view level = weight.layout->level;
      if (!level.empty()) weight.level = level_of(checkpoint, weight.name + std::string(level));
      return weight;
    }
    needs += fmt::format("{}{} of {}", needs.empty() ? "" : ", ", bytes, weight.format->name);
  }
  const CheckpointWeight& first = list.front();
  fail(Exit::kBadInput, "{}: tensor {}: {} bytes of codes; {} in the file of weights needs {}",
       checkpoint.path().string(), printable(first.codes->name), held_by(first),
       printable(first.original->name), needs);
}

/// A name that only a part of a weight in blocks has.
bool names_a_part(std::string_view name) {
  return std::ranges::any_of(kWeightLayouts, [&](const CheckpointLayout& layout) {
    if (layout.has_blocks) return false;
    return name.ends_with(layout.scales) ||
           (!layout.level.empty() && name.ends_with(layout.level)) ||
           (layout.codes != layout.original && name.ends_with(layout.codes));
  });
}

/// Where a block of ggml lies, and which of its parts a block of the format is.
struct PlaceInBlocks {
  std::uint64_t begin = 0;  ///< of the scale bytes, one a part, which the codes follow
  std::uint64_t parts = 0;
  std::uint64_t part = 0;
};

PlaceInBlocks place_in_blocks(const CheckpointWeight& weight, std::uint64_t index) {
  const StoredType& type = *weight.codes->stored;
  const std::uint64_t parts = type.elements / static_cast<std::uint64_t>(weight.format->block_size);
  return {index / parts * type.bytes, parts, index % parts};
}

/// The bytes that hold the codes of a block.
std::span<const std::byte> packed_block(const CheckpointWeight& weight, std::uint64_t index) {
  const auto k = static_cast<std::uint64_t>(weight.format->block_size);
  const std::uint64_t bytes =
      weight.layout->packing.empty() ? k : packed_bytes(weight.layout->packing, k, k);
  if (!weight.layout->has_blocks) return weight.codes->data.subspan(index * bytes, bytes);
  const PlaceInBlocks place = place_in_blocks(weight, index);
  return weight.codes->data.subspan(place.begin + place.parts + place.part * bytes, bytes);
}

std::uint8_t scale_of(const TensorFiles& checkpoint, const CheckpointWeight& weight,
                      std::uint64_t index) {
  const ScaleFormat& format = weight.format->scale;
  const std::uint8_t stored = weight.scale_byte(index);
  if (format.takes(stored)) return stored;
  const auto unsigned_code = static_cast<std::uint8_t>(stored & format.code_mask());
  if (decode(format, unsigned_code).cls == ValueClass::kNan) return unsigned_code;
  fail(Exit::kBadInput,
       "{}: tensor {}: the scale of block {} is {:02X}, which has its sign set; no scale of {} has",
       checkpoint.path().string(), printable(weight.scales->name), index, stored,
       weight.format->name);
}

}  // namespace

std::uint8_t CheckpointWeight::scale_byte(std::uint64_t index) const {
  if (!layout->has_blocks) return std::to_integer<std::uint8_t>(scales->data[index]);
  const PlaceInBlocks place = place_in_blocks(*this, index);
  return std::to_integer<std::uint8_t>(scales->data[place.begin + place.part]);
}

CheckpointBlock block_of(const TensorFiles& checkpoint, const CheckpointWeight& weight,
                         std::uint64_t index) {
  const auto k = static_cast<std::uint64_t>(weight.format->block_size);
  CheckpointBlock block;
  for (std::uint64_t i = index * k; i < (index + 1) * k; ++i) {
    block.source.push_back(word_at(*weight.original, i));
  }
  const auto packed = packed_block(weight, index);
  std::vector<std::byte> codes(packed.begin(), packed.end());
  if (!weight.layout->packing.empty()) {
    codes.resize(k);
    unpack(weight.layout->packing, packed, codes, k);
  }
  for (const std::byte code : codes) block.codes.push_back(std::to_integer<std::uint64_t>(code));
  block.scale = scale_of(checkpoint, weight, index);
  return block;
}

bool has_blocks(const TensorFiles& checkpoint) {
  return std::ranges::any_of(checkpoint.tensors(), [&](const auto& each) {
    return std::ranges::any_of(kWeightLayouts, [&](const CheckpointLayout& layout) {
      return name_under(layout, checkpoint, *each.second).has_value();
    });
  });
}

Checkpoint read_checkpoint(const TensorFiles& weights, const TensorFiles& checkpoint) {
  Checkpoint read;
  std::set<const Tensor*> parts;
  std::set<const Tensor*> originals;
  for (const auto& [name, tensor] : checkpoint.tensors()) {
    const std::vector<CheckpointWeight> list = candidates_for(weights, checkpoint, *tensor);
    if (list.empty()) continue;
    const CheckpointWeight& first = list.front();
    parts.insert({tensor, first.scales});
    if (!first.layout->level.empty()) {
      parts.insert(checkpoint.find(first.name + std::string(first.layout->level)));
    }
    if (first.original == nullptr) {
      read.without_original.push_back(name);
    } else {
      originals.insert(first.original);
      read.weights.push_back(fitting(checkpoint, list));
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
