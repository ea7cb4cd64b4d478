#include "emulators/dmx/kernel/kernels.hpp"

#include "emulators/common/grid_simd.hpp"
#include "emulators/dmx/kernel/fixed_steps.hpp"
#include "reference/arithmetic/arithmetic.hpp"

namespace mx::emulators::dmx {
namespace {

constexpr Bits kHalf = 0x3F000000;

/// 2^exponent as binary64 holds it, which reaches down to 2^-1074 and up to 2^1023.
Unpacked wide_power(std::int64_t exponent) {
  if (exponent > 1023) return Unpacked{.cls = ValueClass::kInf};
  if (exponent < -1074) return {};
  return unpack_integer(false, 1, static_cast<int>(exponent));
}

Bits sum_with(Bits a, const Unpacked& b) {
  return fp32::round(exact_add(fp32::value(a), b, mx::Rounding::kTiesToEven).value);
}

/// A float whose magnitude is an integer or has bits behind the point: floor, and whether it was
/// an integer already. For |x| < 2^24.
struct Floor {
  std::int64_t value = 0;
  bool is_integer = false;
};

Floor floor_of(Bits x) {
  const int field = exponent_field(x);
  const auto m = static_cast<std::int64_t>((x & kFraction) | (field != 0 ? kHidden : 0));
  const int shift = 150 - (field != 0 ? field : 1);
  const bool negative = sign_of(x) != 0;
  if (shift <= 0) return {negative ? -(m << -shift) : m << -shift, true};
  if (shift > 24) return {negative && m != 0 ? -1 : 0, m == 0};
  const bool is_integer = (m & ((std::int64_t{1} << shift) - 1)) == 0;
  const std::int64_t magnitude = m >> shift;
  return {negative ? -magnitude - (is_integer ? 0 : 1) : magnitude, is_integer};
}

Bits pattern_of_integer(std::int64_t integer) {
  const Bits sign = integer < 0 ? fp32::kSignBit : 0;
  return exact_pattern(sign, static_cast<Bits>(integer < 0 ? -integer : integer), 0);
}

constexpr Bits kTwoTo24 = 0x4B800000;

/// RNE(sum - 1/2), the difference in binary64: the lower of two neighbours unless an integer, then
/// the even one of it and the one below.
Bits after_half(Bits sum) {
  if (magnitude_of(sum) >= kTwoTo24) return fp32::is_nan(sum) ? sum | kQuietBit : sum;
  const bool negative = sign_of(sum) != 0;
  // -1/2 - 2^-54 is a tie that goes to -1/2.
  constexpr Bits kTwoToMinus54 = 0x24800000;
  if (negative && magnitude_of(sum) <= kTwoToMinus54) return fp32::kSignBit;
  const auto [floor, is_integer] = floor_of(sum);
  const std::int64_t n = is_integer && (floor & 1) != 0 ? floor - 1 : floor;
  if (n != 0) return pattern_of_integer(n);
  return negative || magnitude_of(sum) < kHalf ? fp32::kSignBit : 0;
}

/// What after_half(a + 1/2) is, where the addition cannot change the answer but in two places:
/// the first value above 1/2, and negative values so small that the sum is 1/2.
Bits nearest_below_2_to_22(Bits a) {
  const Bits m = magnitude_of(a);
  if (m <= kHalf) {
    constexpr Bits kTwoToMinus26 = 0x32800000;
    return sign_of(a) != 0 && m > kTwoToMinus26 ? fp32::kSignBit : 0;
  }
  if (a == kHalf + 1) return 0;
  const Bits significand = (m & kFraction) | kHidden;
  return exact_pattern(sign_of(a), shift_ties_to_even(significand, 150 - exponent_field(m)), 0);
}

Bits nearest(Bits a, const SoftMachine& machine) {
  constexpr Bits kTwoTo22 = 0x4A800000;
  if (magnitude_of(a) < kTwoTo22) return nearest_below_2_to_22(a);
  return after_half(machine.add(a, kHalf));
}

/// CUDA's round().
Bits ties_to_away(Bits a) {
  const int field = exponent_field(a);
  if (field >= 150) return fp32::is_nan(a) ? made_nan(Platform::kCuda) : a;
  if (field < 126) return sign_of(a);
  const Bits significand = (a & kFraction) | kHidden;
  const int shift = 150 - field;
  return exact_pattern(sign_of(a), (significand + (Bits{1} << (shift - 1))) >> shift, 0);
}

Bits directed(Bits a, bool up, Platform platform) {
  if (fp32::is_nan(a)) return platform == Platform::kCuda ? made_nan(platform) : a | kQuietBit;
  if (exponent_field(a) >= 150) return a;
  const auto [floor, is_integer] = floor_of(a);
  const std::int64_t n = is_integer || !up ? floor : floor + 1;
  return n == 0 ? sign_of(a) : pattern_of_integer(n);
}

}  // namespace

FixedKernel FixedKernel::make(std::int64_t precision, std::int64_t fraction, bool clamp,
                              bool symmetric, Rounding rounding, Platform platform) {
  FixedKernel kernel{
      .fraction = fraction, .rounding = rounding, .clamp = clamp, .machine = SoftMachine{platform}};
  const Bits extreme = power_of_two(precision - fraction - 1);
  Unpacked step = wide_power(-fraction);
  kernel.least = extreme | fp32::kSignBit;
  if (symmetric) kernel.least = sum_with(kernel.least, step);
  step.negative = true;
  kernel.most = sum_with(extreme, step);
  return kernel;
}

void FixedKernel::operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
  // Limits that are integers of 1 to 23 bits, fractions far from binary32's ends.
  const auto limit = [&](Bits pattern) -> std::int32_t {
    const Bits integer = scaled(pattern, fraction);
    const int field = exponent_field(integer);
    if (fp32::is_nan(integer) || field < 127 || field > 127 + 22) return 0;
    const auto magnitude =
        static_cast<std::int32_t>(((integer & kFraction) | kHidden) >> (150 - field));
    return sign_of(integer) != 0 ? -magnitude : magnitude;
  };
  const bool has_limits = limit(most) > 0 && limit(least) < 0;
  if (fraction >= -60 && fraction <= 60 && machine.platform != Platform::kCuda &&
      (!clamp || has_limits)) {
    const FixedLimits limits{static_cast<int>(fraction), clamp, limit(most), limit(least)};
    const auto plain = [&](Bits value) { return (*this)(value, words); };
    if (run_fixed_steps<FixedResults::kPackage>(rounding, limits, x, plain, out)) return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = (*this)(x[i], words);
}

Bits FixedKernel::rounded(Bits a, Words& words) const {
  switch (rounding) {
    case Rounding::kNearest:
      return machine.platform == Platform::kCuda ? ties_to_away(a) : nearest(a, machine);
    case Rounding::kStochastic: {
      // A uniform value: a multiple of 2^-24 below 1.
      const Bits uniform = exact_pattern(0, words.draw() & 0xFFFFFF, -24);
      return after_half(machine.add(a, uniform));
    }
    case Rounding::kUp:
      return directed(a, true, machine.platform);
    case Rounding::kDown:
      return directed(a, false, machine.platform);
  }
  return a;
}

namespace {

/// RB() for word lengths beyond 23, where the original's shift counts leave their range: x86 and
/// AArch64 take them modulo 32; CUDA's give zero.
Bits round_beyond(Bits u, int kept, BitRounding mode, Bits random, Platform platform) {
  const auto bit = [platform](int count) -> Bits {
    if (count < 0 || count > 31) {
      return platform == Platform::kCuda ? 0 : Bits{1} << (static_cast<unsigned>(count) & 31);
    }
    return Bits{1} << count;
  };
  const auto up = [](Bits value, int count) {
    return value << (static_cast<unsigned>(count) & 31);
  };
  const Bits mask = bit(23 - kept) - 1;
  Bits increment = 0;
  switch (mode) {
    case BitRounding::kAway:
      increment = bit(22 - kept);
      break;
    case BitRounding::kEven: {
      increment = bit(22 - kept);
      const Bits low = up(u, 9 + kept) >> (static_cast<unsigned>(9 + kept) & 31);
      if (low == bit(22 - kept) && up(u, 8 + kept) >> 31 == 0) increment = 0;
      break;
    }
    case BitRounding::kTruncate:
      break;
    case BitRounding::kPlusOne:
      increment = bit(23 - kept);
      break;
    case BitRounding::kStochastic:
      increment = random & mask;
      break;
  }
  return (u + increment) & ~mask;
}

Bits round_block(Bits u, int kept, BitRounding mode, Bits random, Platform platform) {
  return kept <= 23 ? round_bits(u, kept, mode, random, platform)
                    : round_beyond(u, kept, mode, random, platform);
}

constexpr Bits kSix = 0x40C00000;

/// The usual blocks: power 2^-126 .. 2^125, word length 1..22. All in steps of 2^-21 of the power,
/// in which the base is 6 * 2^21.
struct StepKernel {
  int word_length;
  BitRounding rounding;
  int power_field;

