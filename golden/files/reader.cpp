#include <fmt/format.h>

#include <algorithm>

#include "golden/files/jsonl.hpp"
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
  } else if (head.starts_with(kJsonlHead)) {
    kind = FileKind::kJsonl;
    start_jsonl();
  } else {
    fail(1,
         "the header is missing: a vector file starts with \"# mxgold-vectors\", "
         "\"// mxgold-vectors\", {\"mxgold-vectors\": or MXGOLDB1");
  }
}

std::size_t VectorReader::State::read(RecordBatch& batch, std::size_t max) {
  const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(max, header.count - seen));
  if (n == 0) {
    batch.resize(0);
    if (!finished && seen == header.count) finish();
    return 0;
  }
  batch.reset(codec->shape(), n);
  const std::uint64_t first = seen;
  const std::size_t piece =
      std::max<std::size_t>(1, kPieceBytes / codec->line_chars(Part::kRecord));
  for (std::size_t done = 0; done < n;) {
    const std::size_t k = std::min(piece, n - done);
    packed.resize(k * codec->record_bytes());
    if (kind == FileKind::kBin) {
      read_bin(packed.data(), k);
    } else if (kind == FileKind::kJsonl) {
      read_jsonl(packed.data(), k);
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
  if (set_check == SetCheck::kByReader) check_set(batch, first);
  return n;
}

void VectorReader::State::check(const RecordBatch& batch, std::size_t first, std::size_t n) {
  const std::optional<OperandProblem> wrong = operands->find(batch, first, n);
  if (wrong) fail(place(seen + wrong->record - first), wrong->what);
}

/// A set is what its name says, for every reader of it.
void VectorReader::State::check_set(const RecordBatch& batch, std::uint64_t at) {
  constexpr std::string_view kRename =
      "regenerate the file with mxgold gen, or give its suite a name of your own";
  if (!set) {
    set = std::make_unique<const NamedSet>(header);
    if (const std::string why = set->count_problem(); !why.empty()) fail(1, why, kRename);
  }
  if (const std::string why = set->operand_problem(batch, at); !why.empty()) {
    fail(place(at), why, kRename);
  }
}

void VectorReader::State::finish() {
  seen_digests = stream.finish();
  if (kind == FileKind::kBin) {
    finish_bin();
  } else if (kind == FileKind::kJsonl) {
    finish_jsonl();
  } else {
    finish_text();
  }
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

VectorReader::VectorReader(std::string path, casts::CastMaker casts, ReadMode mode, SetCheck check)
    : state_(std::make_unique<State>(std::move(path), casts, mode, check)) {}
VectorReader::~VectorReader() = default;
VectorReader::VectorReader(VectorReader&&) noexcept = default;
VectorReader& VectorReader::operator=(VectorReader&&) noexcept = default;

const VectorHeader& VectorReader::header() const { return state_->header; }
FileKind VectorReader::kind() const { return state_->kind; }
FileDigests VectorReader::digests() const { return state_->seen_digests; }

std::size_t VectorReader::read(RecordBatch& batch, std::size_t max) {
  return state_->read(batch, max);
}

RecordBatch read_records(const std::string& path, VectorHeader& header, casts::CastMaker casts,
                         ReadMode mode, SetCheck check) {
  VectorReader reader(path, casts, mode, check);
  header = reader.header();
  RecordBatch all(header.shape());
  RecordBatch part;
  while (reader.read(part, 4096) != 0) all.append(part, 0, part.size());
  return all;
}

}  // namespace mx::golden
