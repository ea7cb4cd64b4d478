#include "golden/certificates/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/source.hpp"
#include "golden/certificates/check.hpp"
#include "golden/certificates/json.hpp"

namespace mx::golden {
namespace {

using Json = CertificateJson;

constexpr std::string_view kCertificateSchema = "1.0.0";
constexpr std::string_view kKind = "threshold_certificate";
constexpr int kSetVersion = 1;
constexpr std::size_t kMaxBytes = std::size_t{1} << 22;

std::string stem(const ThresholdCertificate& certificate) {
  return fmt::format("cvt.{}-{}", certificate.source.name, certificate.destination.name);
}

std::string hex_of(const ThresholdCertificate& certificate) {
  std::string text = fmt::format("// mxgold {} {}\n", kKind, certificate_id(certificate));
  for (const ThresholdSet& set : certificate.sets) {
    for (std::size_t i = 0; i < kLadders; ++i) {
      text +=
          fmt::format("// staging {} ladder {}\n", token_of(set.stagings.front()), kLadderNames[i]);
      for (const std::uint32_t threshold : set.ladders[i].thresholds) {
        text += pattern_text(certificate.source, threshold);
        text += '\n';
      }
    }
  }
  return text + "// end\n";
}

/// Digests of the expansions under the default policy, where they are small enough to make again.
Json expansions_of(const ThresholdCertificate& certificate) {
  if (certificate.source.bits > 16) return nullptr;
  Json json = Json::object();
  for (std::size_t r = 0; r < kDeterministic; ++r) {
    ElementPolicy policy;
    policy.rounding = deterministic_rounding(r);
    json[std::string(token_of(policy.rounding))] =
        to_hex(expansion_digest(conversion_thresholds(certificate, policy)));
  }
  return json;
}

/// The digest of everything else in the file.
std::string digest_of(Json json) {
  json.erase("digest");
  return to_hex(sha256(dumped(json, 1)));
}

std::string read_text(const std::string& path) {
  return whole_text(path, {kMaxBytes, "name a certificate"});
}

/// The thresholds, in the order of hex_of(): comments skipped, the rest one pattern a line.
std::vector<std::uint32_t> parse_hex(std::string_view text) {
  std::vector<std::uint32_t> thresholds;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) throw std::invalid_argument("thresholds end inside a line");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!line.starts_with("//")) thresholds.push_back(parse_pattern(std::string(line)));
  }
  return thresholds;
}

/// Deals the thresholds out to the ladders, as many to each as there are ranks and the overflow.
void fill_ladders(const std::vector<std::uint32_t>& thresholds, ThresholdCertificate& certificate) {
  const std::size_t length = certificate.codes[1].size() + 1;
  if (thresholds.size() != certificate.sets.size() * kLadders * length) {
    throw std::invalid_argument(fmt::format("{} thresholds, {} ladders of {} need {}",
                                            thresholds.size(), certificate.sets.size() * kLadders,
                                            length, certificate.sets.size() * kLadders * length));
  }
  auto next = thresholds.begin();
  for (ThresholdSet& set : certificate.sets) {
    for (CertificateLadder& ladder : set.ladders) {
      ladder.thresholds.assign(next, next + static_cast<std::ptrdiff_t>(length));
      next += static_cast<std::ptrdiff_t>(length);
    }
  }
}

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

/// What a certificate calls the file of its thresholds; "" where it names none.
std::string threshold_file(const Json& json) {
  if (!json.is_object() || !json.contains("thresholds")) return {};
  const Json& thresholds = json["thresholds"];
  if (!thresholds.is_object() || !thresholds.contains("file")) return {};
  return thresholds["file"].is_string() ? thresholds["file"].get<std::string>() : "";
}

