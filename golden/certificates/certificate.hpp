// Threshold certificates: every answer of an element conversion in a few hundred integers.
//
// For one sign, one rounding and one destination, the code of a source pattern is a step function
// over the magnitude pattern u (spec V5): T_k is the first u whose value rounds to the k-th
// smallest magnitude of the destination or above. Six ladders of thresholds serve all nine
// deterministic roundings and both signs; what every policy makes of the ends of a step function
// (zero, overflow, infinity, NaN) is a table of codes. A certificate holds both, for one source,
// one destination and every policy; a ConversionThresholds is what it says under one policy.
//
// Thresholds come from the exact values of codes and from the table of spec V5.3; nothing here
// uses the reference's rounding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/catalog/catalog.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// The six ladders: nearest with ties to even, away and to zero; toward zero; away from zero; odd.
enum class LadderKind : std::uint8_t { kNe, kNa, kNz, kTz, kAz, kOd };
inline constexpr std::array<std::string_view, 6> kLadderNames = {"ne", "na", "nz",
                                                                 "tz", "az", "od"};
inline constexpr std::size_t kLadders = kLadderNames.size();

/// A rounding that certificates know, and its ladder for + and -.
struct CertifiedRounding {
  Rounding rounding;
  std::array<LadderKind, 2> ladders;
};

/// What certificates of schema 1.0.0 hold, in their order. Roundings, overflow and NaN policies,
/// stagings and flushes that stand in no list have no thresholds.
inline constexpr std::array kCertifiedRoundings = {
    CertifiedRounding{Rounding::kTiesToEven, {LadderKind::kNe, LadderKind::kNe}},
    CertifiedRounding{Rounding::kTiesToAway, {LadderKind::kNa, LadderKind::kNa}},
    CertifiedRounding{Rounding::kTiesToZero, {LadderKind::kNz, LadderKind::kNz}},
    CertifiedRounding{Rounding::kTiesTowardPositive, {LadderKind::kNa, LadderKind::kNz}},
    CertifiedRounding{Rounding::kTowardZero, {LadderKind::kTz, LadderKind::kTz}},
    CertifiedRounding{Rounding::kTowardNegative, {LadderKind::kTz, LadderKind::kAz}},
    CertifiedRounding{Rounding::kTowardPositive, {LadderKind::kAz, LadderKind::kTz}},
    CertifiedRounding{Rounding::kAwayFromZero, {LadderKind::kAz, LadderKind::kAz}},
    CertifiedRounding{Rounding::kToOdd, {LadderKind::kOd, LadderKind::kOd}}};
inline constexpr std::array kCertifiedOverflows = {
    Overflow::kSatFinite,    Overflow::kSatFiniteKeepInf, Overflow::kPropagateInf,
    Overflow::kNoneInfOrNan, Overflow::kNoneP3109V4,      Overflow::kNoneP310920260714};
inline constexpr std::array kCertifiedNans = {NanPolicy::kCanonicalPositive, NanPolicy::kKeepSign,
                                              NanPolicy::kToPositiveMax, NanPolicy::kToSignedMax,
                                              NanPolicy::kToOppositeZero};
inline constexpr std::array kCertifiedStagings = {Staging::kNone, Staging::kViaFp16,
                                                  Staging::kViaBf16, Staging::kViaFp32};
inline constexpr std::array kCertifiedFlushes = {ResultSubnormals::kKeep,
                                                 ResultSubnormals::kFlushBeforeRounding,
                                                 ResultSubnormals::kFlushAfterRounding};

/// Does a certificate have a step function for the rounding, overflow, NaN, staging and dst_ftz of
/// a policy?
[[nodiscard]] bool is_certified(const ElementPolicy& policy);

/// The place in its list; throws std::invalid_argument where there is none.
[[nodiscard]] std::size_t certified_index(Rounding rounding);
[[nodiscard]] std::size_t certified_index(Overflow overflow);
[[nodiscard]] std::size_t certified_index(NanPolicy nan);
[[nodiscard]] std::size_t certified_index(ResultSubnormals flush);

/// The ladder of a certified rounding for a sign.
[[nodiscard]] LadderKind ladder_of(Rounding rounding, bool negative);

inline constexpr std::size_t kDeterministic = kCertifiedRoundings.size();
[[nodiscard]] constexpr Rounding deterministic_rounding(std::size_t i) {
  return kCertifiedRoundings[i].rounding;
}

/// One ladder. Patterns are magnitudes; a threshold that is never reached is the pattern of +Inf.
struct CertificateLadder {
  std::vector<std::uint32_t> thresholds;  ///< T_0 = 0, T_1, ..., T_(top + 1)
  /// First pattern that rounds above 0 on the grid below the smallest value of a format without
  /// zero, where it decides what is negative; T_1 for the others.
  std::uint32_t first_step = 0;
  bool operator==(const CertificateLadder&) const = default;
};

/// The ladders of one staging (spec F9.5). Stagings that hold every source value act
/// as none and share its set.
struct ThresholdSet {
  std::vector<Staging> stagings;
  std::uint32_t first_nonzero = 1;  ///< first pattern the staging does not make zero
  std::uint32_t first_normal =
      1;  ///< first pattern staged to 2^emin or above; first_nonzero if unused
  std::uint32_t first_infinite = 0;  ///< first pattern staged to infinity
  std::array<CertificateLadder, kLadders> ladders;
  bool operator==(const ThresholdSet&) const = default;
};

