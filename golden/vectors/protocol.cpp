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
      !codec_.parse(text.data(), part, ' ', record_.data())) {
    return codec_.diagnose(line, part, ' ', 1);
  }
  codec_.unpack(record_.data(), 1, batch, i);
  return {};
}

std::string RecordLines::parse_results(std::string_view line, RecordBatch& batch, std::size_t i) {
  return parse(line, Part::kResults, batch, i);
}

std::string RecordLines::parse_operands(std::string_view line, RecordBatch& batch, std::size_t i) {
  return parse(line, Part::kOperands, batch, i);
}

}  // namespace mx::golden
