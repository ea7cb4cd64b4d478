// Certificates before the exact-rational oracle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "golden/certificates/check.hpp"
#include "oracle/element/encode.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {

/// The oracle as the judge of one certificate: nearest-value search over the decoded code table
/// with exact rationals. A pattern's place on the ladder is found once for all policies.
class OracleJudge : public golden::CodeJudge {
 public:
  OracleJudge(const ElementFormat& source, const ElementFormat& destination)
      : source_(source), judge_(destination) {}
  [[nodiscard]] std::uint64_t code(const ElementPolicy& policy, std::uint32_t pattern) override;

 private:
  struct Located {
    oracle::Real value;
    oracle::Placement place;
  };
  using Key = std::pair<SourceSubnormals, Staging>;

  ElementFormat source_;
  oracle::ElementOracle<oracle::RationalField> judge_;
  std::map<Key, std::unordered_map<std::uint32_t, Located>> located_;
};

/// What verification of a certificate, or of an index of certificates, found.
struct CertificateOutcome {
  std::string set_id;
  std::uint64_t count = 0;  ///< source patterns the certificate speaks for, or certificates
  bool proved = false;
  std::string detail;  ///< what was judged, or what is wrong
};

/// Is this the path of a certificate (either file of the pair)?
[[nodiscard]] bool is_certificate(std::string_view path);

/// Reads and proves a certificate. Throws golden::VectorError for a bad file.
[[nodiscard]] CertificateOutcome verify_certificate(const std::string& path);

/// Makes every certificate of an index again, compares digests, and proves those that are not
/// stored as files. Throws golden::VectorError for a bad file.
[[nodiscard]] CertificateOutcome verify_index(const std::string& path);

/// Proves every scale certificate of the file. Throws golden::VectorError for a bad file.
[[nodiscard]] CertificateOutcome verify_scale(const std::string& path);

}  // namespace mx::cli