ThresholdCertificate parse(std::string_view name, const CertificateText& text,
                           FormatCatalog& catalog) {
  const Json json = json_of_file(name, text.json);
  require(json.is_object(), "not a JSON object");
  require(json.value("kind", "") == kKind, "kind: not a threshold certificate");
  require(json.value("schema", "") == kCertificateSchema,
          "schema: not " + std::string(kCertificateSchema));
  require(json.value("digest", "") == digest_of(json), "digest: not that of the content");
  const Json& thresholds = json.at("thresholds");
  require(thresholds.at("sha256") == to_hex(sha256(text.hex)),
          "thresholds.sha256: not that of " + dumped(thresholds.at("file")));
  ThresholdCertificate certificate = from_json(json, catalog);
  require(!certificate.codes[1].empty() && !certificate.sets.empty(), "no codes or no ladders");
  const std::string_view problem = certificate_problem(certificate.source, certificate.destination);
  require(problem.empty(), std::string(problem));
  fill_ladders(parse_hex(text.hex), certificate);
  const std::string misfit = certificate_misfit(certificate);
  require(misfit.empty(), misfit);
  const CertificateText again = certificate_text(certificate);
  require(again.hex == text.hex, "thresholds: not in the canonical form");
  require(again.json == text.json, "not in the canonical form");
  return certificate;
}

}  // namespace

std::string certificate_id(const ThresholdCertificate& certificate) {
  return fmt::format("{}.thr.v{}", stem(certificate), kSetVersion);
}
std::string certificate_json_name(const ThresholdCertificate& certificate) {
  return fmt::format("{}.v{}.thr.json", stem(certificate), kSetVersion);
}
std::string certificate_hex_name(const ThresholdCertificate& certificate) {
  return fmt::format("{}.v{}.thr.hex", stem(certificate), kSetVersion);
}

CertificateText certificate_text(const ThresholdCertificate& certificate) {
  CertificateText text;
  text.hex = hex_of(certificate);
  Json json;
  json["schema"] = kCertificateSchema;
  json["kind"] = kKind;
  json["set_id"] = certificate_id(certificate);
  json["op"] = "cvt";
  json["spec_refs"] = "verification.md 5; formats.md 6 to 10";
  json["license"] = "Apache-2.0";
  json.update(to_json(certificate));
  std::size_t count = 0;
  for (const ThresholdSet& set : certificate.sets) {
    for (const CertificateLadder& ladder : set.ladders) count += ladder.thresholds.size();
  }
  json["thresholds"] = {{"file", certificate_hex_name(certificate)},
                        {"count", count},
                        {"sha256", to_hex(sha256(text.hex))}};
  json["expansion_sha256"] = expansions_of(certificate);
  json["digest"] = digest_of(json);
  text.json = dumped(json, 1) + "\n";
  return text;
}

ThresholdCertificate parse_certificate(std::string_view name, const CertificateText& text,
                                       FormatCatalog& catalog) {
  constexpr std::string_view kRemedy = "regenerate it with mxgold gen --op thr";
  try {
    return parse(name, text, catalog);
  } catch (const nlohmann::json::exception& error) {
    throw VectorError(fmt::format("{}: {}; {}", name, error.what(), kRemedy));
  } catch (const std::invalid_argument& error) {
    throw VectorError(fmt::format("{}: {}; {}", name, error.what(), kRemedy));
  }
}

ThresholdCertificate read_certificate(const std::string& path, FormatCatalog& catalog) {
  CertificateText text;
  text.json = read_text(path);
  const std::string file = threshold_file(json_of_text(text.json));
  // The name is data of the file: it may not lead out of the folder.
  if (!file.empty() && std::filesystem::path(file).filename() == file) {
    text.hex = read_text((std::filesystem::path(path).parent_path() / file).string());
  }
  return parse_certificate(path, text, catalog);
}

std::string write_certificate(const std::string& folder, const ThresholdCertificate& certificate) {
  const CertificateText text = certificate_text(certificate);
  const std::filesystem::path base(folder);
  write_file((base / certificate_hex_name(certificate)).string(), text.hex);
  const std::string path = (base / certificate_json_name(certificate)).string();
  write_file(path, text.json);
  return path;
}

Digest expansion_digest(const ConversionThresholds& thresholds) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const std::uint64_t total = std::uint64_t{1} << thresholds.source_bits;
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(std::min(total, kPiece)));
  Sha256 hash;
  for (std::uint64_t first = 0; first < total; first += codes.size()) {
    expand(thresholds, first, codes);
    hash.update(std::as_bytes(std::span(codes)));
  }
  return hash.finish();
}

}  // namespace mx::golden
