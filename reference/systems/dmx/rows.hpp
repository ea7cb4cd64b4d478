// Blocks along any axis: the tensor with that axis and the last exchanged, as a matrix whose rows
// are cut into blocks. spec S5.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/policy/checked.hpp"
#include "reference/systems/parts/machine.hpp"
#include "reference/systems/parts/tensor.hpp"

namespace mx::systems::dmx {

/// The index of an axis that may count from the end; an IndexError outside the tensor.
[[nodiscard]] Checked<std::size_t> axis_of(const Shape& shape, std::int64_t axis);

/// A tensor seen as rows of blocks. A 0-dimensional tensor is one row of one element.
class Rows {
 public:
  [[nodiscard]] static Checked<Rows> make(const Shape& shape, std::int64_t axis);

  [[nodiscard]] std::size_t rows() const { return outer_ * last_ * middle_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t size() const { return rows() * columns_; }
  /// Is the axis the last one, so that rows lie as they are?
  [[nodiscard]] bool in_place() const { return last_ * middle_ == 1; }

  /// The elements row by row, and back.
  [[nodiscard]] std::vector<Bits> gather(std::span<const Bits> values) const;
  [[nodiscard]] std::vector<Bits> scatter(std::vector<Bits> matrix) const;

 private:
  std::size_t outer_ = 1;
  std::size_t columns_ = 1;  ///< along the axis
  std::size_t middle_ = 1;   ///< between the axis and the last one
  std::size_t last_ = 1;     ///< the last axis, 1 where it is the axis itself
};

/// Calls `visit(row, first column, width)` for every block: chunk of columns by chunk, from row to
/// row in each, as the package does.
template <typename Visit>
void for_each_block(std::size_t rows, std::size_t columns, std::size_t block_size, Visit visit) {
  for (std::size_t first = 0; first < columns;) {
    const std::size_t width = block_size < columns - first ? block_size : columns - first;
    for (std::size_t row = 0; row < rows; ++row) visit(row, first, width);
    first += width;
  }
}

}  // namespace mx::systems::dmx
