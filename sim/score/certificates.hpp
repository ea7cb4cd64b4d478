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
  CertificateCounts& operator+=(const CertificateCounts& other);
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

/// What certificates say of one record.
struct CertifiedAnswer {
  std::vector<std::optional<std::uint64_t>> codes;  ///< of the lanes of the source
  std::optional<std::uint64_t> scale;
};

/// An answer that certificates are asked about: record i of these.
struct AskedAnswer {
  const golden::RecordBatch& own;       ///< the reference's answer
  const golden::RecordBatch& expected;  ///< the one that the device's is compared with
  std::size_t i = 0;
  const golden::OpenAnswer& open;  ///< what of it is not compared
  const golden::OpenAnswer& rest;  ///< the same, with what is waived
  std::uint64_t number = 0;
};

/// Certificates of a header's configurations, each made when it is first needed. Not thread-safe.
class RecordCertificates {
 public:
  /// `header` must live as long.
  explicit RecordCertificates(const golden::VectorHeader& header,
                              CertificateMaker make = make_fp32_certificate);

  /// What certificates say of record i, whose scale is that of `own`; until the next one is asked.
  [[nodiscard]] const CertifiedAnswer& of(const golden::RecordBatch& own, std::size_t i);

  /// Compares the reference's own answer with the certificates, in the words that are not open, and
  /// counts the words compared that `expected` has too.
  void check(const AskedAnswer& asked, CertificateCounts& counts,
             std::vector<RecordDisagreement>& found);

 private:
  struct Element {
    ElementFormat source;
    bool flushes = false;
    ScaledThresholds thresholds;
  };
  /// Nothing, one of a conversion, or one of a block.
  struct Known {
    bool is_asked = false;
    std::optional<Element> element;
    std::optional<BlockCertificate> block;
  };
  [[nodiscard]] const Known& known(std::size_t config);

  const golden::VectorHeader& header_;
  CertificateShelf shelf_;
  std::vector<Known> known_;
  CertifiedAnswer answer_;
  std::vector<std::uint32_t> sources_;
};

/// "1,234 elements and 56 scales compared with certificates, 7 elements had none".
[[nodiscard]] std::string text_of(const CertificateCounts& counts);

}  // namespace mx::sim
