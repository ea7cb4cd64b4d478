#include "golden/vectors/protocol.hpp"

namespace mx::golden {

std::string protocol_header(const VectorHeader& header) { return header.text("# "); }

void RecordLines::append(const RecordBatch& batch, std::size_t i, Part part, std::string& out) {
  codec_.pack(batch, i, 1, record_.data());
  const std::size_t start = out.size();
  out.resize(start + codec_.line_chars(part));
  codec_.format(record_.data(), 1, part, ' ', 0, out.data() + start);
}

void RecordLines::append_operands(const RecordBatch& batch, std::size_t i, std::string& out) {
  append(batch, i, Part::kOperands, out);
}

void RecordLines::append_results(const RecordBatch& batch, std::size_t i, std::string& out) {
  append(batch, i, Part::kResults, out);
}

std::string RecordLines::operands(const RecordBatch& batch, std::size_t i) {
  std::string line;
  append_operands(batch, i, line);
  line.pop_back();
  return line;
}

std::string RecordLines::results(const RecordBatch& batch, std::size_t i) {
  std::string line;
  append_results(batch, i, line);
  line.pop_back();
  return line;
}

std::string RecordLines::parse(std::string_view line, Part part, RecordBatch& batch,
                               std::size_t i) {
  // The other half of the record stays as it is.
  codec_.pack(batch, i, 1, record_.data());
  const std::string text = std::string(line) + '\n';
  if (text.size() != codec_.line_chars(part) ||
      codec_.parse(text.data(), 1, text.size(), part, ' ', record_.data()) != 1) {
    return codec_.diagnose(line, part, ' ', 1);
  }
  codec_.unpack(record_.data(), 1, batch, i);
  return {};
}

std::string RecordLines::without_dashes(std::string_view line,
                                        const std::function<bool(Field)>& may_be_left_out) const {
  std::string text;
  for (const FieldShape& shape : codec_.shape().fields) {
    if (!is_result(shape.field)) continue;
    for (int lane = 0; lane < shape.lanes; ++lane) {
      const std::string_view word = line.substr(0, line.find(' '));
      if (word == "-" && may_be_left_out(shape.field)) {
        text.append(2 * static_cast<std::size_t>(shape.bytes), '0');
      } else {
        text += word;
      }
      line.remove_prefix(word.size());
      if (line.empty()) return text;
      text += ' ';
      line.remove_prefix(1);
    }
  }
  return text + std::string(line);
}

std::string RecordLines::parse_results(std::string_view line, RecordBatch& batch, std::size_t i) {
  return parse(line, Part::kResults, batch, i);
}

std::string RecordLines::parse_operands(std::string_view line, RecordBatch& batch, std::size_t i) {
  return parse(line, Part::kOperands, batch, i);
}

}  // namespace mx::golden
