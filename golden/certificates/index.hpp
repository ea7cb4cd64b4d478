// Which certificates there are: those stored as files and those known by their digests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/certificates/certificate.hpp"
#include "golden/certificates/file.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

/// One line of the index.
struct IndexEntry {
  std::string source;
  std::string destination;
  bool stored = false;
  std::string json_sha256;
  std::string hex_sha256;
  bool operator==(const IndexEntry&) const = default;
};

/// The entry of a certificate, and the whole index, made now.
[[nodiscard]] IndexEntry index_entry(const ThresholdCertificate& certificate, bool stored);
[[nodiscard]] std::vector<IndexEntry> make_index(FormatCatalog& catalog);

inline constexpr std::string_view kIndexName = "index.json";
[[nodiscard]] std::string index_text(const std::vector<IndexEntry>& entries);
/// Throws VectorError naming `name` for anything that is not an index in canonical form.
[[nodiscard]] std::vector<IndexEntry> parse_index(std::string_view name, const std::string& text);
[[nodiscard]] std::vector<IndexEntry> read_index(const std::string& path);
/// Is this the path of an index?
[[nodiscard]] bool is_index(std::string_view path);

}  // namespace mx::golden
