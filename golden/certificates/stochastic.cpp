#include "golden/certificates/stochastic.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "reference/number/unpacked.hpp"

namespace mx::golden {
namespace {

const ThresholdSet& plain_set(const ThresholdCertificate& certificate) {
  return certificate.set_of(Staging::kNone);
}

const std::vector<std::uint32_t>& ladder(const ThresholdCertificate& certificate, LadderKind kind) {
  return plain_set(certificate).ladders[static_cast<std::size_t>(kind)].thresholds;
}

/// The magnitude of a rank as the destination decodes it, where rank and code agree in value.
Unpacked rank_value(const ThresholdCertificate& certificate, std::uint32_t rank) {
  const std::size_t sign = rank < certificate.codes[0].size() ? 0 : 1;
  return decode(certificate.destination, certificate.codes[sign][rank]);
}

/// An exact value in units of 2^exponent; requires that it is a whole number of them below 2^64.
std::uint64_t in_units(const Unpacked& value, int exponent) {
  if (value.cls == ValueClass::kZero) return 0;
  const int shift = exponent - (value.exponent - 63);
  if (shift < 0 || shift > 63 || (value.significand >> shift) << shift != value.significand) {
    throw std::logic_error("a value that is no multiple of the unit");
  }
  return value.significand >> shift;
}

/// log2 of the gap above a rank. Ranks of hidden subnormals decode to zero, but lie on their grid.
struct RankGap {
  std::uint64_t lower;  ///< in units of 2^exponent; the next rank is one more
  int exponent;
};

RankGap gap_above(const ThresholdCertificate& certificate, std::uint32_t rank) {
  const ElementFormat& f = certificate.destination;
  if (f.is_fixed()) return {rank, -f.frac_bits};
  if (f.kind == FormatKind::kFloat && f.zero != ZeroKind::kNone &&
      rank < std::uint32_t{1} << f.man_bits) {
    return {rank, f.emin() - f.man_bits};
  }
  const Unpacked low = rank_value(certificate, rank);
  if (f.kind == FormatKind::kFloat) {
    const int exponent = low.exponent - f.man_bits;
    return {in_units(low, exponent), exponent};
  }
  // Tapered: from zero to the smallest value, else a power of two between neighbours; the last gap
  // is as wide as the one below, or twice that where the largest value starts its binade.
  if (low.cls == ValueClass::kZero) return {0, rank_value(certificate, rank + 1).exponent};
  const bool is_last = rank + 1 == certificate.codes[0].size();
  const Unpacked high = is_last ? low : rank_value(certificate, rank + 1);
  const Unpacked below = is_last ? rank_value(certificate, rank - 1) : low;
  const std::uint64_t difference =
      high.significand - (below.significand >> (high.exponent - below.exponent));
  const bool doubles = is_last && high.significand << 1 == 0;
  const int exponent = high.exponent - 63 + std::countr_zero(difference) + (doubles ? 1 : 0);
  return {in_units(low, exponent), exponent};
}

bool holds(const ThresholdCertificate& certificate, std::uint32_t pattern, const RankGap& gap) {
  return pattern < certificate.source.inf_code() &&
         compare_magnitude(decode(certificate.source, pattern),
                           unpack_integer(false, gap.lower, gap.exponent)) == 0;
}

/// (x - lower) / 2^exponent as a reduced fraction.
GapPosition by_value(const Unpacked& x, const RankGap& gap, std::uint32_t rank) {
  GapPosition position{.rank = rank};
  if (x.cls == ValueClass::kZero) return position;
  const int zeros = std::countr_zero(x.significand);
  const int exponent = x.exponent - 63 + zeros;   // x = (significand >> zeros) * 2^exponent
  if (exponent >= gap.exponent) return position;  // a whole number of gaps: on the rank
  position.bits = gap.exponent - exponent;
  position.numerator = x.significand >> zeros;
  if (position.bits < 64) position.numerator -= gap.lower << position.bits;
  return position;
}

/// floor(numerator * 2^shift / 2^bits) of a fraction below 1.
std::uint64_t floor_of(std::uint64_t numerator, int bits, int shift) {
  if (shift >= bits) return numerator << (shift - bits);
  return bits - shift > 63 ? 0 : numerator >> (bits - shift);
}

/// Is the fraction exactly floor_of() / 2^shift?
bool is_exact(std::uint64_t numerator, int bits, int shift) {
  if (numerator == 0 || shift >= bits) return true;
  return std::countr_zero(numerator) >= bits - shift;
}

/// What becomes of a finite nonzero magnitude before anything is rounded.
enum class Early : std::uint8_t { kNo, kZeroInput, kFlushed };

Early early(const ThresholdCertificate& certificate, const ElementPolicy& policy,
            std::uint32_t magnitude) {
  const bool subnormal = magnitude <= certificate.source.man_mask();
  if (magnitude == 0 || (policy.src_ftz == SourceSubnormals::kFlush && subnormal)) {
    return Early::kZeroInput;
  }
  const bool flushes = policy.dst_ftz == ResultSubnormals::kFlushBeforeRounding;
  return flushes && magnitude < plain_set(certificate).first_normal ? Early::kFlushed : Early::kNo;
}

std::uint32_t magnitude_of(const ThresholdCertificate& certificate, std::uint32_t pattern) {
  return static_cast<std::uint32_t>(pattern & certificate.source.magnitude_mask());
}

/// Below the smallest value of a format without zero everything has the smallest code; only the
/// sign rule of unsigned formats looks at the grid there. Nothing of a position is left then.
bool below_smallest(const ThresholdCertificate& certificate, std::uint32_t magnitude) {
  return certificate.destination.zero == ZeroKind::kNone &&
         compare_magnitude(decode(certificate.source, magnitude), rank_value(certificate, 0)) < 0;
}

void require_plain(const ThresholdCertificate& certificate, const ElementPolicy& policy) {
  if (!is_stochastic(policy.rounding)) throw std::invalid_argument("not a stochastic rounding");
  if (&certificate.set_of(policy.staging) != &plain_set(certificate)) {
    throw std::invalid_argument("a staging changes the fraction that the random word meets");
  }
}

}  // namespace

GapPosition position_of(const ThresholdCertificate& certificate, std::uint32_t magnitude) {
  const std::vector<std::uint32_t>& tz = ladder(certificate, LadderKind::kTz);
  const auto next = std::ranges::upper_bound(tz, magnitude);
  const auto rank = static_cast<std::uint32_t>(next - tz.begin() - 1);
  if (rank + 1 == tz.size()) return {.rank = rank, .beyond = true};
  const RankGap gap = gap_above(certificate, rank);
  const RankGap end{gap.lower + 1, gap.exponent};
  if (rank >= 1 && holds(certificate, tz[rank], gap) && holds(certificate, tz[rank + 1], end)) {
    const std::uint32_t width = tz[rank + 1] - tz[rank];
    return {rank, false, magnitude - tz[rank], std::countr_zero(width)};
  }
  if (below_smallest(certificate, magnitude)) return {.rank = 0};
  return by_value(decode(certificate.source, magnitude), gap, rank);
}

std::uint64_t acceptance_count(Rounding variant, int random_bits, std::uint64_t numerator,
                               int bits) {
  const std::uint64_t low = floor_of(numerator, bits, random_bits);
  const bool half = (floor_of(numerator, bits, random_bits + 1) & 1) != 0;
  const bool is_tie = half && is_exact(numerator, bits, random_bits + 1);
  switch (variant) {
    case Rounding::kStochasticA:
      return low;
    case Rounding::kStochasticB:
      return low + (half ? 1 : 0);
    case Rounding::kStochasticC:
      return low + (half && (!is_tie || (low & 1) != 0) ? 1 : 0);
    case Rounding::kStochasticCOdd:
      return low + (half && (!is_tie || (low & 1) == 0) ? 1 : 0);
    default:
      throw std::invalid_argument("not a stochastic rounding");
  }
}

std::uint64_t first_word_up(const ThresholdCertificate& certificate, const ElementPolicy& policy,
                            std::uint32_t pattern) {
  require_plain(certificate, policy);
  const std::uint64_t all = std::uint64_t{1} << policy.random_bits;
  const std::uint32_t magnitude = magnitude_of(certificate, pattern);
  if (magnitude >= certificate.source.inf_code()) return all;
  if (early(certificate, policy, magnitude) != Early::kNo) return all;
  const GapPosition position = position_of(certificate, magnitude);
  if (position.beyond) return all;
  return all -
         acceptance_count(policy.rounding, policy.random_bits, position.numerator, position.bits);
}

std::uint8_t stochastic_code(const ThresholdCertificate& certificate, const ElementPolicy& policy,
                             std::uint32_t pattern, std::uint32_t random) {
  require_plain(certificate, policy);
  // Where the word has no say, and on a rank itself, any rounding that is not directed inward gives
  // the code: overflow and infinity look at nothing else of the rounding.
  ElementPolicy nearest = policy;
  nearest.rounding = Rounding::kTiesToEven;
  const std::uint32_t magnitude = magnitude_of(certificate, pattern);
  const bool negative = magnitude != pattern;
  const bool is_rounded = magnitude < certificate.source.inf_code() &&
                          early(certificate, policy, magnitude) == Early::kNo;
  const ElementFormat& f = certificate.destination;
  const bool below_zero =
      negative && !f.is_signed && policy.unsigned_negative == UnsignedNegative::kSaturateRule;
  if (is_rounded && below_zero && below_smallest(certificate, magnitude)) {
    throw std::invalid_argument("the grid below the smallest value is not part of this function");
  }
  const bool is_moot = negative && !f.is_signed &&
                       policy.unsigned_negative != UnsignedNegative::kMagnitude && !below_zero;
  if (!is_rounded || is_moot) return code_of(conversion_thresholds(certificate, nearest), pattern);

  const GapPosition position = position_of(certificate, magnitude);
  const std::uint64_t word = first_word_up(certificate, policy, pattern);
  const std::uint32_t rank = position.rank + (!position.beyond && random >= word ? 1 : 0);
  const std::size_t sign = negative && (f.is_signed || below_zero) ? 1 : 0;
  const auto zero_sign = static_cast<std::size_t>(policy.zero_sign);
  if (rank < certificate.first_kept[certified_index(policy.dst_ftz)]) {
    return certificate.special.underflow[zero_sign][sign];
  }
  const auto int_min = static_cast<std::size_t>(policy.int_min);
  if (below_zero || rank > certificate.top[sign][int_min]) {
    return certificate.special.overflow[certified_index(policy.overflow)][int_min]
                                       [certified_index(nearest.rounding)][sign];
  }
  return certificate.codes[sign][rank];
}

}  // namespace mx::golden
