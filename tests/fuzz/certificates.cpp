// Threshold certificates, their index, certificates of scales.
#include "golden/bytes/error.hpp"
#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

using golden::VectorError;

constexpr std::string_view kFolder = "golden/data/certificates/";

/// The two files of a certificate, a NUL between them; what is read is spelt as it was.
Outcome certificate(std::string_view input) {
  const std::size_t end = input.find('\0');
  if (end == std::string_view::npos) return Outcome::kRefused;
  FormatCatalog catalog;
  const golden::CertificateText text{std::string(input.substr(0, end)),
                                     std::string(input.substr(end + 1))};
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
    const auto certificates = golden::parse_scale("fuzz", std::string(input), catalog);
    require(golden::scale_text(certificates) == input, "scales have one spelling", input);
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
