#include "emulators/microxcaling/tiling.hpp"

#include <algorithm>

#include "emulators/common/refusals.hpp"

namespace mx::emulators::microxcaling {
namespace {

/// What unsqueeze() refuses, one more axis of a block after the other.
Checked<std::vector<std::size_t>> blocked_axes(std::vector<std::int64_t> axes, std::int64_t rank) {
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += rank;
    if (axis < 0) return Problem{"AssertionError: "};
  }
  std::sort(axes.begin(), axes.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto added = static_cast<std::int64_t>(i);
    if (axes[i] + added + 1 > rank + added) {
      const std::int64_t limit = rank + added + 1;
      return Problem{axis_out_of_range(axes[i] + added + 1, limit)};
    }
  }
  return std::vector<std::size_t>(axes.begin(), axes.end());
}

}  // namespace

Tiling::Tiling(std::span<const std::size_t> shape, std::span<const std::size_t> axes,
               std::size_t block_size)
    : axes_(std::max<std::size_t>(shape.size(), 1)) {
  for (std::size_t d = 0; d < shape.size(); ++d) axes_[d].size = shape[d];
  for (const std::size_t d : axes) {
    axes_[d].block = block_size == 0 ? std::max<std::size_t>(axes_[d].size, 1) : block_size;
  }
  for (std::size_t d = axes_.size(); d-- > 0;) {
    Axis& axis = axes_[d];
    axis.tile_stride = tiles_;
    axis.padded_stride = padded_;
    tiles_ *= axis.tiles();
    padded_ *= axis.block == 0 ? axis.size : axis.tiles() * axis.block;
    elements_ *= axis.size;
  }
  last_block_ = axes_.back().block;
}

Checked<std::vector<std::size_t>> axes_of_call(std::span<const std::int64_t> axes,
                                               std::span<const std::size_t> shape, bool has_blocks,
                                               bool is_strict) {
  const auto ndim = static_cast<std::int64_t>(shape.size());
  const std::int64_t wrap = std::max<std::int64_t>(ndim, 1);
  std::vector<std::int64_t> given(axes.begin(), axes.end());
  std::vector<std::size_t> found;
  if (is_strict) {
    for (const std::int64_t axis : given) {
      if (axis < -wrap || axis >= wrap) return Problem{axis_out_of_range(axis, ndim)};
      const auto index = static_cast<std::size_t>(axis < 0 ? axis + wrap : axis);
      if (std::find(found.begin(), found.end(), index) != found.end()) {
        return Problem{"ValueError: axis " + std::to_string(axis) + " is named twice"};
      }
      found.push_back(index);
    }
    return found;
  }
  for (std::int64_t& axis : given) axis += axis < 0 ? ndim : 0;
  if (has_blocks) return blocked_axes(std::move(given), ndim);
  for (const std::int64_t axis : given) {
    if (axis < -wrap || axis >= wrap) return Problem{axis_out_of_range(axis, ndim)};
    const auto index = static_cast<std::size_t>(axis < 0 ? axis + wrap : axis);
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
    if (index < shape.size() && shape[index] == 0)
      return found;  // max() refuses it before the rest
  }
  return found;
}

}  // namespace mx::emulators::microxcaling
