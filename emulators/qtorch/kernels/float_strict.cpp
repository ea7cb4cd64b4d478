#include <algorithm>

#include "emulators/qtorch/kernels/float_kernel.hpp"
#include "emulators/qtorch/kernels/float_loop.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
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

/// A format and one of the two roundings.
template <bool kIsRandom>
class Format {
 public:
  explicit Format(const FloatCall& call)
      : man_(static_cast<int>(call.man)),
        least_normal_(call.exp > 8 ? 0 : 129 - (1 << (call.exp - 1))),
        range_(range_of(call)) {}

  [[nodiscard]] Bits least() const { return static_cast<Bits>(std::max(least_normal_, 1)) << 23; }

  [[nodiscard]] Bits normal(Bits x, Bits word) const {
    return finished(x, rounded(magnitude_of(x), 23 - man_, word));
  }

  [[nodiscard]] Bits below(Bits x, Bits word) const {
    const Bits magnitude = magnitude_of(x);
    return finished(x,
                    least_normal_ == 0 ? unbounded(magnitude, word) : subnormal(magnitude, word));
  }

 private:
  static Bits rounded(Bits magnitude, int dropped, Bits word) {
    const Bits mask = (Bits{1} << dropped) - 1;
    if constexpr (kIsRandom) return (magnitude + (word & mask)) & ~mask;
    const Bits odd = dropped == 0 ? 0 : magnitude >> dropped & 1;
    return (magnitude + (mask >> 1) + odd) & ~mask;
  }

  [[nodiscard]] Bits finished(Bits x, Bits magnitude) const {
    const Bits result = sign_of(x) | (magnitude > range_.largest ? range_.beyond : magnitude);
    return magnitude_of(x) > fp32::kInfinity ? kQuietNan : result;
  }

  /// A binary32 subnormal in a format whose exponents go further down: man + 1 significant bits.
  [[nodiscard]] Bits unbounded(Bits magnitude, Bits word) const {
    const int dropped = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 1 - man_);
    if (dropped > 23 - man_) return 0;  // a normal: not asked for
    // The leading discarded bits meet the leading random ones of the 23 - man.
    const Bits mask = (Bits{1} << (23 - man_)) - 1;
    return rounded(magnitude, dropped, (word & mask) >> (23 - man_ - dropped));
  }

  [[nodiscard]] Bits subnormal(Bits magnitude, Bits word) const {
    const Parts parts = parts_of(magnitude);
    // Of the spacing 2^(emin - 23) over the value's.
    const int above = std::max(least_normal_ - parts.field, 0);
    if constexpr (!kIsRandom) {
      const std::uint32_t count = shifted_to_even(parts.significand, above + 23 - man_);
      return assembled(count << (23 - man_), least_normal_);
    }
    const int bits = man_ == 23 ? 31 : 23 - man_;
    const int shift = above + 23 - man_ - bits;  // of the count of 2^-bits quanta
    const std::uint64_t significand = parts.significand;
    const std::uint64_t count =
        shift < 0 ? significand << -shift : significand >> std::min(shift, 63);
    const std::uint64_t random = word & ((std::uint64_t{1} << bits) - 1);
    return assembled(static_cast<std::uint32_t>((count + random) >> bits) << (23 - man_),
                     least_normal_);
  }

  int man_;
  int least_normal_;  ///< exponent field of 2^emin; 0 where every binary32 value is normal
  Range range_;
};

}  // namespace

void float_strict(const FloatCall& call, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results) {
  if (call.rounding == Rounding::kStochastic) {
    const Format<true> format(call);
    const auto word = [&](std::size_t i) { return random[i]; };
    return quantize_floats(format, values, word, results);
  }
  const Format<false> format(call);
  quantize_steps<Unsigned::kNans>(format, 0, static_cast<int>(call.man) + 1, values, results);
}

}  // namespace mx::emulators::qtorch
