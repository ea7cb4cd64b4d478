// One step of NVIDIA's units: spec U1, steps 2 to 6.
#include "reference/element/encode.hpp"
#include "reference/unit/terms.hpp"

namespace mx::unit {
namespace {

/// sum * 2^last toward zero, or to the nearest binary16; a result of zero is +0.
std::uint64_t rounded(const UnitConfig& config, std::int64_t sum, int last) {
  const bool is_fp16 = config.result == formats::fp16;
  ElementPolicy policy;
  policy.rounding = is_fp16 ? Rounding::kTiesToEven : Rounding::kTowardZero;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.zero_sign = ZeroSign::kFlushPositive;
  const ElementFormat& format = is_fp16 ? formats::fp16 : config.unit.sum32;
  const Unpacked exact = unpack_signed(sum, last);
  // Truncated sums overflow to infinity too, not to the largest number.
  if (exact.exponent > format.emax()) {
    return config.result.inf_code() | (exact.negative ? config.result.sign_bit() : 0);
  }
  return encode(exact, format, policy, 0).code << (config.result.bits - format.bits);
}

}  // namespace

std::uint64_t add_terms(const UnitConfig& config, const Terms& terms) {
  if (terms.is_special()) return special_code(config, terms);
  if (terms.numbers.empty()) return 0;
  int top = *largest_exponent(terms);
  const std::optional<int> zero =
      config.result == formats::fp16 ? config.unit.zero_exponent16 : config.unit.zero_exponent32;
  if (terms.has_zero && zero) top = std::max(top, *zero);
  const int last = top - config.unit.fraction_bits;
  std::int64_t sum = 0;
  for (const Term& term : terms.numbers) sum += cut_toward_zero(term, last);
  return sum == 0 ? 0 : rounded(config, sum, last);
}

}  // namespace mx::unit
