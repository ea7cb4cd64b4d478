// The second judge of a run: threshold certificates, which share nothing with the reference but the
// description of formats (spec V5).
//
// Certificates are made when they are first needed, from exact values and the tables of policies,
// by what made the stored ones (golden/data/certificates), and only where one is stored: those are
// proved against the oracle at every threshold (mxgold verify-goldens).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/certificates/scale.hpp"
#include "sim/block/block.hpp"
#include "sim/block/model.hpp"
#include "sim/judge/scaled_thresholds.hpp"

namespace mx::sim {

/// Who says what is right.
enum class Judge : std::uint8_t {
  kReference,
  kCertificate,  ///< where one speaks; the rest is open
  kBoth          ///< the reference, which every certificate must agree with
};

[[nodiscard]] std::string_view token_of(Judge judge);
[[nodiscard]] std::optional<Judge> parse_judge(std::string_view token);

/// What certificates say of element codes under one block configuration, and of its scale.
class BlockCertificate {
 public:
  BlockCertificate(const golden::ThresholdCertificate& elements, const QuantizerConfig& config);

  /// The code of one element under a scale byte; nothing under a NaN scale, and where the
  /// thresholds do not decide.
  [[nodiscard]] std::optional<std::uint64_t> code(std::uint32_t source, std::uint8_t scale) const;
  /// The scale of a block of numbers that are not all zero; nothing for others, and for rules
  /// without a certificate.
  [[nodiscard]] std::optional<std::uint8_t> scale(std::span<const std::uint32_t> sources) const;

 private:
  ElementFormat source_;
  BlockPolicy block_;
  bool flushes_ = false;
  ScaledThresholds thresholds_;
  std::optional<golden::ScaleCertificate> scale_;
};

/// Makes the binary32 certificate of a destination.
using CertificateMaker = std::function<golden::ThresholdCertificate(const ElementFormat&)>;
[[nodiscard]] golden::ThresholdCertificate make_fp32_certificate(const ElementFormat& destination);

/// Is a certificate stored for conversions to the format, and does it know the policy?
[[nodiscard]] bool is_certified(const ElementFormat& source, const ElementFormat& destination,
                                const ElementPolicy& policy);
/// Does one speak of the elements of a block configuration: a power-of-two scale, exactly divided
/// by, and nothing flushed for a whole block?
[[nodiscard]] bool is_certified(const QuantizerConfig& config);

/// Certificates by destination, each made once.
class CertificateShelf {
 public:
  explicit CertificateShelf(CertificateMaker make = make_fp32_certificate)
      : make_(std::move(make)) {}
  [[nodiscard]] const golden::ThresholdCertificate& of(const ElementFormat& destination);

 private:
  CertificateMaker make_;
  std::deque<golden::ThresholdCertificate> made_;
};

/// A right answer on which the judges do not agree.
struct Disagreement {
  std::uint64_t index = 0;  ///< of the block or record in the whole run
  BlockIn block = {};       ///< of runs of blocks
  int lane = -1;            ///< -1: the scale
  std::uint64_t source = 0;
  std::uint64_t scale = 0;  ///< expected
  std::uint64_t expected = 0;
  std::uint64_t certified = 0;
};

}  // namespace mx::sim
