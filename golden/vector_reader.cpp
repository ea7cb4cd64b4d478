#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "byte_source.hpp"
#include "digest_stream.hpp"
#include "file_layout.hpp"
#include "header_parse.hpp"
#include "mx/golden/vector_file.hpp"
#include "record_codec.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 17;
constexpr std::string_view kRemedy = "regenerate the file with mxgold gen";

}  // namespace

struct VectorReader::State {
  State(std::string path, ReadMode mode_in) : source(std::move(path)), mode(mode_in) { start(); }

  // Errors: at a line of a text file, or at a byte of a binary one.
  [[noreturn]] void fail(std::uint64_t at, std::string_view what,
                         std::string_view remedy = kRemedy) const {
    throw VectorError(fmt::format("{}:{}{}: {}; {}", source.name(),
                                  kind == FileKind::kBin ? "byte " : "", at, what, remedy));
  }
  /// Where record i stands.
  [[nodiscard]] std::uint64_t place(std::uint64_t i) const {
    return kind == FileKind::kBin ? records_at + i * codec->record_bytes() : first_line + i;
  }

  void start();
  void start_text(std::string_view prefix_in);
  void start_bin();
  std::string header_line();
  std::string next_line(std::string_view meaning);
  void check_size();

  template <typename Batch>
  std::size_t read(Batch& batch, std::size_t max);
  std::size_t read_text(std::byte* records, std::size_t n);
  void read_bin(std::byte* records, std::size_t n);
  [[noreturn]] void refuse_line();
  void check(const BlockBatch& batch, std::size_t first, std::size_t n);
  void check(const CvtBatch& batch, std::size_t first, std::size_t n);
  void check_words(std::span<const std::uint64_t> sources, std::span<const std::uint32_t> randoms,
                   std::size_t lanes);
  void finish();
  void finish_text();
  void finish_bin();
  void compare_digests(const FileDigests& stated, std::uint64_t at);

  ByteSource source;
  ReadMode mode;
  FileKind kind = FileKind::kTv;
  VectorHeader header;
  std::optional<RecordCodec> codec;
  DigestStream stream;
  FileDigests seen_digests;
  std::vector<std::byte> packed;

  std::string_view prefix;
  std::string pad;  ///< what a .mem record starts with
  char separator = kTvSeparator;
  std::uint64_t line = 1;  ///< of the next line in text
  std::uint64_t first_line = 1;
  std::uint64_t records_at = 0;
  std::uint64_t seen = 0;
  bool finished = false;
  std::optional<std::uint32_t> legal_tuser;
};

void VectorReader::State::start() {
  const std::string_view head = source.peek(kBinHeaderBytes);
  if (head.empty()) fail(1, "the file is empty");
  if (head.starts_with(kBinHead)) {
    kind = FileKind::kBin;
    start_bin();
  } else if (head.starts_with("# mxgold-vectors ")) {
    start_text(kTvPrefix);
  } else if (head.starts_with("// mxgold-vectors ")) {
    kind = FileKind::kMem;
    separator = kMemSeparator;
    start_text(kMemPrefix);
  } else {
    fail(1,
         "the header is missing: a vector file starts with \"# mxgold-vectors\", "
         "\"// mxgold-vectors\" or MXGOLDB1");
  }
}

/// The next line without its line feed; `meaning` names what should have been there.
std::string VectorReader::State::next_line(std::string_view meaning) {
  std::size_t wanted = 256;
  std::string_view view = source.peek(wanted);
  std::size_t end = view.find('\n');
  while (end == std::string_view::npos && view.size() >= wanted && wanted < kMaxHeaderLine) {
    wanted = kMaxHeaderLine;
    view = source.peek(wanted);
    end = view.find('\n');
  }
  if (end == std::string_view::npos) {
    fail(line, view.size() < wanted
                   ? fmt::format("the file ends before {} is complete: truncated", meaning)
                   : fmt::format("the line is too long for {}", meaning));
  }
  std::string text(view.substr(0, end));
  if (text.ends_with('\r')) {
    fail(line, "the line ends in CR LF; vector files have LF only", "convert it with dos2unix");
  }
  source.take(end + 1);
  ++line;
  return text;
}

std::string VectorReader::State::header_line() {
  std::string text = next_line("the header");
  if (!text.starts_with(prefix)) {
    fail(line - 1, "the header ends before its field count");
  }
  return text.substr(prefix.size());
}

void VectorReader::State::start_text(std::string_view prefix_in) {
  prefix = prefix_in;
  std::vector<std::string> lines;
  do {
    lines.push_back(header_line());
    if (lines.size() > kMaxHeaderLines) fail(line - 1, "the header has too many lines");
  } while (!lines.back().starts_with("count "));
  header = parse_header(lines, source.name());
  codec.emplace(header);
  check_size();
  if (kind == FileKind::kMem) {
    const std::string wanted = mem_word(kMemHead, header.count, codec->record_bytes());
    if (next_line("the head word") != wanted) {
      fail(line - 1, fmt::format("the head word is not {}", wanted));
    }
    const std::size_t zeros = mem_pad(codec->record_bytes());
    if (zeros != 0) pad = std::string(zeros, '0') + kMemSeparator;
  }
  first_line = line;
}

