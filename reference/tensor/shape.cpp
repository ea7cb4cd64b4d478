// The shape of a tensor in blocks.
#include <algorithm>
#include <limits>

#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx {
namespace {

/// a + b - 1 over b, for b > 0.
std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max() / 8;

/// The four lengths of a shape around its axis, without blocks.
std::optional<BlockedShape> collapse(std::span<const std::uint64_t> shape, std::int64_t axis,
                                     bool has_lines) {
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(shape.size(), 1));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  BlockedShape result;
  // The product without zero lengths, so that their order is no matter.
  std::uint64_t nonzero_elements = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::uint64_t size = shape[d];
    if (size > kLimit || (size != 0 && nonzero_elements > kLimit / size)) return std::nullopt;
    if (size != 0) nonzero_elements *= size;
    const auto dimension = static_cast<std::int64_t>(d);
    std::uint64_t& part = dimension == axis                    ? result.length
                          : dimension > axis                   ? result.inner
                          : has_lines && dimension == axis - 1 ? result.lines
                                                               : result.outer;
    part *= size;
  }
  result.elements = result.outer * result.lines * result.length * result.inner;
  return result;
}

/// Adds the blocks; nothing where padding to whole blocks would not fit.
std::optional<BlockedShape> with_blocks(BlockedShape shape, std::uint64_t block_size,
                                        std::uint64_t tile_lines) {
  shape.block_size = block_size;
  shape.tile_lines = tile_lines;
  shape.blocks = divide_up(shape.length, block_size);
  shape.line_blocks = divide_up(shape.lines, tile_lines);
  const std::uint64_t rows = shape.outer * shape.lines * shape.inner;
  if (shape.blocks > kLimit / block_size || rows > kLimit / (shape.blocks * block_size + 1)) {
    return std::nullopt;
  }
  shape.scales = shape.outer * shape.line_blocks * shape.blocks * shape.inner;
  return shape;
}

}  // namespace

std::optional<BlockedShape> BlockedShape::make(std::span<const std::uint64_t> shape,
                                               std::int64_t axis, int block_size, int tile_lines) {
  if (block_size < 1 || tile_lines < 1) return std::nullopt;
  const auto collapsed = collapse(shape, axis, tile_lines > 1);
  if (!collapsed) return std::nullopt;
  return with_blocks(*collapsed, static_cast<std::uint64_t>(block_size),
                     static_cast<std::uint64_t>(tile_lines));
}

std::optional<BlockedShape> BlockedShape::make(std::span<const std::uint64_t> shape,
                                               std::int64_t axis, const BlockFormat& format) {
  if (format.extent == BlockExtent::kElements) {
    return make(shape, axis, format.block_size, format.tile_lines);
  }
  auto collapsed = collapse(shape, axis, false);
  if (!collapsed) return std::nullopt;
  if (format.extent == BlockExtent::kTensor) {
    collapsed->length = collapsed->elements;
    collapsed->outer = collapsed->inner = 1;
  }
  return with_blocks(*collapsed, std::max<std::uint64_t>(collapsed->length, 1), 1);
}

void block_indices(const BlockedShape& shape, std::uint64_t block,
                   std::vector<std::uint64_t>& indices) {
  const layout::BlockPlace place = layout::place_of(shape, block);
  indices.resize(place.count);
  for (std::uint64_t i = 0; i < place.count; ++i) {
    indices[i] = layout::element_index(shape, shape.length, place, place.width, i);
  }
}

}  // namespace mx
