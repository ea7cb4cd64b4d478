// Blocks along any axis: the tensor with that axis and the last exchanged, as a matrix whose rows
// are cut into blocks. spec S5.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulators/common/machine.hpp"
#include "emulators/common/tensor.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::dmx {

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
  void scatter(std::span<const Bits> matrix, std::span<Bits> values) const;

 private:
  std::size_t outer_ = 1;
  std::size_t columns_ = 1;  ///< along the axis
  std::size_t middle_ = 1;   ///< between the axis and the last one
  std::size_t last_ = 1;     ///< the last axis, 1 where it is the axis itself
};

/// Values and results as rows: in their own memory where the axis is the last one.
class Matrix {
 public:
  Matrix(const Rows& rows, std::span<const Bits> values, std::span<Bits> out)
      : rows_(rows), values_(values), result_(out), out_(out) {
    if (rows.in_place()) return;
    gathered_ = rows.gather(values);
    written_.resize(values.size());
    values_ = gathered_;
    out_ = written_;
  }

  [[nodiscard]] std::span<const Bits> in(std::size_t row, std::size_t first,
                                         std::size_t width) const {
    return values_.subspan(row * rows_.columns() + first, width);
  }
  [[nodiscard]] std::span<Bits> out(std::size_t row, std::size_t first, std::size_t width) const {
    return out(row * rows_.columns() + first, width);
  }
  [[nodiscard]] std::span<Bits> out(std::size_t place, std::size_t width) const {
    return out_.subspan(place, width);
  }
  /// Brings the results to where they belong.
  void finish() const {
    if (!rows_.in_place()) rows_.scatter(written_, result_);
  }

 private:
  const Rows& rows_;
  std::span<const Bits> values_;
  std::span<Bits> result_;
  std::span<Bits> out_;
  std::vector<Bits> gathered_;
  std::vector<Bits> written_;
};

/// In which order blocks are visited: the package's, which is that of random words, or memory's.
enum class BlockOrder : std::uint8_t { kByChunk, kByRow };

[[nodiscard]] inline BlockOrder order_of(bool draws) {
  return draws ? BlockOrder::kByChunk : BlockOrder::kByRow;
}

/// Calls `visit(row, first column, width)` for every block.
template <typename Visit>
void for_each_block(BlockOrder order, const Rows& rows, std::size_t block_size, Visit visit) {
  const std::size_t columns = rows.columns();
  const auto width_at = [&](std::size_t first) {
    return block_size < columns - first ? block_size : columns - first;
  };
  if (order == BlockOrder::kByRow) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::size_t first = 0; first < columns; first += width_at(first)) {
        visit(row, first, width_at(first));
      }
    }
    return;
  }
  for (std::size_t first = 0; first < columns; first += width_at(first)) {
    for (std::size_t row = 0; row < rows.rows(); ++row) visit(row, first, width_at(first));
  }
}

}  // namespace mx::emulators::dmx
