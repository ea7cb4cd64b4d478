// Vector files of lines: .tv and .mem.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "golden/files/jsonl.hpp"
#include "golden/files/reader_state.hpp"
#include "golden/vectors/header_parse.hpp"

namespace mx::golden {

/// The next line without its line feed; `meaning` names what should have been there. The words
/// around the records of a .mem file are as wide as the records.
std::string VectorReader::State::next_line(std::string_view meaning) {
  // A word of JSON has quotes and a comma around its digits, a record the names of its fields.
  const bool is_json = kind == FileKind::kJsonl;
  const std::size_t header_line = is_json ? kJsonlMaxHeaderLine : kMaxHeaderLine;
  const std::size_t longest =
      codec ? std::max(header_line, (is_json ? 2 : 1) * codec->line_chars(Part::kRecord) + 256)
            : header_line;
  std::size_t wanted = 256;
  std::string_view view = source.peek(wanted);
  std::size_t end = view.find('\n');
  while (end == std::string_view::npos && view.size() >= wanted && wanted < longest) {
    wanted = longest;
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
  header = parse_header(lines, source.name(), casts);
  codec.emplace(header.shape());
  operands.emplace(header);
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

/// Parses up to n lines; fewer if one is not as it should be, which is then the next in the input.
std::size_t VectorReader::State::read_text(std::byte* records, std::size_t n) {
  const std::size_t chars = codec->line_chars(Part::kRecord) + pad.size();
  const std::string_view view = source.peek(n * chars);
  const std::size_t whole = std::min(n, view.size() / chars);
  std::size_t padded = pad.empty() ? whole : 0;
  while (padded < whole && view.substr(padded * chars).starts_with(pad)) ++padded;
  const std::size_t good =
      codec->parse(view.data() + pad.size(), padded, chars, Part::kRecord, separator, records);
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

}  // namespace mx::golden
