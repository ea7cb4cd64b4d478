#include "golden/certificates/index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/source.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kIndexKind = "certificate_index";
constexpr std::size_t kMaxIndexBytes = std::size_t{1} << 24;

}  // namespace

IndexEntry index_entry(const ThresholdCertificate& certificate, bool stored) {
  const CertificateText text = certificate_text(certificate);
  return {std::string(certificate.source.name), std::string(certificate.destination.name), stored,
          to_hex(sha256(text.json)), to_hex(sha256(text.hex))};
}

std::vector<IndexEntry> make_index(FormatCatalog& catalog) {
  std::vector<IndexEntry> entries;
  const auto add = [&](const std::vector<std::string>& destinations, bool stored) {
    for (const std::string& source : certificate_sources()) {
      for (const std::string& destination : destinations) {
        entries.push_back(index_entry(
            make_certificate(*catalog.find(source), *catalog.find(destination)), stored));
      }
    }
  };
  add(stored_destinations(), true);
  add(family_destinations(catalog), false);
  return entries;
}

std::string index_text(const std::vector<IndexEntry>& entries) {
  // One line an entry, so that a change shows as a line.
  std::string text = fmt::format(
      "{{\n\"schema\": \"1.0.0\",\n\"kind\": \"{}\",\n\"count\": {},\n\"certificates\": [",
      kIndexKind, entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const IndexEntry& e = entries[i];
    text += fmt::format(
        "{}\n{{\"src\": \"{}\", \"dst\": \"{}\", \"stored\": {}, \"json_sha256\": \"{}\", "
        "\"hex_sha256\": \"{}\"}}",
        i == 0 ? "" : ",", e.source, e.destination, e.stored, e.json_sha256, e.hex_sha256);
  }
  return text + "\n]\n}\n";
}

std::vector<IndexEntry> parse_index(std::string_view name, const std::string& text) {
  constexpr std::string_view kRemedy =
      "regenerate it with mxgold gen --op thr --source all --format all";
  std::vector<IndexEntry> entries;
  try {
    const Json json = json_of_file(name, text);
    if (json.at("kind") != kIndexKind)
      throw VectorError(fmt::format("{}: no certificate index", name));
    for (const Json& e : json.at("certificates")) {
      entries.push_back({e.at("src").get<std::string>(), e.at("dst").get<std::string>(),
                         e.at("stored").get<bool>(), e.at("json_sha256").get<std::string>(),
                         e.at("hex_sha256").get<std::string>()});
    }
  } catch (const nlohmann::json::exception& error) {
    throw VectorError(fmt::format("{}: {}; {}", name, error.what(), kRemedy));
  }
  if (entries.empty() || index_text(entries) != text) {
    throw VectorError(fmt::format("{}: empty, or not in the canonical form; {}", name, kRemedy));
  }
  return entries;
}

std::vector<IndexEntry> read_index(const std::string& path) {
  return parse_index(path, whole_text(path, {kMaxIndexBytes, "name an index of certificates"}));
}

bool is_index(std::string_view path) {
  return std::filesystem::path(path).filename() == kIndexName;
}

}  // namespace mx::golden
