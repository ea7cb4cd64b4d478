// The lines an external device under test sees and answers (spec V13): it gets the .tv
// header and then each record without its result fields, and answers with the result fields, a
// line each, in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/vectors/header.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::golden {

/// The header lines as they stand in a .tv file. header.count is the number of lines to follow.
[[nodiscard]] std::string protocol_header(const VectorHeader& header);

/// Lines of the records of one file. Keeps working memory: one for each thread.
class RecordLines {
 public:
  explicit RecordLines(const RecordShape& shape) : codec_(shape), record_(codec_.record_bytes()) {}

  /// Appends the operand fields, or the result fields, of record i and a line feed.
  void append_operands(const RecordBatch& batch, std::size_t i, std::string& out);
  void append_results(const RecordBatch& batch, std::size_t i, std::string& out);
  /// The same as text without the line feed.
  [[nodiscard]] std::string operands(const RecordBatch& batch, std::size_t i);
  [[nodiscard]] std::string results(const RecordBatch& batch, std::size_t i);

  /// Reads a line of result fields (without its line feed) into record i. "" if it is one, else
  /// what is wrong, with column and field; the record is then as it was.
  [[nodiscard]] std::string parse_results(std::string_view line, RecordBatch& batch, std::size_t i);
  /// A line of result fields with every word that is one dash, of a field that may be left out,
  /// written as zeros.
  [[nodiscard]] std::string without_dashes(std::string_view line,
                                           const std::function<bool(Field)>& may_be_left_out) const;
  /// The same for the operand fields.
  [[nodiscard]] std::string parse_operands(std::string_view line, RecordBatch& batch,
                                           std::size_t i);

 private:
  void append(const RecordBatch& batch, std::size_t i, Part part, std::string& out);
  std::string parse(std::string_view line, Part part, RecordBatch& batch, std::size_t i);

  RecordCodec codec_;
  std::vector<std::byte> record_;
};

}  // namespace mx::golden
