#include "emulators/dmx/rows.hpp"

#include "emulators/common/refusals.hpp"

namespace mx::emulators::dmx {

Checked<std::size_t> axis_of(const Shape& shape, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(shape.empty() ? 1 : shape.size());
  if (axis < -rank || axis >= rank) {
    return Problem{axis_out_of_range(axis, rank)};
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Checked<Rows> Rows::make(const Shape& shape, std::int64_t axis) {
  const auto found = axis_of(shape, axis);
  if (!found) return Problem{std::string(found.problem())};
  Rows rows;
  if (shape.empty()) return rows;
  for (std::size_t i = 0; i < *found; ++i) rows.outer_ *= shape[i];
  rows.columns_ = shape[*found];
  for (std::size_t i = *found + 1; i + 1 < shape.size(); ++i) rows.middle_ *= shape[i];
  if (*found + 1 < shape.size()) rows.last_ = shape.back();
  return rows;
}

std::vector<Bits> Rows::gather(std::span<const Bits> values) const {
  std::vector<Bits> matrix(values.size());
  std::size_t next = 0;
  for (std::size_t o = 0; o < outer_; ++o) {
    for (std::size_t l = 0; l < last_; ++l) {
      for (std::size_t m = 0; m < middle_; ++m) {
        for (std::size_t c = 0; c < columns_; ++c) {
          matrix[next++] = values[((o * columns_ + c) * middle_ + m) * last_ + l];
        }
      }
    }
  }
  return matrix;
}

void Rows::scatter(std::span<const Bits> matrix, std::span<Bits> values) const {
  std::size_t next = 0;
  for (std::size_t o = 0; o < outer_; ++o) {
    for (std::size_t l = 0; l < last_; ++l) {
      for (std::size_t m = 0; m < middle_; ++m) {
        for (std::size_t c = 0; c < columns_; ++c) {
          values[((o * columns_ + c) * middle_ + m) * last_ + l] = matrix[next++];
        }
      }
    }
  }
}

}  // namespace mx::emulators::dmx