  [[nodiscard]] Bits operator()(Bits x, Bits random) const {
    constexpr std::int32_t kBase = 6 << 21;
    constexpr std::int32_t kTop = 8 << 21;
    const int field = exponent_field(x);
    const Bits m = (x & kFraction) | (field != 0 ? kHidden : 0);
    const int shift = power_field - (field != 0 ? field : 1) + 2;
    const auto steps = static_cast<std::int32_t>(shift_ties_to_even(m, shift));
    const std::int32_t sum = kBase + (sign_of(x) != 0 ? -steps : steps);
    // At 8 times the power the sum's own steps double; every mode leaves a value to be clipped.
    const std::int32_t rounded = sum >= kTop ? sum : rounded_sum(sum, random);
    const std::int32_t value = rounded - kBase;
    const Bits magnitude = static_cast<Bits>(value < 0 ? -value : value);
    const Bits sign = value < 0 ? fp32::kSignBit : 0;
    if (magnitude >= Bits{2} << 21) return sign | largest();
    return magnitude == 0 ? 0 : exact_pattern(sign, magnitude, power_field - 127 - 21);
  }

  [[nodiscard]] std::int32_t rounded_sum(std::int32_t sum, Bits random) const {
    const int dropped = 23 - word_length;
    const Bits mask = (Bits{1} << dropped) - 1;
    const Bits half = Bits{1} << (dropped - 1);
    const Bits u = static_cast<Bits>(sum);
    Bits increment = 0;
    switch (rounding) {
      case BitRounding::kAway:
        increment = half;
        break;
      case BitRounding::kEven:
        increment = half - 1 + (u >> dropped & 1);
        break;
      case BitRounding::kTruncate:
        break;
      case BitRounding::kPlusOne:
        increment = mask + 1;
        break;
      case BitRounding::kStochastic:
        increment = random & mask;
        break;
    }
    return static_cast<std::int32_t>((u + increment) & ~mask);
  }

