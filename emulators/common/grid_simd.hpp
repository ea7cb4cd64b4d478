// Numbers rounded to the multiples of a power of two, many at once and without a branch, which
// compilers turn into vector code: what blocks of codes under one exponent and fixed point share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulators/common/bit_rounding.hpp"

namespace mx::emulators {

/// Which multiple of the step: the nearest, ties to even; the same, but the last number below half
/// a step becomes the step; or the nearest after the number was rounded, ties to even, to 2^-21 of
/// the top binade, ties then to even or toward +infinity.
enum class GridRounding : std::uint8_t { kEven, kEvenSlip, kTwiceEven, kTwiceUp };

/// Multiples of 2^-kept P, P = 2^(top_field - 127), and their limits in the binade of P.
template <GridRounding kRounding>
class GridSimd {
  static constexpr bool kIsOnce =
      kRounding == GridRounding::kEven || kRounding == GridRounding::kEvenSlip;
  static constexpr int kMostKept = kIsOnce ? 15 : 10;
  /// A magnitude for each sign.
  struct BySign {
    std::int32_t positive = 0;
    std::int32_t negative = 0;
  };

 public:
  /// Are the step, its half and what lies just below that normal numbers, and are there lanes for
  /// so many bits?
  [[nodiscard]] static constexpr bool takes(int top_field, int kept) {
    return kept >= 0 && kept <= kMostKept && top_field - kept >= 3 && top_field <= 252;
  }

  GridSimd(int top_field, int kept)
      : kept_(kept),
        top_(static_cast<Bits>(top_field) << 23),
        step_(static_cast<std::int32_t>(top_ - (static_cast<Bits>(kept) << 23))) {
    const auto largest = static_cast<std::int32_t>(top_ | (0x7FFFFF & ~(unit() - 1)));
    const std::int32_t half = step_ - (1 << 23);
    most_ = {largest, largest};
    first_ = {half + 1, half + 1};
    // Half a step and half of 2^-21 P; below half a step the patterns stand twice as dense.
    const std::int32_t off = 4 << kept;
    if (kRounding == GridRounding::kTwiceEven) first_ = {half + off + 1, half + off + 1};
    if (kRounding == GridRounding::kTwiceUp) first_ = {half - 2 * off, half + off + 1};
  }

  /// The largest multiple below 2P.
  [[nodiscard]] Bits largest() const { return static_cast<Bits>(most_.positive); }

  /// The limit of negative numbers is -2P.
  void take_twice_the_power() { most_.negative = static_cast<std::int32_t>(top_ + (1U << 23)); }

  /// Negative numbers of this magnitude and more that become zero become -0.
  void keep_sign_from(Bits magnitude) { signed_from_ = static_cast<std::int32_t>(magnitude); }

  /// Once-rounded numbers as floor(x + 1/2), in steps and in binary32, finds them: the first number
  /// above half a step becomes 0, and zeros are negative where the sum is below one half.
  void add_one_half() {
    ++first_.positive;
    keep_sign_from(static_cast<Bits>(step_ - (26 << 23) + 1));
  }

  /// Of every number; infinities become the limits. False if there was a NaN, whose result is of no
  /// use.
  bool operator()(std::span<const Bits> x, std::span<Bits> out) const {
    if (kept_ <= 3) return run<2>(x, out);
    if (kept_ <= 7) return run<3>(x, out);
    return run<4>(x, out);
  }

 private:
  /// The step as a pattern's last place in the binade of P.
  [[nodiscard]] Bits unit() const { return Bits{1} << (23 - kept_); }

  template <int kShiftBits>
  bool run(std::span<const Bits> x, std::span<Bits> out) const {
    constexpr auto mask = [](bool yes) { return yes ? ~Bits{0} : 0; };
    constexpr auto chosen = [](const BySign& value, Bits is_negative) {
      const auto other = static_cast<Bits>(value.positive ^ value.negative);
      return static_cast<std::int32_t>(static_cast<Bits>(value.positive) ^ (other & is_negative));
    };
    const BySign most = most_, first = first_;
    const std::int32_t step = step_, signed_from = signed_from_;
    const std::int32_t slip = step_ - (1 << 23) - 1;
    const Bits top = top_, top_unit = unit();
    const int to_off = 22 - kept_;  // from a unit to the half of 2^-21 P
    const Bits* const in = x.data();
    Bits* const to = out.data();
    Bits nans = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Bits word = in[i], u = word & 0x7FFFFFFF;
      const auto magnitude = static_cast<std::int32_t>(u);
      const auto is_negative = static_cast<Bits>(static_cast<std::int32_t>(word) >> 31);
      // The step as the last place of this binade: the unit shifted by the binades below P.
      const Bits binades = top - (u & fp32::kInfinity);
      Bits unit = top_unit;
      for (int b = 0; b < kShiftBits; ++b) {
        const auto moves = static_cast<Bits>(static_cast<std::int32_t>(binades << (8 - b)) >> 31);
        unit ^= (unit ^ unit << (1 << b)) & moves;
      }
      const Bits is_even = mask((((u & 0x7FFFFF) | 0x800000) & unit) == 0);
      Bits rounded = 0;
      if constexpr (kIsOnce) {
        rounded = u + (unit >> 1) + is_even;
      } else {
        const Bits off = unit >> to_off;
        const Bits stays = kRounding == GridRounding::kTwiceEven ? is_even : is_negative;
        rounded = u + (unit >> 1) - off + stays + (2 * off & ~stays);
      }
      rounded &= 0 - unit;
      // From the limit on: 2P, a limit of negative numbers, has no unit in this binade.
      const std::int32_t limit = chosen(most, is_negative);
      const Bits over = mask(magnitude >= limit), under = mask(magnitude < step);
      Bits y = (rounded & ~under) | (static_cast<Bits>(step) & under);
      y = (y & ~over) | (static_cast<Bits>(limit) & over);
      y &= mask(magnitude >= chosen(first, is_negative));
      if constexpr (kRounding == GridRounding::kEvenSlip) {
        y |= static_cast<Bits>(step) & mask(magnitude == slip);
      }
      const Bits unsigned_zero = mask(y == 0) & mask(magnitude < signed_from);
      to[i] = y | (word & fp32::kSignBit & ~unsigned_zero);
      nans |= mask(magnitude > static_cast<std::int32_t>(fp32::kInfinity));
    }
    return nans == 0;
  }

  int kept_;
  Bits top_;
  std::int32_t step_;
  BySign most_;                            ///< this magnitude and larger ones become it
  BySign first_;                           ///< the smallest magnitude whose result is not zero
  std::int32_t signed_from_ = 0x7FFFFFFF;  ///< where negative zeros begin
};

}  // namespace mx::emulators
