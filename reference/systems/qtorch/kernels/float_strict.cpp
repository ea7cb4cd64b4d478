#include <algorithm>

#include "reference/systems/qtorch/kernels/float_kernel.hpp"
#include "reference/systems/qtorch/kernels/pattern.hpp"

namespace mx::systems::qtorch {
namespace {

/// ST3, ST4: the largest finite magnitude and what lies beyond.
struct Range {
  Bits largest = 0;
  Bits beyond = 0;
};

/// (2 - 2^-man) * 2^top.
constexpr Bits largest_of(int top, std::int64_t man) {
  return static_cast<Bits>(127 + top) << 23 | (0x007FFFFF & ~((Bits{1} << (23 - man)) - 1));
}

Range range_of(const FloatCall& call) {
  if (call.exp == 4 && call.man == 3) return {0x43E00000, 0x43E00000};        // e4m3fn: 448
  if (call.exp == 5 && call.man == 2) return {0x47600000, 0x47600000};        // e5m2: 57344
  if (call.exp == 5 && call.man == 10) return {0x477FE000, fp32::kInfinity};  // binary16: 65504
  if (call.exp >= 8) return {fp32::kMax, fp32::kInfinity};  // what binary32 cannot hold is Inf
  const Bits largest = largest_of(1 << (call.exp - 1), call.man);
  return {largest, largest};
}

/// A format without its rounding.
class Format {
 public:
  explicit Format(const FloatCall& call)
      : man_(static_cast<int>(call.man)),
        mask_((Bits{1} << (23 - man_)) - 1),
        least_normal_(call.exp > 8 ? 0 : 129 - (1 << (call.exp - 1))),
        range_(range_of(call)) {}

  [[nodiscard]] Bits operator()(Bits x, Bits random, bool is_random) const {
    const Bits magnitude = magnitude_of(x);
    if (magnitude > fp32::kInfinity) return kQuietNan;
    if (magnitude == fp32::kInfinity) return sign_of(x) | range_.beyond;
    Bits rounded = 0;
    if (exponent_field(x) >= std::max(least_normal_, 1)) {
      rounded = pattern_rounded(magnitude, 23 - man_, random, is_random);
    } else if (least_normal_ == 0) {
      rounded = unbounded(magnitude, random, is_random);
    } else {
      rounded = below_normal(magnitude, random, is_random);
    }
    return sign_of(x) | (rounded > range_.largest ? range_.beyond : rounded);
  }

 private:
  static Bits pattern_rounded(Bits magnitude, int dropped, Bits random, bool is_random) {
    const Bits mask = (Bits{1} << dropped) - 1;
    if (is_random) return (magnitude + (random & mask)) & ~mask;
    const Bits below_half = mask >> 1;
    const Bits odd = dropped == 0 ? 0 : magnitude >> dropped & 1;
    return (magnitude + below_half + odd) & ~mask;
  }

  /// A binary32 subnormal in a format whose exponents go further down: man + 1 significant bits.
  [[nodiscard]] Bits unbounded(Bits magnitude, Bits random, bool is_random) const {
    const int dropped = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 1 - man_);
    // The leading discarded bits meet the leading random ones of the 23 - man.
    const Bits word = is_random ? (random & mask_) >> (23 - man_ - dropped) : 0;
    return pattern_rounded(magnitude, dropped, word, is_random);
  }

  [[nodiscard]] Bits below_normal(Bits magnitude, Bits random, bool is_random) const {
    const Parts parts = parts_of(magnitude);
    const int above = least_normal_ - parts.field;  // of the spacing 2^(emin - 23) over the value's
    if (!is_random) {
      const std::uint32_t count = shifted_to_even(parts.significand, above + 23 - man_);
      return assembled(count << (23 - man_), least_normal_);
    }
    const int bits = man_ == 23 ? 31 : 23 - man_;
    const int shift = above + 23 - man_ - bits;  // of the count of 2^-bits quanta
    const std::uint64_t significand = parts.significand;
    const std::uint64_t count = shift < 0    ? significand << -shift
                                : shift > 63 ? 0
                                             : significand >> shift;
    const std::uint64_t word = random & ((std::uint64_t{1} << bits) - 1);
    return assembled(static_cast<std::uint32_t>((count + word) >> bits) << (23 - man_),
                     least_normal_);
  }

  int man_;
  Bits mask_;
  int least_normal_;  ///< exponent field of 2^emin; 0 where every binary32 value is normal
  Range range_;
};

}  // namespace

void float_strict(const FloatCall& call, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results) {
  const Format format(call);
  if (call.rounding == Rounding::kStochastic) {
    for (std::size_t i = 0; i < values.size(); ++i) results[i] = format(values[i], random[i], true);
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) results[i] = format(values[i], 0, false);
}

}  // namespace mx::systems::qtorch
