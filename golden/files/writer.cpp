#include <fmt/format.h>

#include <algorithm>

#include "golden/bytes/sink.hpp"
#include "golden/files/digest_stream.hpp"
#include "golden/files/jsonl.hpp"
#include "golden/files/layout.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::golden {
namespace {

/// Records handled at once: their packed bytes and text stay in the caches.
constexpr std::size_t kPieceRecords = 1024;

VectorHeader checked(const std::string& path, FileKind kind, const VectorHeader& header) {
  if (header.count == 0) throw VectorError(path + ": a vector file needs at least one vector");
  if (kind == FileKind::kMem && header.count > kMemMaxWords - 2) {
    throw VectorError(fmt::format(
        "{}: {} vectors are too many for a .mem file (at most {}); use --shard or another kind",
        path, header.count, kMemMaxWords - 2));
  }
  return header;
}

}  // namespace

std::string_view extension(FileKind kind) {
  switch (kind) {
    case FileKind::kTv:
      return "tv";
    case FileKind::kMem:
      return "mem";
    case FileKind::kBin:
      return "bin";
    case FileKind::kJsonl:
      return "jsonl";
  }
  return "";
}

struct VectorWriter::State {
  State(std::string path_in, FileKind kind_in, const VectorHeader& header_in)
      : path(std::move(path_in)),
        kind(kind_in),
        header(checked(path, kind, header_in)),
        codec(header.shape()),
        sink(path) {
    start();
  }

  void start();
  void write(const RecordBatch& batch);
  void put(const std::byte* records, std::size_t n);
  void put_lines(const RecordBatch& batch, std::size_t first, std::size_t n);
  FileDigests complete();

  std::string path;
  FileKind kind;
  VectorHeader header;
  RecordCodec codec;
  ByteSink sink;
  DigestStream digests;
  std::vector<std::byte> packed;
  std::uint64_t written = 0;
};

void VectorWriter::State::start() {
  switch (kind) {
    case FileKind::kTv:
      sink.write(header.text(kTvPrefix));
      return;
    case FileKind::kMem:
      sink.write(header.text(kMemPrefix));
      sink.write(mem_word(kMemHead, header.count, codec.record_bytes()) + '\n');
      return;
    case FileKind::kJsonl:
      sink.write(jsonl_header(header));
      return;
    case FileKind::kBin:
      break;
  }
  const std::string text = header.text(kTvPrefix);
  const BinHeader head =
      BinHeader::make(text.size(), header.count, codec.operand_bytes(), codec.record_bytes());
  sink.write(head.bytes());
  sink.write(text);
  sink.write(std::string(head.records_at - kBinHeaderBytes - text.size(), '\0'));
}

void VectorWriter::State::write(const RecordBatch& batch) {
  if (batch.size() > header.count - written) {
    throw VectorError(
        fmt::format("{}: more vectors than the {} of the header", path, header.count));
  }
  packed.resize(std::min(kPieceRecords, batch.size()) * codec.record_bytes());
  for (std::size_t first = 0; first < batch.size(); first += kPieceRecords) {
    const std::size_t n = std::min(kPieceRecords, batch.size() - first);
    codec.pack(batch, first, n, packed.data());
    put(packed.data(), n);
    if (kind == FileKind::kJsonl) put_lines(batch, first, n);
  }
  written += batch.size();
}

void VectorWriter::State::put(const std::byte* records, std::size_t n) {
  digests.add(codec, records, n);
  if (kind == FileKind::kBin) sink.write({records, n * codec.record_bytes()});
  if (kind == FileKind::kBin || kind == FileKind::kJsonl) return;
  const bool tv = kind == FileKind::kTv;
  const std::size_t pad = tv ? 0 : mem_pad(codec.record_bytes());
  const std::size_t chars = codec.line_chars(Part::kRecord) + (pad != 0 ? pad + 1 : 0);
  codec.format(records, n, Part::kRecord, tv ? kTvSeparator : kMemSeparator, pad,
               sink.extend(n * chars));
}

void VectorWriter::State::put_lines(const RecordBatch& batch, std::size_t first, std::size_t n) {
  std::string lines;
  for (std::size_t i = first; i < first + n; ++i) append_jsonl(codec.shape(), batch, i, lines);
  sink.write(lines);
}

FileDigests VectorWriter::State::complete() {
  if (written != header.count) {
    throw VectorError(
        fmt::format("{}: {} vectors written, the header says {}", path, written, header.count));
  }
  const FileDigests result = digests.finish();
  switch (kind) {
    case FileKind::kTv:
      sink.write(trailer_text(kTvPrefix, written, result));
      break;
    case FileKind::kMem:
      sink.write(mem_word(kMemTail, written, codec.record_bytes()) + '\n');
      sink.write(trailer_text(kMemPrefix, written, result));
      break;
    case FileKind::kJsonl:
      sink.write(jsonl_trailer(written, result));
      break;
    case FileKind::kBin:
      sink.write(bin_trailer(written, result));
      break;
  }
  sink.finish();
  return result;
}

VectorWriter::VectorWriter(std::string path, FileKind kind, const VectorHeader& header)
    : state_(std::make_unique<State>(std::move(path), kind, header)) {}
VectorWriter::~VectorWriter() = default;
VectorWriter::VectorWriter(VectorWriter&&) noexcept = default;
VectorWriter& VectorWriter::operator=(VectorWriter&&) noexcept = default;

void VectorWriter::write(const RecordBatch& batch) { state_->write(batch); }
FileDigests VectorWriter::complete() { return state_->complete(); }
void VectorWriter::commit() { state_->sink.commit(); }

std::string VectorWriter::unnamed() const {
  const NewFile& file = state_->sink.file();
  return file.is_regular() ? file.unnamed() : "";
}

FileDigests VectorWriter::finish() {
  const FileDigests digests = complete();
  commit();
  return digests;
}

}  // namespace mx::golden