  [[nodiscard]] Bits largest() const {
    const int kept = word_length < 2 ? 0 : word_length - 2;
    return (static_cast<Bits>(power_field) << 23) | (((Bits{1} << kept) - 1) << (23 - kept));
  }
};

}  // namespace

Bits BlockKernel::element_plain(Bits x, Bits power, Bits random) const {
  const Bits base = machine.multiply(power, kSix);
  const Bits sum = machine.add(x, base);
  const Bits rounded = round_block(sum, word_length, rounding, random, machine.platform);
  return clip_block(machine.subtract(rounded, base), power, word_length);
}

Bits BlockKernel::power_for(Bits x, Bits most) const {
  Bits entry = most;
  if (!symmetric && !fp32::is_nan(most) && (most >> 16 << 25) == 0xFE000000 &&
      x == (most | fp32::kSignBit)) {
    entry = ((most >> 23) + 1) << 23;
  }
  return entry & fp32::kInfinity;
}

void BlockKernel::operator()(std::span<const Bits> x, Bits most, Words& words,
                             std::span<Bits> out) const {
  const bool draws = rounding == BitRounding::kStochastic;
  const Bits power = most & fp32::kInfinity;
  const int field = exponent_field(power);
  const bool is_usual = field >= 1 && field <= 252 && word_length >= 1 && word_length <= 22;
  if (!is_usual || !symmetric) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = element_plain(x[i], power_for(x[i], most), draws ? words.draw() : 0);
    }
    return;
  }
  using Lanes = GridSimd<GridRounding::kTwiceEven>;
  if (rounding == BitRounding::kEven && Lanes::takes(field, word_length - 2)) {
    Lanes(field, word_length - 2)(x, out);
    return;
  }
  const StepKernel kernel{word_length, rounding, field};
  if (draws) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = kernel(x[i], words.draw());
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = kernel(x[i], 0);
}

}  // namespace mx::emulators::dmx
