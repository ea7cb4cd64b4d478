// Vector files of bytes: .bin.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "golden/files/reader_state.hpp"
#include "golden/vectors/header_parse.hpp"

namespace mx::golden {

void VectorReader::State::start_bin() {
  if (source.peek(kBinHeaderBytes).size() < kBinHeaderBytes) {
    fail(0, "the file ends inside its 64-byte header: truncated");
  }
  const BinHeader head = BinHeader::parse(source.peek(kBinHeaderBytes).substr(0, kBinHeaderBytes));
  if (head.schema != kSchema) fail(8, fmt::format("schema {}, expected {}", head.schema, kSchema));
  if (head.text_bytes > kBinMaxText) fail(12, "the text header is too long");
  const std::size_t text_end = kBinHeaderBytes + head.text_bytes;
  if (source.peek(text_end).size() < text_end) fail(text_end, "the text header is truncated");
  const std::string text(source.peek(text_end).substr(kBinHeaderBytes, head.text_bytes));
  const std::string fixed(source.peek(text_end).substr(0, kBinHeaderBytes));

  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos || !text.substr(at).starts_with(kTvPrefix) ||
        lines.size() >= kMaxHeaderLines) {
      fail(kBinHeaderBytes + at, "the text header is not made of \"# key value\" lines");
    }
    lines.push_back(text.substr(at + kTvPrefix.size(), end - at - kTvPrefix.size()));
    at = end + 1;
  }
  header = parse_header(lines, source.name() + ":text header", casts);
  codec.emplace(header.shape());
  operands.emplace(header);
  const BinHeader wanted =
      BinHeader::make(text.size(), header.count, codec->operand_bytes(), codec->record_bytes());
  if (fixed != wanted.bytes()) {
    fail(0, "the 64-byte header does not agree with the text header");
  }
  const std::uint64_t total = wanted.trailer_at + kBinTrailerBytes;
  if (source.size() && *source.size() != total) {
    fail(*source.size(), fmt::format("the header declares {} vectors in {} bytes, the file has {}: "
                                     "it is truncated or its count is wrong",
                                     header.count, total, *source.size()));
  }
  records_at = wanted.records_at;
  const std::string_view gap = source.peek(records_at).substr(text_end);
  if (gap.size() < records_at - text_end) fail(text_end, "the file is truncated");
  if (gap.substr(0, records_at - text_end).find_first_not_of('\0') != std::string_view::npos) {
    fail(text_end, "bytes other than zero between header and records");
  }
  source.take(records_at);
}

void VectorReader::State::read_bin(std::byte* records, std::size_t n) {
  const std::size_t bytes = n * codec->record_bytes();
  const std::string_view view = source.peek(bytes);
  if (view.size() < bytes) {
    fail(source.position() + view.size(),
         fmt::format("the records end before vector {} of {}: truncated",
                     seen + view.size() / codec->record_bytes(), header.count));
  }
  std::memcpy(records, view.data(), bytes);
  source.take(bytes);
}

void VectorReader::State::finish_bin() {
  const std::uint64_t at = source.position();
  const std::string trailer(source.peek(kBinTrailerBytes).substr(0, kBinTrailerBytes));
  if (trailer.size() < kBinTrailerBytes) fail(at, "the trailer is truncated");
  FileDigests stated;
  std::memcpy(stated.operands.data(), trailer.data() + 16, 32);
  std::memcpy(stated.records.data(), trailer.data() + 48, 32);
  if (trailer != bin_trailer(header.count, stated)) {
    fail(at, fmt::format("the trailer is not MXGOLDE1 and the count {}", header.count));
  }
  source.take(kBinTrailerBytes);
  compare_digests(stated, at + 16);
}

}  // namespace mx::golden
