// Proving a certificate: the sandwich of spec V5.5 against a judge that shares no
// code with the certificate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/certificates/certificate.hpp"

namespace mx::golden {

/// Says which code a source pattern becomes under a policy. It must be monotone in the magnitude:
/// that is what makes the ends of a segment speak for its inside.
class CodeJudge {
 public:
  CodeJudge() = default;
  CodeJudge(const CodeJudge&) = delete;
  CodeJudge& operator=(const CodeJudge&) = delete;
  virtual ~CodeJudge() = default;
  [[nodiscard]] virtual std::uint64_t code(const ElementPolicy& policy, std::uint32_t pattern) = 0;
};

/// The policies whose thresholds prove a certificate. For every staging with ladders of its own and
/// every deterministic rounding: all of zero_sign x zero_in x src_ftz x dst_ftz, and all of
/// overflow x int_min x unsigned_negative, fields without effect on the destination left at their
/// default; and every nan policy. Each threshold and each cell of the tables of the certificate
/// decides an end of one of them.
[[nodiscard]] std::vector<ElementPolicy> proof_policies(const ThresholdCertificate& certificate);

/// What a proof found.
struct CertificateVerdict {
  std::uint64_t thresholds = 0;
  std::uint64_t segments = 0;
  std::uint64_t judged = 0;  ///< patterns put to the judge
  std::uint64_t wrong = 0;
  std::vector<std::string> problems;  ///< the first few, for a person
  [[nodiscard]] bool proved() const { return wrong == 0 && judged != 0; }
};

/// Why the parts of a certificate do not fit each other, or "": every staging once, ladders as long
/// as the ranks need, thresholds in range. What passes can be turned into thresholds.
[[nodiscard]] std::string certificate_misfit(const ThresholdCertificate& certificate);

/// Order, identities between ladders, counts, and the sandwich for each of proof_policies().
[[nodiscard]] CertificateVerdict prove(const ThresholdCertificate& certificate, CodeJudge& judge);

}  // namespace mx::golden
