// Normal quotients by a scale, rounded to few bits and multiplied by it again, as binary32 does
// that: two ways for the lanes of one scale.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mx::emulators::aimet {

/// All ones or none, as compilers like to make masks of lanes.
constexpr std::uint32_t lane_mask(bool yes) { return yes ? ~std::uint32_t{0} : 0; }

/// A result as a pattern, and all ones where it may be wrong.
struct RoundedLane {
  std::int32_t result = 0;
  std::uint32_t doubt = 0;
};

/// The quotient by the scale's reciprocal, its rounding and the product. kWide: for more than 6
/// mantissa bits.
template <bool kWide>
class QuotientRounding {
 public:
  QuotientRounding(std::uint32_t significand, int mantissa_bits)
      : mantissa_bits_(mantissa_bits),
        significand_(significand),
        reciprocal_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>((std::uint64_t{1} << 55) / significand, 0xFFFFFFFF))) {}

  [[nodiscard]] RoundedLane operator()(std::uint32_t magnitude) const {
    // Quotients have 31 bits, of which binary32 would keep 24, and may be short by 3: what lies so
    // near to a tie of the type that either matters is doubtful.
    constexpr std::uint32_t kAround = 64 + 4;
    const int m = mantissa_bits_, dropped = 30 - m;
    const std::uint32_t half = std::uint32_t{1} << (dropped - 1), rest = 2 * half - 1;
    // The quotient of the significands, doubled where it is below 1. (GCC 12 makes vector code of
    // the upper half of a product as long as nothing but shifts and unsigned arithmetic uses it.)
    const std::uint32_t numerator = ((magnitude & 0x7FFFFF) | 0x800000) << 7;
    const auto cut = static_cast<std::uint32_t>(std::uint64_t{numerator} * reciprocal_ >> 32);
    const std::uint32_t below = (cut >> 30) - 1;  // 0 or -1
    const std::uint32_t quotient = cut + (cut & below);
    const std::uint32_t kept = (quotient + half) >> dropped;
    const auto from_tie = static_cast<std::int32_t>((quotient - (half - kAround)) & rest);
    // Times the scale: 30 or 31 bits, what lies below them joined to the last one.
    std::uint32_t product = 0;
    if constexpr (kWide) {
      const std::uint64_t wide = std::uint64_t{kept << (30 - m)} * (significand_ << 8);
      const std::uint32_t lost = kept * significand_ & ((1U << (m - 6)) - 1);
      product = static_cast<std::uint32_t>(wide >> 32) | (lost + ((1U << (m - 6)) - 1)) >> (m - 6);
    } else {
      product = (kept << (6 - m)) * significand_;
    }
    const std::uint32_t short_by_one = (product >> 30) - 1;
    const std::uint32_t normal = product + (product & short_by_one);
    const std::uint32_t rounded = (normal + 63 + (normal >> 7 & 1)) >> 7;
    const std::uint32_t result =
        (magnitude & 0x7F800000) + ((short_by_one + below) << 23) + rounded;
    return {static_cast<std::int32_t>(result),
            lane_mask(from_tie <= static_cast<std::int32_t>(2 * kAround))};
  }

 private:
  int mantissa_bits_;
  std::uint32_t significand_;
  std::uint32_t reciprocal_;  ///< 2^55 / significand, cut
};

// Steps: of types with few values in a binade. In each binade that begins at the scale times a
// power of two the results rise at the same distances from its begin, by the same amounts. Patterns
// here are those of numbers between the scale's significand, `begin`, and four times that; the
// exponent field of the significand is 1.

/// The first pattern whose quotient becomes a value beyond 1 + k / 2^kMantissaBits. Binary32 rounds
/// the exact quotient first, to even: half of its last place below the middle of two values is the
/// middle, and rises where that does; half a place above it is still the middle.
template <int kMantissaBits>
[[nodiscard]] constexpr std::uint32_t first_step(std::uint32_t begin, std::size_t k) {
  const bool rises = (k & 1) != 0;
  const auto middle =
      (std::uint32_t{1} << 24) + static_cast<std::uint32_t>((2 * k + 1) << (23 - kMantissaBits));
  const std::uint64_t least = std::uint64_t{rises ? middle - 1 : middle + 1} * begin;
  const std::uint64_t binade = least >> 48;  // 0 or 1
  // An odd number times one of 24 bits: something lies below the pattern, so it is the next one.
  return static_cast<std::uint32_t>((binade << 23) + (least >> 24 >> binade) + 1);
}

/// A value, count / 2^kMantissaBits of 1..2, times the scale: rounded to even.
template <int kMantissaBits>
[[nodiscard]] constexpr std::uint32_t step_product(std::uint32_t begin, std::uint32_t count) {
  const std::uint32_t exact = count * begin << 2;  // so that something is dropped
  const std::uint32_t binade = exact >> (26 + kMantissaBits);
  const std::uint32_t cut = kMantissaBits + 2 + binade;
  const std::uint32_t half_below = (std::uint32_t{1} << (cut - 1)) - 1;
  return (binade << 23) + ((exact + half_below + (exact >> cut & 1)) >> cut);
}

template <int kMantissaBits>
class StepRounding {
 public:
  explicit StepRounding(std::uint32_t significand) : begin_(significand) {
    for (std::size_t k = 0; k < kSteps; ++k) {
      const auto count = static_cast<std::uint32_t>(kSteps + k);
      from_[k] = static_cast<std::int32_t>(first_step<kMantissaBits>(begin_, k) - begin_);
      rises_[k] = step_product<kMantissaBits>(begin_, count + 1) -
                  step_product<kMantissaBits>(begin_, count);
    }
  }

  [[nodiscard]] RoundedLane operator()(std::uint32_t magnitude) const {
    const auto above = static_cast<std::int32_t>((magnitude - begin_) & 0x7FFFFF);
    std::uint32_t result = magnitude - static_cast<std::uint32_t>(above);
    for (std::size_t k = 0; k < kSteps; ++k) result += rises_[k] & lane_mask(above >= from_[k]);
    return {static_cast<std::int32_t>(result), 0};
  }

 private:
  static constexpr std::size_t kSteps = std::size_t{1} << kMantissaBits;

  std::uint32_t begin_;
  std::array<std::int32_t, kSteps> from_{};
  std::array<std::uint32_t, kSteps> rises_{};
};

}  // namespace mx::emulators::aimet
