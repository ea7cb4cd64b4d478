// A threshold certificate asked for numbers: a source value times a power of two, which no pattern
// of the certificate's own source need be.
//
// The certificate's thresholds are binary32 patterns, so exact numbers. A number that is one of
// them has its code by them; one between two neighbouring patterns has the code of both where they
// share it, since a step function is monotone (spec V5.1, V5.7). Nothing here rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "golden/certificates/certificate.hpp"

namespace mx::sim {

/// A value of an IEEE-like source, taken apart by its fields.
struct SourceNumber {
  enum class Kind : std::uint8_t { kFinite, kInfinity, kQuietNan, kSignalingNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool subnormal = false;
  std::uint32_t significand = 0;  ///< kFinite: the magnitude is significand * 2^exponent
  int exponent = 0;
  bool operator==(const SourceNumber&) const = default;
};
[[nodiscard]] SourceNumber source_number(const ElementFormat& source, std::uint32_t code);

/// The magnitude of a finite number as a binary32 pattern; requires that there is one.
[[nodiscard]] std::uint32_t magnitude32(const SourceNumber& x);

class ScaledThresholds {
 public:
  /// Of a binary32 certificate under a policy without staging. Source subnormals are the caller's.
  ScaledThresholds(const golden::ThresholdCertificate& certificate, const ElementPolicy& policy);

  /// The code of x * 2^-shift; nothing where the thresholds do not decide.
  [[nodiscard]] std::optional<std::uint8_t> code(const SourceNumber& x, int shift) const;

 private:
  [[nodiscard]] std::uint8_t at(std::size_t sign, std::uint32_t pattern) const;
  [[nodiscard]] std::optional<std::uint8_t> finite(std::size_t sign, std::uint32_t significand,
                                                   int exponent) const;

  golden::ConversionThresholds thresholds_;
  /// The segment that holds the first pattern of each exponent field.
  std::array<std::array<std::uint16_t, 256>, 2> starts_{};
  bool is_coarse_ = false;  ///< every step but the one above zero lies well within binary32
};

}  // namespace mx::sim
