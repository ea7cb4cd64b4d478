// Normal quotients by a scale, rounded to few bits and multiplied by it again, as binary32 does
// that: two ways for the lanes of one scale.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mx::systems::aimet {

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

/// Of types with few values in a binade: in each binade that begins at the scale times a power of
/// two the results rise at the same distances from its begin, by the same amounts.
class StepRounding {
 public:
  static constexpr int kMostMantissaBits = 2;

  StepRounding(std::uint32_t significand, int mantissa_bits) : begin_(significand) {
    from_.fill(0x7FFFFFFF);
    const std::uint64_t values = std::uint64_t{1} << mantissa_bits;
    std::uint64_t before = significand;
    for (std::uint64_t k = 0; k < values; ++k) {
      const std::uint64_t first = first_above(k, mantissa_bits);
      const std::uint64_t after = product(values + k + 1, mantissa_bits);
      from_[k] = static_cast<std::int32_t>(first - significand);
      rises_[k] = static_cast<std::uint32_t>(after - before);
      before = after;
    }
  }

  [[nodiscard]] RoundedLane operator()(std::uint32_t magnitude) const {
    const auto above = static_cast<std::int32_t>((magnitude - begin_) & 0x7FFFFF);
    std::uint32_t result = magnitude - static_cast<std::uint32_t>(above);
    for (std::size_t k = 0; k < from_.size(); ++k) {
      result += rises_[k] & lane_mask(above >= from_[k]);
    }
    return {static_cast<std::int32_t>(result), 0};
  }

 private:
  // Patterns here are those of numbers between the scale's significand and four times that, the
  // exponent field of the significand being 1.
  static constexpr int kHidden = 23;

  /// The first pattern whose quotient becomes a value beyond 1 + k / 2^mantissa_bits. Binary32
  /// rounds the exact quotient first, to even: half of its last place below the middle of two
  /// values is the middle, and rises where that does; half a place above it is still the middle.
  [[nodiscard]] std::uint64_t first_above(std::uint64_t k, int mantissa_bits) const {
    const bool rises = (k & 1) != 0;
    const std::uint64_t middle =
        (std::uint64_t{1} << 24) + ((2 * k + 1) << (kHidden - mantissa_bits));
    const std::uint64_t least = (rises ? middle - 1 : middle + 1) * begin_;
    const int binade = static_cast<int>(least >> 48);
    // An odd number times one of 24 bits: something lies below the pattern, so it is the next one.
    return pattern(binade, least >> (24 + binade)) + 1;
  }

  /// A value, count / 2^mantissa_bits, times the scale: rounded to even.
  [[nodiscard]] std::uint64_t product(std::uint64_t count, int mantissa_bits) const {
    const std::uint64_t exact = count * begin_ << 2;  // so that something is dropped
    const int binade = static_cast<int>(exact >> (26 + mantissa_bits));
    const int cut = mantissa_bits + 2 + binade;
    const std::uint64_t half_below = (std::uint64_t{1} << (cut - 1)) - 1;
    return pattern(binade, (exact + half_below + (exact >> cut & 1)) >> cut);
  }

  [[nodiscard]] static std::uint64_t pattern(int binade, std::uint64_t significand) {
    return (static_cast<std::uint64_t>(binade) << kHidden) + significand;
  }

  std::uint32_t begin_;
  std::array<std::int32_t, std::size_t{1} << kMostMantissaBits> from_{};
  std::array<std::uint32_t, std::size_t{1} << kMostMantissaBits> rises_{};
};

}  // namespace mx::systems::aimet
