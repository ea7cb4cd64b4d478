#include "golden/vectors/record.hpp"

#include <algorithm>
#include <stdexcept>

namespace mx::golden {
namespace {

std::size_t bytes_of(const FieldShape& shape) {
  return static_cast<std::size_t>(shape.lanes) * static_cast<std::size_t>(shape.bytes);
}

}  // namespace

const FieldShape* RecordShape::find(Field field) const {
  const auto found = std::ranges::find(fields, field, &FieldShape::field);
  return found == fields.end() ? nullptr : &*found;
}

std::size_t RecordShape::operand_bytes() const {
  std::size_t bytes = 0;
  for (const FieldShape& shape : fields) bytes += is_result(shape.field) ? 0 : bytes_of(shape);
  return bytes;
}

std::size_t RecordShape::record_bytes() const {
  std::size_t bytes = 0;
  for (const FieldShape& shape : fields) bytes += bytes_of(shape);
  return bytes;
}

RecordBatch::RecordBatch(const RecordShape& shape, std::size_t count) { reset(shape, count); }

void RecordBatch::reset(const RecordShape& shape, std::size_t count) {
  for (Column& each : columns_) each.lanes = 0;
  for (const FieldShape& each : shape.fields) {
    column(each.field).lanes = static_cast<std::size_t>(each.lanes);
  }
  for (Column& each : columns_) each.words.assign(count * each.lanes, 0);
  size_ = count;
}

void RecordBatch::resize(std::size_t count) {
  for (Column& each : columns_) each.words.resize(count * each.lanes);
  size_ = count;
}

void RecordBatch::append(const RecordBatch& other, std::size_t first, std::size_t last) {
  for (std::size_t f = 0; f < kFields; ++f) {
    const Column& from = other.columns_[f];
    Column& to = columns_[f];
    if (from.lanes != to.lanes) {
      throw std::invalid_argument("batches of different shapes cannot be joined");
    }
    const auto at = [&](std::size_t i) {
      return from.words.begin() + static_cast<std::ptrdiff_t>(i * from.lanes);
    };
    to.words.insert(to.words.end(), at(first), at(last));
  }
  size_ += last - first;
}

}  // namespace mx::golden
