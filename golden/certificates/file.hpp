// Threshold certificates as files: docs/certificates.md.
//
// A certificate is two files. NAME.thr.hex holds the thresholds, one a line, as $readmemh takes
// them; NAME.thr.json says what they mean and holds everything else: ranks, tables, counts, the
// digest of the thresholds and its own. The same certificate always gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "golden/bytes/sha256.hpp"
#include "golden/certificates/certificate.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

/// "cvt.fp32-e4m3fn.thr.v1"
[[nodiscard]] std::string certificate_id(const ThresholdCertificate& certificate);
/// The names of the two files: ID without ".thr", version, ".thr.json" and ".thr.hex".
[[nodiscard]] std::string certificate_json_name(const ThresholdCertificate& certificate);
[[nodiscard]] std::string certificate_hex_name(const ThresholdCertificate& certificate);

/// The bytes of the two files.
struct CertificateText {
  std::string json;
  std::string hex;
};
[[nodiscard]] CertificateText certificate_text(const ThresholdCertificate& certificate);

/// The certificate that the two texts spell. Formats are looked up in the catalog, which must
/// outlive the result. Throws VectorError naming `name` and the field: syntax, a digest that is
/// not that of the content, parts that do not fit each other, descriptors that are not the
/// catalog's.
[[nodiscard]] ThresholdCertificate parse_certificate(std::string_view name,
                                                     const CertificateText& text,
                                                     FormatCatalog& catalog);

/// Reads NAME.thr.json and the file of thresholds it names, beside it. Throws VectorError.
[[nodiscard]] ThresholdCertificate read_certificate(const std::string& path,
                                                    FormatCatalog& catalog);

/// Writes both files into a folder; the path of the JSON. Throws VectorError.
std::string write_certificate(const std::string& folder, const ThresholdCertificate& certificate);

/// SHA-256 of the expansion: one byte for every source pattern in order (spec V5.5).
[[nodiscard]] Digest expansion_digest(const ConversionThresholds& thresholds);

}  // namespace mx::golden
