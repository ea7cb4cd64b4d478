// float_quantize on patterns. spec S4.2 (rule QP-F), S2 (strict).
#pragma once

#include <cstdint>
#include <span>

#include "emulators/common/machine.hpp"
#include "emulators/qtorch/number.hpp"

namespace mx::emulators::qtorch {

/// A float format and its rounding. `random` below holds one word an element where the rounding is
/// stochastic; its low 23 - man bits are read.
struct FloatCall {
  std::int64_t exp = 0;
  std::int64_t man = 0;
  Rounding rounding = Rounding::kNearest;
};

/// Rule QP-F as it stands: additions in the platform's binary32, RB, clipping by pattern. Any
/// parameters: the shifts are the platform's.
[[nodiscard]] Bits float_by_rule(const FloatCall& call, Platform platform, Bits x, Bits random);

/// The same for many elements, by integer arithmetic alone where the parameters are ordinary.
void float_compat(const FloatCall& call, Platform platform, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results);

/// Strict: x rounded once into the format that the parameters name (ST3), ties to even or
/// stochastic; the sign of zero stays, every NaN becomes 7FC00000. 1 <= exp, 0 <= man <= 23.
/// Stochastic: the leading 23 - man discarded bits carry with as many random ones (31 at man 23,
/// where only results below the smallest normal have any).
void float_strict(const FloatCall& call, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results);

}  // namespace mx::emulators::qtorch
