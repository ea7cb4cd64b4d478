// SPDX-License-Identifier: Apache-2.0
#include "cli/check/arrays.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "cli/base/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "sim/answers/columns.hpp"

namespace mx::cli {
namespace {

constexpr std::array<std::string_view, 3> kSuffixes = {".npy", ".npz", ".safetensors"};

/// A two-dimensional view of an array's words.
class Rows {
 public:
  Rows(const TensorFile& file, const Tensor& tensor, const golden::VectorHeader& header,
       std::size_t width)
      : name_(tensor.name == "data" ? file.path().string()
                                    : fmt::format("{}: {}", file.path().string(), tensor.name)),
        tensor_(tensor),
        width_(width) {
    const auto& shape = tensor.shape;
    const bool is_column = shape.size() == 1 && width == 1;
    const bool is_table = shape.size() == 2 && shape[1] == width;
    if ((!is_column && !is_table) || shape[0] != header.count) {
      fail(
          Exit::kBadInput,
          "{}: shape ({}); the answers to these vectors are ({}, {}); --fields says which they are",
          name_, fmt::join(shape, ", "), header.count, width);
    }
    bytes_ = tensor.elements == 0 ? 0 : tensor.data.size() / tensor.elements;
    if (bytes_ == 0 || bytes_ > sizeof(std::uint64_t) ||
        bytes_ * tensor.elements != tensor.data.size()) {
      fail(Exit::kBadInput, "{}: elements of type {}; give unsigned integers", name_, tensor.dtype);
    }
  }

  [[nodiscard]] std::uint64_t word(std::uint64_t row, std::size_t column,
                                   const golden::FieldShape& shape) const {
    const std::size_t at = (static_cast<std::size_t>(row) * width_ + column) * bytes_;
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < bytes_; ++b) {
      const std::size_t place = std::endian::native == std::endian::little ? b : bytes_ - 1 - b;
      word |= static_cast<std::uint64_t>(tensor_.data[at + place]) << 8 * b;
    }
    const auto bits = static_cast<unsigned>(8 * shape.bytes);
    if (bits < 64 && word >> bits != 0) {
      fail(Exit::kBadInput, "{}: row {}, column {}: {:#x} is wider than the {} bits of field {}",
           name_, row, column, word, bits, token_of(shape.field));
    }
    return word;
  }

 private:
  std::string name_;
  const Tensor& tensor_;
  std::size_t width_;
  std::size_t bytes_ = 0;
};

sim::AnswerColumns columns_of(const Names& names, const golden::VectorHeader& header,
                              std::string_view by) {
  const Checked<sim::AnswerColumns> columns = sim::answer_columns(names, header);
  if (!columns) fail(Exit::kBadInput, "{}: {}", by, columns.problem());
  return *columns;
}

/// Takes the columns of one array.
void take(const Rows& rows, const sim::AnswerColumns& columns, sim::GivenAnswers& given) {
  for (std::size_t i = 0; i < given.records.size(); ++i) {
    std::size_t column = 0;
    for (const sim::AnswerColumn& each : columns.columns) {
      if (each.is_skipped) {
        ++column;
        continue;
      }
      const std::span<std::uint64_t> lanes = given.records.of(each.shape.field, i);
      if (each.lane >= 0) {
        lanes[static_cast<std::size_t>(each.lane)] = rows.word(i, column++, each.shape);
        continue;
      }
      for (std::uint64_t& word : lanes) word = rows.word(i, column++, each.shape);
    }
  }
}

}  // namespace

bool has_array_suffix(const std::filesystem::path& path) {
  return std::ranges::find(kSuffixes, path.extension().string()) != kSuffixes.end();
}

sim::GivenAnswers answers_of_arrays(const TensorFile& file, const golden::VectorHeader& header,
                                    const Names& fields) {
  sim::GivenAnswers given;
  given.name = file.path().string();
  given.records = golden::RecordBatch(header.shape(), static_cast<std::size_t>(header.count));
  if (file.tensors().size() == 1 && !parse_token<golden::Field>(file.tensors().front().name)) {
    const sim::AnswerColumns columns = columns_of(fields, header, "--fields");
    take(Rows(file, file.tensors().front(), header, columns.words()), columns, given);
    given.fields = columns.fields;
    return given;
  }
  Names names = fields;
  if (names.empty()) {
    for (const Tensor& each : file.tensors()) names.push_back(each.name);
  }
  for (const sim::AnswerColumn& each : columns_of(names, header, given.name).columns) {
    const std::string name(token_of(each.shape.field));
    const Tensor* const tensor = file.find(name);
    if (each.is_skipped || each.lane >= 0 || tensor == nullptr) {
      fail(Exit::kBadInput, "{}: no array '{}'; name arrays as result fields are", given.name,
           name);
    }
    take(Rows(file, *tensor, header, each.words()), {{each}, {name}}, given);
    given.fields.push_back(name);
  }
  return given;
}

}  // namespace mx::cli
