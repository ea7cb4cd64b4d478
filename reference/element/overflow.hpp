// What stands at the ends of a format's range, and what overflow and NaN become there.
#pragma once

#include <cstdint>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// The extreme finite code of a sign: M_hi or M_lo. For unsigned formats M_lo is code 0; for two's
/// complement it is -max unless int_min allows one more.
[[nodiscard]] inline std::uint64_t extreme_code(const ElementFormat& f, bool negative,
                                                IntMin int_min = IntMin::kClampSymmetric) {
  if (!negative) return f.max_code;
  if (!f.is_signed) return 0;
  if (f.kind != FormatKind::kTwosComplement) return f.max_code | f.sign_bit();
  return int_min == IntMin::kAllow ? f.sign_bit() : (~f.max_code + 1) & f.code_mask();
}

/// The code of a NaN input: spec F10.3.
[[nodiscard]] std::uint64_t nan_code(const ElementFormat& f, NanPolicy policy, bool negative);

/// The code of a value beyond the range, or of an infinity (is_infinite): spec F10.1.
/// For unsigned formats a negative value arrives here only under saturate_rule.
[[nodiscard]] std::uint64_t overflow_code(const ElementFormat& f, const ElementPolicy& policy,
                                          bool negative, bool is_infinite);

}  // namespace mx
