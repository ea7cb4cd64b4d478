#include "cli/tensors/level.hpp"

#include <mutex>

#include "backend/layout/scale_layout.hpp"
#include "backend/tensor/amax.hpp"
#include "cli/base/chunks.hpp"
#include "golden/text/exact.hpp"
#include "reference/element/encode.hpp"
#include "reference/tensor/packing.hpp"

namespace mx::cli {
namespace {

/// A finite number of no sign from an option's text.
Unpacked require_magnitude(std::string_view option, const std::string& text) {
  const auto number = golden::parse_number(text);
  const bool is_finite =
      number && (number->cls == ValueClass::kFinite || number->cls == ValueClass::kZero);
  if (!is_finite || number->negative) {
    fail(Exit::kUsage, "{} {}: give a finite number of 0 or more (448, 1e-3, 0x1.8p-3)", option,
         printable(text));
  }
  return *number;
}

}  // namespace

void TensorLevelOptions::add_to(const Command& command) {
  command.add_option("--tensor-amax", amax_,
                     "Two-level formats: the tensor's largest magnitude (default: found in it)");
  command.add_option("--tensor-scale", scale_,
                     "Two-level formats: the stored tensor scale itself, rounded to fp32");
}

void TensorLevelOptions::check(const Recipe& recipe) const {
  if (amax_.empty() && scale_.empty()) return;
  const char* const option = amax_.empty() ? "--tensor-scale" : "--tensor-amax";
  if (!amax_.empty() && !scale_.empty()) {
    fail(Exit::kUsage, "--tensor-amax and --tensor-scale exclude each other");
  }
  if (!recipe.has_tensor_scale()) {
    fail(Exit::kUsage, "{}: {} has no tensor scale; nvfp4 is a format that has one", option,
         recipe.format.name);
  }
  if (!scale_.empty() && facts_of(recipe.policies.block.rule).tensor != RuleTensor::kScale) {
    fail(Exit::kUsage, "--tensor-scale: rule {} does not take one; give --tensor-amax",
         token_of(recipe.policies.block.rule));
  }
  static_cast<void>(require_magnitude(option, amax_.empty() ? scale_ : amax_));
}

TensorLevel TensorLevelOptions::level(const Recipe& recipe, const ElementFormat& source,
                                      const Unpacked& amax) const {
  if (!recipe.has_tensor_scale()) return {};
  const QuantizerConfig config = recipe.config(source);
  TensorLevel level =
      tensor_level(config, amax_.empty() ? amax : require_magnitude("--tensor-amax", amax_));
  if (!scale_.empty()) {
    ElementPolicy nearest;
    nearest.overflow = Overflow::kNoneInfOrNan;
    const Unpacked scale = require_magnitude("--tensor-scale", scale_);
    level.scale = static_cast<std::uint32_t>(encode(scale, formats::fp32, nearest, 0).code);
  }
  const std::string_view problem = Quantizer::problem(recipe.config(source, level));
  if (!problem.empty()) {
    fail(Exit::kUsage, "tensor scale {} from maximum {}: {}",
         golden::hex_float(decode(formats::fp32, level.scale)),
         golden::hex_float(decode(formats::fp32, level.amax)), problem);
  }
  return level;
}

TensorLevel TensorLevelOptions::level_of(const Recipe& recipe, const TensorFile& file,
                                         const Tensor& tensor, backend::Choice choice,
                                         int threads) const {
  Unpacked amax;
  if (recipe.has_tensor_scale() && amax_.empty()) {
    const std::size_t size = storage_bytes(*tensor.format);
    std::mutex mutex;
    for_each_chunk(tensor.elements, 1 << 20, threads, [&](std::uint64_t first, std::uint64_t last) {
      const auto part = tensor.data.subspan(first * size, (last - first) * size);
      const Unpacked found =
          backend::find_amax(*tensor.format, recipe.policies.element, part, choice);
      if (scale_.empty()) refuse_specials(file, tensor, part, recipe.profile);
      file.release(part);
      const std::lock_guard lock(mutex);
      if (compare_magnitude(found, amax) > 0) amax = found;
    });
  }
  try {
    return level(recipe, *tensor.format, amax);
  } catch (const Error& error) {
    fail(error.exit(), "{}: tensor {}: {}", file.path().string(), printable(tensor.name),
         error.what());
  }
}

void refuse_specials(const TensorFile& file, const Tensor& tensor, std::span<const std::byte> words,
                     std::string_view profile) {
  if (profile == Recipe{}.profile || !backend::has_specials(*tensor.format, words)) return;
  fail(Exit::kUsage,
       "{}: tensor {}: profile {} does not model the level of a tensor that holds an infinity or a "
       "NaN; give its largest magnitude by --tensor-amax",
       file.path().string(), printable(tensor.name), profile);
}

void require_last_axis(const Recipe& recipe, std::string_view file, const Tensor& tensor) {
  const bool is_split = recipe.packing == packing_name(Packing::kSplitHalf);
  if (!is_split && recipe.scale_layout.empty()) return;
  const auto refuse = [&](std::string_view layout, std::string_view needs) {
    fail(Exit::kUsage, "{}: tensor {}: layout {} needs {}; its shape is [{}], the axis {}", file,
         printable(tensor.name), layout, needs, fmt::join(tensor.shape, ", "), recipe.axis);
  };
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(tensor.shape.size(), 1));
  if (recipe.axis != -1 && recipe.axis != rank - 1) {
    refuse(is_split ? recipe.packing : recipe.scale_layout, "blocks along the last axis");
  }
  if (!is_split) return;
  const std::uint64_t length = tensor.shape.empty() ? 1 : tensor.shape.back();
  const auto k = static_cast<std::uint64_t>(recipe.block_size);
  if (recipe.format.block == nullptr || recipe.block().elements() != recipe.block_size ||
      recipe.format.block->extent != BlockExtent::kElements || k % 2 != 0 || length % k != 0) {
    refuse(recipe.packing, "whole blocks of an even number of elements");
  }
}

void swizzle_scales(const BlockedShape& shape, std::span<const std::byte> plane,
                    std::span<std::byte> swizzled) {
  backend::lay_out({ScaleLayout::kSwizzle128x4, shape.outer, shape.blocks}, plane, swizzled);
}

void unswizzle_scales(const BlockedShape& shape, std::span<const std::byte> swizzled,
                      std::span<std::byte> plane) {
  backend::bring_back({ScaleLayout::kSwizzle128x4, shape.outer, shape.blocks}, swizzled, plane);
}

}  // namespace mx::cli