/// A count that the file cannot hold is refused before anything is read or allocated for it.
void VectorReader::State::check_size() {
  if (!source.size()) return;
  const std::uint64_t room = *source.size() - std::min(*source.size(), source.position());
  const std::uint64_t fits = room / codec->line_chars(Part::kRecord);
  if (fits < header.count) {
    fail(line - 1, fmt::format("the header declares {} vectors, the file can hold only {}: it is "
                               "truncated or its count is wrong",
                               header.count, fits));
  }
}

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
  header = parse_header(lines, source.name() + ":text header");
  codec.emplace(header);
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

template <typename Batch>
std::size_t VectorReader::State::read(Batch& batch, std::size_t max) {
  batch.random_words = header.random_words;
  const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(max, header.count - seen));
  if (n == 0) {
    batch.clear();
    if (!finished && seen == header.count) finish();
    return 0;
  }
  batch.resize(n);
  const std::size_t piece =
      std::max<std::size_t>(1, kPieceBytes / codec->line_chars(Part::kRecord));
  for (std::size_t done = 0; done < n;) {
    const std::size_t k = std::min(piece, n - done);
    packed.resize(k * codec->record_bytes());
    if (kind == FileKind::kBin) {
      read_bin(packed.data(), k);
    } else if (read_text(packed.data(), k) != k) {
      refuse_line();
    }
    stream.add(*codec, packed.data(), k);
    codec->unpack(packed.data(), k, batch, done);
    check(batch, done, k);
    seen += k;
    line += kind == FileKind::kBin ? 0 : k;
    done += k;
  }
  return n;
}

/// Parses up to n lines; fewer if one is not as it should be, which is then the next in the input.
std::size_t VectorReader::State::read_text(std::byte* records, std::size_t n) {
  const std::size_t chars = codec->line_chars(Part::kRecord) + pad.size();
  const std::string_view view = source.peek(n * chars);
  const std::size_t whole = std::min(n, view.size() / chars);
  std::size_t good = 0;
  const char* at = view.data();
  for (; good < whole; ++good, at += chars) {
    if (!pad.empty() && std::memcmp(at, pad.data(), pad.size()) != 0) break;
    if (!codec->parse(at + pad.size(), Part::kRecord, separator,
                      records + good * codec->record_bytes())) {
      break;
    }
  }
  source.take(good * chars);
  if (good != n) {
    seen += good;
    line += good;
  }
  return good;
}

void VectorReader::State::refuse_line() {
  const std::size_t chars = codec->line_chars(Part::kRecord) + pad.size();
  const std::string_view view = source.peek(2 * chars + kMaxHeaderLine);
  const std::string_view text = view.substr(0, view.find('\n'));
  if (text.starts_with(prefix) || (text.empty() && view.empty())) {
    fail(line,
         fmt::format("the records end after {} of {} vectors: truncated", seen, header.count));
  }
  if (text.size() == view.size()) {
    fail(line, fmt::format("the file ends inside vector {} of {}: truncated", seen, header.count));
  }
  if (!pad.empty() && !text.starts_with(pad)) {
    fail(line,
         fmt::format("column 1, field padding: expected {} zero digits and '_'", pad.size() - 1));
  }
  fail(line, codec->diagnose(text.substr(pad.size()), Part::kRecord, separator, pad.size() + 1));
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

void VectorReader::State::check_words(std::span<const std::uint64_t> sources,
                                      std::span<const std::uint32_t> randoms, std::size_t lanes) {
  const std::uint64_t wide = ~header.source.code_mask();
  const std::uint32_t beyond = ~(~std::uint32_t{0} >> (32 - header.random_bits()));
  std::uint64_t all_sources = 0;
  std::uint32_t all_randoms = 0;
  for (const std::uint64_t source_code : sources) all_sources |= source_code;
  for (const std::uint32_t random : randoms) all_randoms |= random;
  if ((all_sources & wide) != 0) {
    const auto at = std::ranges::find_if(sources, [&](auto word) { return (word & wide) != 0; });
    const auto i = static_cast<std::size_t>(at - sources.begin());
    fail(place(seen + i / lanes),
         fmt::format("field source[{}]: {:x} has bits beyond the {} of {}", i % lanes, *at,
                     header.source.bits, header.source.name));
  }
  if ((all_randoms & beyond) != 0) {
    const auto at = std::ranges::find_if(randoms, [&](auto word) { return (word & beyond) != 0; });
    const auto i = static_cast<std::size_t>(at - randoms.begin());
    fail(place(seen + i / lanes), fmt::format("field random[{}]: {:x} has more than {} bits",
                                              i % lanes, *at, header.random_bits()));
  }
}

void VectorReader::State::check(const CvtBatch& batch, std::size_t first, std::size_t n) {
  const std::span<const std::uint32_t> random = batch.random;
  check_words(std::span(batch.source).subspan(first, n),
              random.empty() ? random : random.subspan(first, n), 1);
}

void VectorReader::State::check(const BlockBatch& batch, std::size_t first, std::size_t n) {
  const std::span<const std::uint32_t> random = batch.random;
  const std::size_t lanes = batch.lanes();
  check_words(std::span(batch.source).subspan(first * lanes, n * lanes),
              random.empty() ? random : random.subspan(first * lanes, n * lanes), lanes);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t tuser = batch.tuser[first + i];
    if (legal_tuser == tuser) continue;
    const std::string problem = tuser_problem(header, tuser);
    if (!problem.empty()) {
      fail(place(seen + i), fmt::format("field tuser: {:08x}: {}", tuser, problem));
    }
    legal_tuser = tuser;
  }
}

