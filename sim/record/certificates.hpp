// The second judge of records: threshold certificates, for conversions and for blocks of a power
// of two (sim/judge/certificate_judge.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "golden/answers/verdict.hpp"
#include "golden/vectors/header.hpp"
#include "sim/judge/certificate_judge.hpp"

namespace mx::sim {

/// Words compared, by whether a certificate spoke.
struct CertificateCounts {
  std::uint64_t elements = 0;  ///< codes compared with a certificate
  std::uint64_t scales = 0;
  std::uint64_t without = 0;  ///< codes of which none speaks
  bool operator==(const CertificateCounts&) const = default;
};

/// A right answer on which the judges do not agree.
struct RecordDisagreement {
  std::uint64_t number = 0;
  golden::Field field = golden::Field::kCode;
  std::size_t lane = 0;
  std::uint64_t expected = 0;
  std::uint64_t certified = 0;
  golden::RecordBatch record;  ///< one, with the reference's answer
};

/// Certificates of a header's configurations. Not thread-safe.
class RecordCertificates {
 public:
  /// `header` must live as long.
  explicit RecordCertificates(const golden::VectorHeader& header,
                              CertificateMaker make = make_fp32_certificate);

  /// Compares the reference's own answer to record i with the certificates, in the words that are
  /// compared, and counts those that `expected` has too.
  void check(const golden::RecordBatch& own, const golden::RecordBatch& expected, std::size_t i,
             const golden::OpenAnswer& open, std::uint64_t number, CertificateCounts& counts,
             std::vector<RecordDisagreement>& found) const;

 private:
  struct Element {
    ElementFormat source;
    bool flushes = false;
    ScaledStairs stairs;
  };
  /// Nothing, one of a conversion, or one of a block.
  struct Known {
    std::optional<Element> element;
    std::optional<BlockCertificate> block;
  };

  const golden::VectorHeader& header_;
  std::vector<Known> known_;
};

/// "1,234 elements and 56 scales compared with certificates, 7 elements had none".
[[nodiscard]] std::string text_of(const CertificateCounts& counts);

}  // namespace mx::sim
