// The JSON half of a certificate: fields to text and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "golden/certificates/certificate.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

using CertificateJson = nlohmann::ordered_json;

/// Everything but the thresholds and the digests.
[[nodiscard]] CertificateJson to_json(const ThresholdCertificate& certificate);

/// The fields of `json` with the ladders still empty. Throws nlohmann::json exceptions for missing
/// fields and wrong types, std::invalid_argument for values that make no sense.
[[nodiscard]] ThresholdCertificate from_json(const CertificateJson& json, FormatCatalog& catalog);

/// "7f800000": a pattern with the digits of the source.
[[nodiscard]] std::string pattern_text(const ElementFormat& source, std::uint32_t pattern);
/// A whole text of hexadecimal digits as a number. Throws std::invalid_argument.
[[nodiscard]] std::uint32_t parse_pattern(const std::string& text);

}  // namespace mx::golden
