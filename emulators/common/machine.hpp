// The arithmetic that the emulated systems run on: binary32 operations of a platform, on patterns.
// Kernels are templates over a machine, so that one text is computed by integers (this one, which
// makes every golden) or by the host's own floating point (a bulk path, compared with this one).
#pragma once

#include <cstdint>

#include "reference/arithmetic/fp32.hpp"
#include "reference/casts/setting.hpp"

namespace mx::emulators {

using fp32::Bits;

/// What an operation without a real result gives: 0/0, Inf - Inf, 0 * Inf.
[[nodiscard]] constexpr Bits made_nan(Platform platform) {
  switch (platform) {
    case Platform::kX86:
      return 0xFFC00000;
    case Platform::kAarch64:
      return 0x7FC00000;
    case Platform::kCuda:
      return 0x7FFFFFFF;
  }
  return 0x7FC00000;
}

/// binary32 by integers; every operation rounds once, ties to even, subnormals kept.
struct SoftMachine {
  Platform platform = Platform::kX86;

  [[nodiscard]] Bits add(Bits a, Bits b) const { return finish(a, b, fp32::add(a, b)); }
  [[nodiscard]] Bits subtract(Bits a, Bits b) const { return finish(a, b, fp32::subtract(a, b)); }
  [[nodiscard]] Bits multiply(Bits a, Bits b) const { return finish(a, b, fp32::multiply(a, b)); }
  [[nodiscard]] Bits divide(Bits a, Bits b) const { return finish(a, b, fp32::divide(a, b)); }

 private:
  /// A NaN operand keeps its sign and payload, quieted, the first one first; on CUDA every NaN is
  /// the same.
  [[nodiscard]] Bits finish(Bits a, Bits b, Bits result) const {
    if (!fp32::is_nan(result)) return result;
    if (platform != Platform::kCuda) {
      if (fp32::is_nan(a)) return a | 0x00400000;
      if (fp32::is_nan(b)) return b | 0x00400000;
    }
    return made_nan(platform);
  }
};

}  // namespace mx::emulators
