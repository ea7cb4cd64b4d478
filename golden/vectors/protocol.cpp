#include "golden/vectors/protocol.hpp"

#include <fmt/format.h>

#include <vector>

#include "golden/vectors/record_codec.hpp"

namespace mx::golden {
namespace {

template <typename Batch>
void append_part(const VectorHeader& header, const Batch& batch, std::size_t i, Part part,
                 std::string& out) {
  const RecordCodec codec(header);
  std::vector<std::byte> record(codec.record_bytes());
  codec.pack(batch, i, 1, record.data());
  const std::size_t start = out.size();
  out.resize(start + codec.line_chars(part));
  codec.format(record.data(), 1, part, ' ', 0, out.data() + start);
}

template <typename Batch>
std::string parse_part(const VectorHeader& header, std::string_view line, Batch& batch,
                       std::size_t i) {
  const RecordCodec codec(header);
  // The operand half of the record stays as it is.
  std::vector<std::byte> record(codec.record_bytes());
  codec.pack(batch, i, 1, record.data());
  const std::string text = std::string(line) + '\n';
  if (text.size() != codec.line_chars(Part::kResults) ||
      !codec.parse(text.data(), Part::kResults, ' ', record.data())) {
    return codec.diagnose(line, Part::kResults, ' ', 1);
  }
  codec.unpack(record.data(), 1, batch, i);
  return {};
}

}  // namespace

std::string protocol_header(const VectorHeader& header) { return header.text("# "); }

void append_operands(const VectorHeader& header, const BlockBatch& batch, std::size_t i,
                     std::string& out) {
  append_part(header, batch, i, Part::kOperands, out);
}
void append_operands(const VectorHeader& header, const CvtBatch& batch, std::size_t i,
                     std::string& out) {
  append_part(header, batch, i, Part::kOperands, out);
}
void append_results(const VectorHeader& header, const BlockBatch& batch, std::size_t i,
                    std::string& out) {
  append_part(header, batch, i, Part::kResults, out);
}
void append_results(const VectorHeader& header, const CvtBatch& batch, std::size_t i,
                    std::string& out) {
  append_part(header, batch, i, Part::kResults, out);
}

std::string parse_results(const VectorHeader& header, std::string_view line, BlockBatch& batch,
                          std::size_t i) {
  return parse_part(header, line, batch, i);
}
std::string parse_results(const VectorHeader& header, std::string_view line, CvtBatch& batch,
                          std::size_t i) {
  return parse_part(header, line, batch, i);
}

}  // namespace mx::golden
