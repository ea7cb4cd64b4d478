// Vector files of lines of JSON.
#include <fmt/format.h>

#include "golden/files/jsonl.hpp"
#include "golden/files/reader_state.hpp"
#include "golden/vectors/header_parse.hpp"

namespace mx::golden {

void VectorReader::State::start_jsonl() {
  JsonlHeader read = parse_jsonl_header(next_line("the header"));
  if (!read.problem.empty()) fail(line - 1, read.problem);
  if (read.configurations > kMaxConfigurations) {
    fail(line - 1, "the header declares more configurations than a file may have");
  }
  if (read.configurations > 1) {
    // They stand behind the fields that all share: in the place of their line in a .tv file.
    std::size_t at = 0;
    while (at < read.lines.size() && !read.lines[at].starts_with("lanes ")) ++at;
    std::vector<std::string> configurations;
    for (std::size_t i = 0; i < read.configurations; ++i) {
      std::string problem;
      configurations.push_back(parse_jsonl_configuration(next_line("a configuration"), i, problem));
      if (!problem.empty()) fail(line - 1, problem);
    }
    read.lines.insert(read.lines.begin() + static_cast<std::ptrdiff_t>(at), configurations.begin(),
                      configurations.end());
  }
  header = parse_header(read.lines, source.name(), casts);
  if (read.layout != jsonl_layout(header.shape())) {
    fail(1, fmt::format("the member layout is not {}", jsonl_layout(header.shape())));
  }
  codec.emplace(header.shape());
  operands.emplace(header);
  check_size();
  first_line = line;
}

void VectorReader::State::read_jsonl(std::byte* records, std::size_t n) {
  RecordBatch one(codec->shape(), 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t at = line + i;
    const std::string text = line_of_records(at);
    const std::string problem = parse_jsonl_record(text, codec->shape(), one, 0);
    if (!problem.empty()) fail(at, problem);
    codec->pack(one, 0, 1, records + i * codec->record_bytes());
  }
}

/// The next line of the records, which may be long; read() counts it.
std::string VectorReader::State::line_of_records(std::uint64_t at) {
  const std::uint64_t counted = line;
  std::string text = next_line("a vector");
  line = counted;
  if (text.starts_with("{\"end\":")) {
    fail(at, fmt::format("the records end after {} of {} vectors: truncated", at - first_line,
                         header.count));
  }
  return text;
}

void VectorReader::State::finish_jsonl() {
  const auto stated = parse_jsonl_trailer(next_line("the trailer"), header.count);
  if (!stated) {
    fail(line - 1, fmt::format("expected the trailer of {} vectors: more vectors than the header "
                               "declares, or a damaged trailer",
                               header.count));
  }
  compare_digests(*stated, line - 1);
}

}  // namespace mx::golden
