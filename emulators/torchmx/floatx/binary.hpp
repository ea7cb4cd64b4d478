// binary32 and binary64 words by their fields, for hp_to_floatx.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::torchmx {

template <typename WordType, int kMantissaBits, int kExponentBits>
struct Binary {
  using Word = WordType;
  static constexpr int kMantissa = kMantissaBits;
  static constexpr int kExponent = kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kTopField = (1 << kExponentBits) - 1;
  static constexpr Word kSign = Word{1} << (kMantissaBits + kExponentBits);
  static constexpr Word kHidden = Word{1} << kMantissaBits;
  static constexpr Word kInfinity = Word{kTopField} << kMantissaBits;
  static constexpr Word kNan = kInfinity | kHidden >> 1;
  static constexpr int kLeastExponent = 1 - kBias;  ///< of normal numbers

  [[nodiscard]] static constexpr bool is_nan(Word x) { return (x & ~kSign) > kInfinity; }
  [[nodiscard]] static constexpr bool is_infinite(Word x) { return (x & ~kSign) == kInfinity; }

  /// Of a positive finite number.
  [[nodiscard]] static constexpr int floor_exponent(Word magnitude) {
    if (magnitude >= kHidden) return static_cast<int>(magnitude >> kMantissa) - kBias;
    return static_cast<int>(std::bit_width(magnitude)) - 1 + kLeastExponent - kMantissa;
  }

  /// 2^exponent, rounded: an infinity above the range, 0 below half the smallest number.
  [[nodiscard]] static constexpr Word power_of_two(int exponent) {
    if (exponent > kBias) return kInfinity;
    if (exponent >= kLeastExponent) return static_cast<Word>(exponent + kBias) << kMantissa;
    const int shift = exponent - (kLeastExponent - kMantissa);
    return shift < 0 ? 0 : Word{1} << shift;
  }

  /// floor(fl(log2 x)) of a positive finite number, where the rounded logarithm reaches the next
  /// whole number k for the N(k) largest values below 2^k: spec S3.3.
  [[nodiscard]] static constexpr int log2_exponent(Word magnitude) {
    const int exponent = floor_exponent(magnitude);
    const int k = exponent + 1;
    const Word distance = (k > kBias ? kInfinity : power_of_two(k)) - magnitude;
    return distance <= misread_below(k) ? k : exponent;
  }

  /// No N(k) is larger.
  static constexpr Word kMostMisread = kMantissaBits == 23 ? 44 : 709;

  /// N(k).
  [[nodiscard]] static constexpr Word misread_below(int k) {
    // floor(ln 2 * 2^j)
    constexpr std::array<Word, 11> kCounts = {0, 1, 2, 5, 11, 22, 44, 88, 177, 354, 709};
    if (k == 0 || k == 1) return 0;
    const auto size = static_cast<unsigned>(k > 0 ? k - 1 : -k);
    const Word count = kCounts[static_cast<std::size_t>(std::bit_width(size)) - 1];
    const int below = kLeastExponent + 1 - k;
    return below <= 0 ? count : below > 16 ? Word{0} : count >> below;
  }
};

using Binary32 = Binary<std::uint32_t, 23, 8>;
using Binary64 = Binary<std::uint64_t, 52, 11>;

template <typename B>
[[nodiscard]] constexpr const ElementFormat& format_of_binary() {
  if constexpr (B::kMantissa == 23) {
    return formats::fp32;
  } else {
    return formats::fp64;
  }
}

}  // namespace mx::emulators::torchmx
