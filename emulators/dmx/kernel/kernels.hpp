// The kernels of dmx on binary32 patterns, element by element: rules DX-R, DX-F, DX-X, DX-BK.
// spec S5.4, S4.2 to S4.4.
//
// Each stands once as the operations of the original on a machine, and once as integers for the
// usual cases; the tests compare the two.
#pragma once

#include "emulators/dmx/format/format.hpp"
#include "emulators/dmx/kernel/patterns.hpp"
#include "emulators/dmx/kernel/words.hpp"

namespace mx::emulators::dmx {

[[nodiscard]] constexpr BitRounding bit_rounding_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kUp:
      return BitRounding::kPlusOne;
    case Rounding::kDown:
      return BitRounding::kTruncate;
    case Rounding::kNearest:
      return BitRounding::kEven;
    case Rounding::kStochastic:
      return BitRounding::kStochastic;
  }
  return BitRounding::kEven;
}

/// DX-F.
struct FloatKernel {
  int exponent_bits = 8;
  int mantissa_bits = 23;
  int bias = 127;
  bool flush = true;
  BitRounding rounding = BitRounding::kEven;
  SoftMachine machine = {};

  [[nodiscard]] bool is_nearest() const { return rounding == BitRounding::kEven; }
  /// The exponent field of the smallest normal value.
  [[nodiscard]] int least_field() const { return 128 - bias; }

  /// On CUDA every element has a random word of its own, a flushed one too.
  [[nodiscard]] Bits operator()(Bits x, Words& words) const {
    const bool is_below = exponent_field(x) < least_field();
    const bool is_flushed = is_below && flush;
    const bool draws = rounding == BitRounding::kStochastic &&
                       (!is_flushed || machine.platform == Platform::kCuda);
    const Bits random = draws ? words.draw() : 0;
    if (is_flushed) return 0;
    return is_below ? below_normal(x, random) : normal(x, random);
  }

  [[nodiscard]] Bits normal(Bits x, Bits random) const {
    const Bits rounded = round_bits(x, mantissa_bits, rounding, random, machine.platform);
    return clip_float(rounded, x, exponent_bits, mantissa_bits);
  }

  /// As the original computes it: added to the smallest normal value, rounded, taken off again.
  [[nodiscard]] Bits below_normal_plain(Bits x, Bits random) const {
    const Bits shift = sign_of(x) | static_cast<Bits>(least_field()) << 23;
    const Bits sum = machine.add(x, shift);
    const Bits rounded = round_bits(sum, mantissa_bits, rounding, random, machine.platform);
    return machine.subtract(rounded, shift);
  }

  [[nodiscard]] Bits below_normal(Bits x, Bits random) const {
    const int least = least_field();
    const bool is_usual = mantissa_bits < 23 && rounding != BitRounding::kPlusOne && least < 254;
    if (!is_usual) return below_normal_plain(x, random);
    const int field = exponent_field(x);
    const Bits m = (x & kFraction) | (field != 0 ? kHidden : 0);
    const Bits steps = shift_ties_to_even(m, least - (field != 0 ? field : 1));
    const Bits base = static_cast<Bits>(least) << 23;
    const Bits rounded =
        round_bits(base + steps, mantissa_bits, rounding, random, machine.platform) - base;
    return rounded == 0 ? 0 : exact_pattern(sign_of(x), rounded, least - 127 - 23);
  }
};

/// DX-X: its limits, and one element.
struct FixedKernel {
  std::int64_t fraction = 0;
  Rounding rounding = Rounding::kNearest;
  bool clamp = true;
  Bits least = 0;
  Bits most = 0;
  SoftMachine machine = {};

  [[nodiscard]] static FixedKernel make(std::int64_t precision, std::int64_t fraction, bool clamp,
                                        bool symmetric, Rounding rounding, Platform platform);

  [[nodiscard]] Bits operator()(Bits x, Words& words) const {
    const Bits scaled_up = fraction == 0 && !fp32::is_nan(x) ? x : scaled(x, fraction);
    const Bits integer = rounded(scaled_up, words);
    const Bits value = fraction == 0 ? integer : scaled(integer, -fraction);
    if (!clamp) return value;
    if (is_below(most, value)) return most;
    return is_below(value, least) ? least : value;
  }

  /// The same for many.
  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const;

  /// To an integer.
  [[nodiscard]] Bits rounded(Bits a, Words& words) const;
};

/// One exponent for a block: what block_quantize() does to its elements. `word_length` counts
/// sign and magnitude bits.
struct BlockKernel {
  int word_length = 8;
  BitRounding rounding = BitRounding::kEven;
  bool symmetric = true;
  SoftMachine machine = {};

  /// `most` is the pattern of the largest magnitude, a NaN if there is one.
  void operator()(std::span<const Bits> x, Bits most, Words& words, std::span<Bits> out) const;

  /// As the original computes it. `power` is the pattern of the block's power of two.
  [[nodiscard]] Bits element_plain(Bits x, Bits power, Bits random) const;

  /// The asymmetric kernel rule of versions up to 0.1.10: another power for the element -max.
  [[nodiscard]] Bits power_for(Bits x, Bits most) const;
};

}  // namespace mx::emulators::dmx