using SignPair = std::array<std::uint8_t, 2>;  ///< codes for + and -

/// What the policies make of the ends of a step function. Overflow policies and roundings have
/// their places in the lists above; the other indices are the values of the enums.
struct SpecialCodes {
  /// A zero input, by zero_sign, then zero_in.
  std::array<std::array<SignPair, tokens<ZeroIn>().size()>, tokens<ZeroSign>().size()> zero;
  /// A nonzero value that rounds to zero, by zero_sign (the smallest code where there is no zero).
  std::array<SignPair, tokens<ZeroSign>().size()> underflow;
  /// A finite overflow, by overflow, int_min and rounding.
  std::array<std::array<std::array<SignPair, kDeterministic>, tokens<IntMin>().size()>,
             kCertifiedOverflows.size()>
      overflow;
  /// An infinity, by overflow and int_min.
  std::array<std::array<SignPair, tokens<IntMin>().size()>, kCertifiedOverflows.size()> infinity;
  /// A NaN by nan: quiet of both signs, signalling of both signs.
  std::array<std::array<SignPair, 2>, kCertifiedNans.size()> nan;
  /// A negative value for an unsigned format under to_nan and to_min.
  std::uint8_t negative_to_nan = 0;
  std::uint8_t negative_to_min = 0;
  bool operator==(const SpecialCodes&) const = default;
};

/// How many patterns of each class the source has; they add up to 2^N.
struct PatternCounts {
  std::uint64_t zero = 0;
  std::uint64_t finite = 0;  ///< nonzero
  std::uint64_t infinite = 0;
  std::uint64_t quiet_nan = 0;
  std::uint64_t signaling_nan = 0;
  [[nodiscard]] std::uint64_t total() const {
    return zero + finite + infinite + quiet_nan + signaling_nan;
  }
  bool operator==(const PatternCounts&) const = default;
};

/// The complete golden of one source and one destination under every policy.
struct ThresholdCertificate {
  ElementFormat source;
  ElementFormat destination;
  /// Code of each rank, the k-th smallest magnitude, by sign. Rank 0 of a format with zero follows
  /// SpecialCodes.
  std::array<std::vector<std::uint8_t>, 2> codes;
  /// The largest rank that is no overflow, by sign and int_min.
  std::array<std::array<std::uint32_t, tokens<IntMin>().size()>, 2> top{};
  /// Ranks below this one are zeros, by dst_ftz.
  std::array<std::uint32_t, kCertifiedFlushes.size()> first_kept{};
  std::vector<ThresholdSet> sets;
  SpecialCodes special;
  PatternCounts counts;
  bool operator==(const ThresholdCertificate&) const = default;

  /// The ladders of a staging. Requires a certificate that has them.
  [[nodiscard]] const ThresholdSet& set_of(Staging staging) const;
};

/// Is there a certificate for the pair? "" or why not. Sources: fp32, bf16 and fp16. Destinations:
/// valid formats of at most 8 bits.
[[nodiscard]] std::string_view certificate_problem(const ElementFormat& source,
                                                   const ElementFormat& destination);

/// Derives the certificate of a pair. Requires certificate_problem() == "".
[[nodiscard]] ThresholdCertificate make_certificate(const ElementFormat& source,
                                                    const ElementFormat& destination);

/// A run of patterns with one code, up to the next segment.
struct ThresholdStep {
  std::uint32_t first = 0;
  std::uint8_t code = 0;
  bool operator==(const ThresholdStep&) const = default;
};

/// The complete golden of one conversion: the code of every source pattern.
struct ConversionThresholds {
  int source_bits = 0;
  std::uint32_t infinity_pattern = 0;
  std::uint32_t quiet_pattern = 0;  ///< first magnitude pattern that is a quiet NaN
  /// By sign: the first starts at 0, the last ends before infinity_pattern; neighbours differ.
  std::array<std::vector<ThresholdStep>, 2> finite;
  SignPair infinity{};
  std::array<SignPair, 2> nan{};  ///< quiet, signalling
  bool operator==(const ConversionThresholds&) const = default;
};

/// What a certificate says under a policy with a deterministic rounding (random_bits and tininess
/// do not matter to codes).
[[nodiscard]] ConversionThresholds conversion_thresholds(const ThresholdCertificate& certificate,
                                                         const ElementPolicy& policy);

/// The code of one source pattern.
[[nodiscard]] std::uint8_t code_of(const ConversionThresholds& thresholds, std::uint32_t pattern);

/// The codes of patterns first, first + 1, ...: one byte each, by runs.
void expand(const ConversionThresholds& thresholds, std::uint64_t first,
            std::span<std::uint8_t> codes);

/// fp32, bf16, fp16.
[[nodiscard]] std::vector<std::string> certificate_sources();
/// Every row of the format table that has certificates: these are stored.
[[nodiscard]] std::vector<std::string> stored_destinations();
/// Members of families of at most 8 bits that are no row of the table: P3109 K = 3..8, intN, uintN,
/// smN and expN. Their certificates are regenerated; the index holds their digests.
[[nodiscard]] std::vector<std::string> family_destinations(FormatCatalog& catalog);

}  // namespace mx::golden
