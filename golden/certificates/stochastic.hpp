// Stochastic roundings by certificate: how many of the 2^N random words move a value up
// (spec V5.6). The words that do are the last ones: R* and above.
#pragma once

#include <cstdint>

#include "golden/certificates/certificate.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// Where a finite magnitude lies: on or above a rank, at the fraction numerator / 2^bits of the gap
/// to the next.
struct GapPosition {
  std::uint32_t rank = 0;
  bool beyond = false;  ///< at or above the end of the ladder: the fraction means nothing
  std::uint64_t numerator = 0;
  int bits = 0;
};

/// Position of a magnitude pattern below that of +Inf. Between two values that the source holds it
/// is (u - TZ_k) / (TZ_(k+1) - TZ_k), by the thresholds alone; elsewhere by the values.
[[nodiscard]] GapPosition position_of(const ThresholdCertificate& certificate,
                                      std::uint32_t magnitude);

/// The number of random words R < 2^random_bits that round the fraction up, 0 .. 2^N, for N in
/// 1..32. R* is 2^N less that.
[[nodiscard]] std::uint64_t acceptance_count(Rounding variant, int random_bits,
                                             std::uint64_t numerator, int bits);

/// R* of a source pattern: the first word that moves its magnitude up; 2^N where none does (exact
/// values, overflows, infinities, NaN, values that never reach rounding).
[[nodiscard]] std::uint64_t first_word_up(const ThresholdCertificate& certificate,
                                          const ElementPolicy& policy, std::uint32_t pattern);

/// The code of a source pattern under a stochastic rounding with random word R. Requires
/// staging = none or one that holds every source value: the fraction is that of the source value.
[[nodiscard]] std::uint8_t stochastic_code(const ThresholdCertificate& certificate,
                                           const ElementPolicy& policy, std::uint32_t pattern,
                                           std::uint32_t random);

}  // namespace mx::golden
