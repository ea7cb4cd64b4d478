#include "cli/tensors/level.hpp"

#include <mutex>

#include "backend/layout/scale_layout.hpp"
#include "backend/tensor/amax.hpp"
#include "cli/base/chunks.hpp"
#include "reference/tensor/packing.hpp"

namespace mx::cli {
void TensorLevelOptions::add_to(const Command& command) {
  command.add_option("--tensor-amax", texts_.amax,
                     "Two-level formats: the tensor's largest magnitude (default: found in it)");
  command.add_option("--tensor-scale", texts_.scale,
                     "Two-level formats: the stored tensor scale itself, rounded to fp32");
}

void TensorLevelOptions::check(const Recipe& recipe) const {
  asked([&] {
    texts_.check(recipe.format.block, recipe.format.name, recipe.policies.block.rule,
                 golden::Spelling::kOptions);
  });
}

TensorLevel TensorLevelOptions::level(const Recipe& recipe, const ElementFormat& source,
                                      const Unpacked& amax) const {
  if (!recipe.has_tensor_scale()) return {};
  return asked(
      [&] { return texts_.level(recipe.config(source), amax, golden::Spelling::kOptions); });
}

TensorLevel TensorLevelOptions::level_of(const Recipe& recipe, const TensorFile& file,
                                         const Tensor& tensor, backend::Choice choice,
                                         int threads) const {
  Unpacked amax;
  if (recipe.has_tensor_scale() && texts_.amax.empty()) {
    const std::size_t size = storage_bytes(*tensor.format);
    std::mutex mutex;
    for_each_chunk(tensor.elements, 1 << 20, threads, [&](std::uint64_t first, std::uint64_t last) {
      const auto part = tensor.data.subspan(first * size, (last - first) * size);
      const Unpacked found =
          backend::find_amax(*tensor.format, recipe.policies.element, part, choice);
      if (texts_.scale.empty()) refuse_specials(file, tensor, part, recipe.profile);
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
