// How a tensor falls into blocks along one or several axes, as _reshape_to_blocks does it: the
// length of each axis is padded to a multiple of the block size. spec S7.3 step 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulators/common/tensor.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// A stretch of consecutive elements of the last axis.
struct Run {
  std::size_t first = 0;  ///< its elements in C order
  std::size_t count = 0;
  std::size_t tile = 0;    ///< the block of its first element
  std::size_t padded = 0;  ///< where its first element stands in the padded tensor
};

class Tiling {
 public:
  /// Axes lie within the shape, each once. A block size of 0 takes whole axes.
  Tiling(std::span<const std::size_t> shape, std::span<const std::size_t> axes,
         std::size_t block_size);

  /// The same tile for a whole run, or one tile after the other?
  [[nodiscard]] bool is_last_blocked() const { return last_block_ != 0; }
  [[nodiscard]] std::size_t tiles() const { return tiles_; }
  [[nodiscard]] std::size_t padded_elements() const { return padded_; }

  /// Calls use(run) for the whole tensor in C order. A run ends with its tile where the last axis
  /// is blocked, otherwise with the axis.
  template <typename Use>
  void for_each_run(Use use) const {
    if (elements_ == 0) return;
    const std::size_t length = axes_.back().size;
    const std::size_t step = last_block_ == 0 ? length : last_block_;
    std::vector<std::size_t> index(axes_.size(), 0);
    for (std::size_t first = 0; first < elements_; first += length) {
      Run row{first, length, 0, 0};
      for (std::size_t d = 0; d + 1 < axes_.size(); ++d) {
        row.tile += axes_[d].tile_of(index[d]) * axes_[d].tile_stride;
        row.padded += index[d] * axes_[d].padded_stride;
      }
      for (std::size_t at = 0; at < length; at += step) {
        use(Run{first + at, std::min(step, length - at),
                row.tile + (last_block_ == 0 ? 0 : at / step), row.padded + at});
      }
      for (std::size_t d = axes_.size() - 1; d-- > 0 && ++index[d] == axes_[d].size;) index[d] = 0;
    }
  }

 private:
  struct Axis {
    std::size_t size = 1;
    std::size_t block = 0;  ///< 0: not shared along this axis
    std::size_t tile_stride = 1;
    std::size_t padded_stride = 1;

    [[nodiscard]] std::size_t tile_of(std::size_t index) const {
      return block == 0 ? index : index / block;
    }
    [[nodiscard]] std::size_t tiles() const {
      return block == 0 ? size : (size + block - 1) / block;
    }
  };

  std::vector<Axis> axes_;
  std::size_t last_block_ = 0;
  std::size_t tiles_ = 1;
  std::size_t padded_ = 1;
  std::size_t elements_ = 1;
};

/// The axes of a call as indices into a shape. compat: as the Python code wraps and refuses them,
/// which lets axes down to -2 * rank through, and without those after an empty one where there are
/// no blocks; strict: -rank to rank - 1, each once.
[[nodiscard]] Checked<std::vector<std::size_t>> axes_of_call(std::span<const std::int64_t> axes,
                                                             std::span<const std::size_t> shape,
                                                             bool has_blocks, bool is_strict);

}  // namespace mx::emulators::microxcaling