void VectorReader::State::finish() {
  seen_digests = stream.finish();
  kind == FileKind::kBin ? finish_bin() : finish_text();
  if (!source.peek(1).empty()) {
    fail(kind == FileKind::kBin ? source.position() : line, "the file goes on after its trailer");
  }
  finished = true;
}

void VectorReader::State::compare_digests(const FileDigests& stated, std::uint64_t at) {
  if (stated.operands != seen_digests.operands) {
    fail(at, "the operand digest does not match: operands were changed, reordered or repeated");
  }
  if (mode == ReadMode::kGoldens && stated.records != seen_digests.records) {
    fail(at, "the record digest does not match: results were changed");
  }
}

void VectorReader::State::finish_text() {
  if (kind == FileKind::kMem &&
      next_line("the tail word") != mem_word(kMemTail, header.count, codec->record_bytes())) {
    fail(line - 1, fmt::format("expected the tail word after {} vectors: more vectors than the "
                               "header declares, or a damaged trailer",
                               header.count));
  }
  const std::string end = next_line("the trailer");
  if (!end.starts_with(prefix) || !end.substr(prefix.size()).starts_with("end ")) {
    fail(line - 1, fmt::format("expected the trailer: more than the {} vectors that the header "
                               "declares, or a damaged trailer",
                               header.count));
  }
  std::uint64_t count = 0;
  if (!parse_decimal(std::string_view(end).substr(prefix.size() + 4), count) ||
      count != header.count) {
    fail(line - 1, fmt::format("the trailer's count is not the header's {}", header.count));
  }
  FileDigests stated;
  for (const auto& [name, digest] :
       {std::pair{"operands ", &stated.operands}, std::pair{"records ", &stated.records}}) {
    const std::string text = next_line("the trailer");
    const std::string start = std::string(prefix) + name;
    const auto parsed =
        text.starts_with(start) ? parse_digest(text.substr(start.size())) : std::nullopt;
    if (!parsed) fail(line - 1, fmt::format("expected \"{}\" and 64 hex digits", start));
    *digest = *parsed;
  }
  compare_digests(stated, line - 2);
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

VectorReader::VectorReader(std::string path, ReadMode mode)
    : state_(std::make_unique<State>(std::move(path), mode)) {}
VectorReader::~VectorReader() = default;
VectorReader::VectorReader(VectorReader&&) noexcept = default;
VectorReader& VectorReader::operator=(VectorReader&&) noexcept = default;

const VectorHeader& VectorReader::header() const { return state_->header; }
FileKind VectorReader::kind() const { return state_->kind; }
FileDigests VectorReader::digests() const { return state_->seen_digests; }

std::size_t VectorReader::read(CvtBatch& batch, std::size_t max) {
  return state_->read(batch, max);
}

std::size_t VectorReader::read(BlockBatch& batch, std::size_t max) {
  const int block_size =
      state_->header.op == Operation::kBlock ? state_->header.context.block_size : 1;
  if (batch.block_size != block_size) batch.clear();
  batch.block_size = block_size;
  return state_->read(batch, max);
}

BlockBatch read_blocks(const std::string& path, VectorHeader& header, ReadMode mode) {
  VectorReader reader(path, mode);
  header = reader.header();
  if (header.op != Operation::kBlock) {
    throw VectorError(path + ": the file holds element conversions, not blocks; use --op block");
  }
  BlockBatch all;
  all.block_size = header.context.block_size;
  all.random_words = header.random_words;
  BlockBatch part;
  while (reader.read(part, 4096) != 0) all.append(part, 0, part.size());
  return all;
}

}  // namespace mx::golden
