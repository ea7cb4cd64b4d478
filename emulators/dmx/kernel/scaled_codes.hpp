// Codes of a scaled block without a division for each element.
#pragma once

#include <cstdint>

#include "emulators/dmx/kernel/kernels.hpp"

namespace mx::emulators::dmx {

/// code = XP(fl(x / c)) to nearest, for a normal c: by c's reciprocal where that is certain, by the
/// kernel where the quotient lies near a tie.
class ScaledCodes {
 public:
  ScaledCodes(const FixedKernel& kernel, std::int64_t precision, Bits c)
      : kernel_(kernel), c_(c), field_(exponent_field(c)) {
    const std::uint64_t significand = (c & kFraction) | kHidden;
    reciprocal_ = (std::uint64_t{1} << 48) / significand;
    // The reciprocal, the quotient and the sum with one half are each off by 2^-24 at most.
    doubt_ = std::uint64_t{1} << (11 + precision);
    usable_ = precision <= 14 && kernel.rounding == Rounding::kNearest && kernel.fraction == 0 &&
              kernel.machine.platform != Platform::kCuda && field_ >= 1 && field_ <= 254;
  }

  [[nodiscard]] bool usable() const { return usable_; }

  /// |code|, at most 2^(precision - 1).
  struct Code {
    std::uint32_t magnitude = 0;
    bool is_certain = false;
  };
  [[nodiscard]] Code operator()(Bits x) const {
    const int field = exponent_field(x);
    const std::uint64_t significand = (x & kFraction) | kHidden;
    const int shift = 16 - (field - field_);
    // The quotient with 32 bits behind the point.
    const std::uint64_t t = significand * reciprocal_ >> (shift < 63 ? shift : 63);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;
    const auto above_tie = static_cast<std::uint32_t>(t - kHalf + doubt_);
    const int is_clear = above_tie > 2 * doubt_ ? 1 : 0, is_seen = t > (1 << 16) ? 1 : 0;
    return {static_cast<std::uint32_t>((t + kHalf) >> 32),
            (is_clear & is_seen & (field != 0 ? 1 : 0)) != 0};
  }

  [[nodiscard]] Bits exact(Bits x, Words& words) const {
    return kernel_(divide(kernel_.machine, x, c_), words);
  }

 private:
  const FixedKernel& kernel_;
  Bits c_;
  int field_;
  bool usable_ = false;
  std::uint64_t reciprocal_ = 0;
  std::uint64_t doubt_ = 0;
};

}  // namespace mx::emulators::dmx
