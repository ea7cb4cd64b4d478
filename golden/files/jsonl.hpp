// Vector files as lines of JSON (.jsonl): the header as one object, a line for each configuration
// where there are several, a line for each record, the trailer. docs/vector-kinds.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/files/vector_file.hpp"

namespace mx::golden {

/// Longest line of a header that is looked at.
inline constexpr std::size_t kJsonlMaxHeaderLine = 65536;

/// How every .jsonl file starts.
inline constexpr std::string_view kJsonlHead = "{\"mxgold-vectors\":";

/// The lines before the records.
[[nodiscard]] std::string jsonl_header(const VectorHeader& header);

/// Record i as a line, line feed included.
void append_jsonl(const RecordShape& shape, const RecordBatch& batch, std::size_t i,
                  std::string& out);

[[nodiscard]] std::string jsonl_trailer(std::uint64_t count, const FileDigests& digests);

/// The header lines of a .tv file that the first line stands for, the count last; "" in `problem`
/// if it is one. `configurations` is how many lines of configurations follow.
struct JsonlHeader {
  std::vector<std::string> lines;
  std::string layout;  ///< the member "layout" as it stands
  std::size_t configurations = 0;
  std::string problem;
};
[[nodiscard]] JsonlHeader parse_jsonl_header(std::string_view line);
/// The header line of a configuration, or what is wrong with the text.
[[nodiscard]] std::string parse_jsonl_configuration(std::string_view line, std::size_t number,
                                                    std::string& problem);
/// What the member "layout" has to be.
[[nodiscard]] std::string jsonl_layout(const RecordShape& shape);

/// Reads a line into record i; "" or what is wrong, with the field.
[[nodiscard]] std::string parse_jsonl_record(std::string_view line, const RecordShape& shape,
                                             RecordBatch& batch, std::size_t i);

/// The trailer's digests; nothing where the line is no trailer of so many records.
[[nodiscard]] std::optional<FileDigests> parse_jsonl_trailer(std::string_view line,
                                                             std::uint64_t count);

}  // namespace mx::golden
