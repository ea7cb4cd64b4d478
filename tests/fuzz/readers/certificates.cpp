// Threshold certificates, their index, certificates of scales. Digests seal them, so what is
// changed is sealed again: else nothing but the seal would be tried.
#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

using golden::VectorError;

constexpr std::string_view kFolder = "golden/data/certificates/";

/// The text of a certificate under digests that fit, where it has room for them.
std::string sealed(std::string_view json_text, std::string_view hex) {
  auto json = golden::json_of_text(json_text);
  if (!json.is_object() || !json.contains("thresholds") || !json["thresholds"].is_object()) {
    return std::string(json_text);
  }
  try {
    json["thresholds"]["sha256"] = golden::to_hex(golden::sha256(hex));
    json.erase("digest");
    json["digest"] = golden::to_hex(golden::sha256(json.dump(1)));
    return json.dump(1) + "\n";
  } catch (const nlohmann::json::exception&) {  // text that is no UTF-8
    return std::string(json_text);
  }
}

/// The text of scales with the digest of what it seals, where it has both.
std::string sealed_scales(std::string_view input) {
  constexpr std::string_view kEnd = ",\n\"digest\": \"";
  std::string text(input);
  const std::size_t begin = text.find("\"certificates\": [");
  const std::size_t end = text.rfind(kEnd);
  constexpr std::size_t kDigits = 64;
  if (begin == text.npos || end == text.npos || end < begin) return text;
  if (text.size() < end + kEnd.size() + kDigits) return text;
  const auto digest = golden::sha256(std::string_view(text).substr(begin, end - begin));
  return text.replace(end + kEnd.size(), kDigits, golden::to_hex(digest));
}

/// The two files of a certificate, a NUL between them; what is read is spelt as it was.
Outcome certificate(std::string_view input) {
  const std::size_t end = input.find('\0');
  if (end == std::string_view::npos) return Outcome::kRefused;
  FormatCatalog catalog;
  const std::string_view hex = input.substr(end + 1);
  const golden::CertificateText text{sealed(input.substr(0, end), hex), std::string(hex)};
  return read_or_refuse<VectorError>(input, [&] {
    const auto read = golden::parse_certificate("fuzz", text, catalog);
    const golden::CertificateText again = golden::certificate_text(read);
    require(again.json == text.json && again.hex == text.hex, "a certificate has one spelling",
            input);
  });
}

std::vector<std::string> certificate_seeds() {
  std::vector<std::string> seeds;
  for (const std::string_view name :
       {"cvt.bf16-e2m1fn.v1", "cvt.fp16-e8m0.v1", "cvt.bf16-int8.v1"}) {
    const std::string path = std::string(kFolder) + std::string(name);
    seeds.push_back(file_of_checkout(path + ".thr.json") + '\0' +
                    file_of_checkout(path + ".thr.hex"));
  }
  return seeds;
}

Outcome index(std::string_view input) {
  return read_or_refuse<VectorError>(input, [&] {
    const auto entries = golden::parse_index("fuzz", std::string(input));
    require(golden::index_text(entries) == input, "an index has one spelling", input);
  });
}

std::vector<std::string> index_seeds() {
  std::vector<golden::IndexEntry> entries = golden::parse_index(
      "seed", file_of_checkout(std::string(kFolder) + std::string(golden::kIndexName)));
  entries.resize(4);
  return {golden::index_text(entries)};
}

Outcome scale(std::string_view input) {
  FormatCatalog catalog;
  return read_or_refuse<VectorError>(input, [&] {
    const std::string text = sealed_scales(input);
    const auto certificates = golden::parse_scale("fuzz", text, catalog);
    require(golden::scale_text(certificates) == text, "scales have one spelling", input);
  });
}

std::vector<std::string> scale_seeds() {
  FormatCatalog catalog;
  auto certificates = golden::parse_scale(
      "seed", file_of_checkout(std::string(kFolder) + std::string(golden::kScaleFileName)),
      catalog);
  certificates.resize(3);
  return {golden::scale_text(certificates)};
}

}  // namespace

Target certificates_target() { return {"certificates", certificate, certificate_seeds}; }
Target indexes_target() { return {"indexes", index, index_seeds}; }
Target scales_target() { return {"scales", scale, scale_seeds}; }

}  // namespace mx::fuzz
