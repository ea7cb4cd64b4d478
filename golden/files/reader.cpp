#include <fmt/format.h>

#include <algorithm>

#include "golden/files/reader_state.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 17;

}  // namespace

void VectorReader::State::fail(std::uint64_t at, std::string_view what,
                               std::string_view remedy) const {
  throw VectorError(fmt::format("{}:{}{}: {}; {}", source.name(),
                                kind == FileKind::kBin ? "byte " : "", at, what, remedy));
}

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
    const std::uint32_t config_word = batch.config_word[first + i];
    if (legal_word == config_word) continue;
    const std::string problem = config_word_problem(header, config_word);
    if (!problem.empty()) {
      fail(place(seen + i), fmt::format("field tuser: {:08x}: {}", config_word, problem));
    }
    legal_word = config_word;
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
      state_->header.op == RecordKind::kBlock ? state_->header.context.block_size : 1;
  if (batch.block_size != block_size) batch.clear();
  batch.block_size = block_size;
  return state_->read(batch, max);
}

BlockBatch read_blocks(const std::string& path, VectorHeader& header, ReadMode mode) {
  VectorReader reader(path, mode);
  header = reader.header();
  if (header.op != RecordKind::kBlock) {
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
