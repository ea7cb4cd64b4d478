// fixed_point_quantize on patterns. spec S4.3 (rule QP-X), S2 (strict).
#pragma once

#include <cstdint>
#include <span>

#include "emulators/common/machine.hpp"
#include "emulators/qtorch/number.hpp"

namespace mx::emulators::qtorch {

/// `random` below holds one word an element where the rounding is stochastic: the uniform number
/// r = (word mod 2^24) * 2^-24. Words that are the outputs of a torch CPU generator give the r of
/// its rand_like().
struct FixedCall {
  std::int64_t wl = 0;
  std::int64_t fl = 0;
  bool clamp = true;
  bool symmetric = false;
  Rounding rounding = Rounding::kNearest;
};

/// The clamping limits as patterns, NaN where the rule makes one.
struct FixedLimits {
  Bits least = 0;
  Bits most = 0;
};

struct FixedResult {
  Bits value = 0;
  bool is_outside = false;  ///< the rounded value lay outside the limits: the mask
};

/// t_min and t_max of QP-X: each step in binary64, stored as binary32.
[[nodiscard]] FixedLimits limits_by_rule(const FixedCall& call, Platform platform);

/// Rule QP-X as it stands: binary32 operations of the platform.
[[nodiscard]] FixedResult fixed_by_rule(const FixedCall& call, Platform platform, Bits x,
                                        std::uint32_t random);

/// The same for many elements, by integer arithmetic alone where the values are ordinary. `outside`
/// is empty or receives a 1 for every value that was clamped.
void fixed_compat(const FixedCall& call, Platform platform, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results,
                  std::span<std::uint8_t> outside);

/// Strict: the nearest multiple of 2^-fl (ties to even, or toward -Inf for doc_literal), or
/// floor(x * 2^fl + r); then clamped to [-2^(wl-fl-1), 2^(wl-fl-1) - 2^-fl], the limits cut toward
/// zero where binary32 cannot hold them. Zeros are +0, every NaN is 7FC00000. wl >= 1.
void fixed_strict(const FixedCall& call, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results,
                  std::span<std::uint8_t> outside);

}  // namespace mx::emulators::qtorch
