// Strict: the documented numerics. A number is rounded once, exactly, to the element's grid in the
// documented mode; only then come the maximum and the flush of subnormal results. spec S2, ST1 to
// ST7.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulators/microxcaling/kernels/element_config.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

class ExactElement {
 public:
  /// What a number beyond the largest one becomes.
  enum class Beyond : std::uint8_t { kLargest, kInfinity, kNan };

  explicit ExactElement(const ElementConfig& config)
      : round_(config.round),
        is_integer_(config.is_integer()),
        allow_denorm_(config.allow_denorm || config.is_integer()),
        scale_bits_(config.bits - 2),
        min_exponent_(config.min_exponent()),
        largest_(Fp64::value(config.max_norm)),
        top_(config.max_norm == 0 ? min_exponent_ : std::max(exponent_of(largest_), min_exponent_)),
        grid_of_top_(is_integer_ ? 0 : top_),
        most_(steps(largest_, grid_of_top_ - scale_bits_)),
        is_plain_(allow_denorm_ && round_ != RoundingMode::kDither),
        beyond_(beyond(config)) {}

  /// An element of a tensor of type T that is worth its word / 2^scale, as such a word again.
  /// Dither adds the low p bits of `random` as a fraction.
  template <typename T>
  [[nodiscard]] Word apply(Word word, int scale = 0, std::uint64_t random = 0) const {
    const Word magnitude = word & ~T::kSign;
    const Word sign = word & T::kSign;
    if (magnitude > T::kInfinity) return T::kNan;
    if (magnitude == T::kInfinity) return overflow<T>(sign, scale);
    if (magnitude == 0) return is_integer_ ? 0 : word;
    const int field = T::field(magnitude);
    // Where the grid is coarser than the type and nothing is flushed, the result is the number with
    // its last bits rounded off.
    const int exponent = field - T::kBias - scale;
    const int grid = is_integer_ ? 0 : std::max(exponent, min_exponent_);
    const int drop = grid - exponent + T::kStored - scale_bits_;
    if (field != 0 && exponent < top_ && drop > 0 && drop <= T::kPrecision && is_plain_) {
      const Word significand = (magnitude & (T::kHidden - 1)) | T::kHidden;
      const Word kept = rounded_off(significand, drop);
      if (kept != 0) return sign | ((static_cast<Word>(field - 1) << T::kStored) + kept);
      return is_integer_ ? 0 : sign;
    }
    return any<T>(magnitude, sign, scale, random);
  }

  /// The formats that have neither infinity nor NaN saturate whatever is asked for; OFP8 E4M3 has a
  /// NaN, all others an infinity (spec ST4).
  [[nodiscard]] static Beyond beyond(const ElementConfig& config) {
    if (config.saturate_normals || config.is_integer()) return Beyond::kLargest;
    for (const ElemFormat format : {ElemFormat::kFp6E3m2, ElemFormat::kFp6E2m3, ElemFormat::kFp4}) {
      if (is_format(config, format)) return Beyond::kLargest;
    }
    return is_format(config, ElemFormat::kFp8E4m3) ? Beyond::kNan : Beyond::kInfinity;
  }

 private:
  /// apply() of a finite number that is not zero, whatever its size.
  template <typename T>
  [[nodiscard]] Word any(Word magnitude, Word sign, int scale, std::uint64_t random) const {
    Dyadic x = T::value(magnitude);
    x.exponent -= scale;
    const int exponent = exponent_of(x);
    if (exponent > top_) return overflow<T>(sign, scale);
    int grid = is_integer_ ? 0 : std::max(exponent, min_exponent_);
    if (!allow_denorm_ && exponent < min_exponent_) {
      if (rounds_below(x, exponent, random, T::kPrecision)) return sign;
      grid = exponent;
    }
    const int step = grid - scale_bits_;
    const std::uint64_t count = rounded(x, step, random, T::kPrecision);
    if (count == 0) return is_integer_ ? 0 : sign;
    if (count > most_ && grid == grid_of_top_) return overflow<T>(sign, scale);
    return sign | T::rounded({count, step + scale});
  }

  [[nodiscard]] static bool is_format(const ElementConfig& config, ElemFormat format) {
    const FormatParams params = get_format_params(format);
    return params.mbits == config.bits && params.ebits == config.exp_bits &&
           params.max_norm == config.max_norm;
  }

  /// floor(x / 2^step), at most 2^62.
  [[nodiscard]] static std::uint64_t steps(const Dyadic& x, int step) {
    const int drop = step - x.exponent;
    if (drop >= 64) return 0;
    if (drop >= 0) return x.significand >> drop;
    return -drop > 8 ? std::uint64_t{1} << 62 : x.significand << -drop;
  }

  /// round(x / 2^step) in the mode.
  [[nodiscard]] std::uint64_t rounded(const Dyadic& x, int step, std::uint64_t random,
                                      int precision) const {
    const int drop = step - x.exponent;
    if (drop <= 0) return x.significand << -drop;
    if (round_ == RoundingMode::kDither) return dithered(x.significand, drop, random, precision);
    return drop > 62 ? 0 : rounded_off(x.significand, drop) >> drop;
  }

  /// round(significand / 2^drop) * 2^drop.
  [[nodiscard]] std::uint64_t rounded_off(std::uint64_t significand, int drop) const {
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    switch (round_) {
      case RoundingMode::kNearest:
        return (significand + half) >> drop << drop;
      case RoundingMode::kEven:
        return (significand + half - 1 + (significand >> drop & 1)) >> drop << drop;
      default:
        return significand >> drop << drop;
    }
  }

  /// floor(significand / 2^drop + u), u the low p bits of the random ones over 2^p.
  [[nodiscard]] static std::uint64_t dithered(std::uint64_t significand, int drop,
                                              std::uint64_t random, int p) {
    const std::uint64_t u = random & ((std::uint64_t{1} << p) - 1);
    if (drop <= p) {
      const std::uint64_t cut = significand & ((std::uint64_t{1} << drop) - 1);
      const bool carries = (cut << (p - drop)) + u >= std::uint64_t{1} << p;
      return (significand >> drop) + (carries ? 1 : 0);
    }
    const std::uint64_t whole = drop - p >= 64 ? 0 : significand >> (drop - p);
    return (whole + u) >> p;
  }

  /// Does a subnormal x stay below 2^min_exponent when it is rounded with unbounded exponent?
  [[nodiscard]] bool rounds_below(const Dyadic& x, int exponent, std::uint64_t random,
                                  int precision) const {
    if (exponent < min_exponent_ - 1) return true;
    const std::uint64_t count = rounded(x, exponent - scale_bits_, random, precision);
    return count >> scale_bits_ < 2;
  }

  template <typename T>
  [[nodiscard]] Word overflow(Word sign, int scale) const {
    switch (beyond_) {
      case Beyond::kLargest:
        return sign | T::rounded({largest_.significand, largest_.exponent + scale});
      case Beyond::kInfinity:
        return sign | T::kInfinity;
      case Beyond::kNan:
        break;
    }
    return T::kNan;
  }

  RoundingMode round_;
  bool is_integer_;
  bool allow_denorm_;
  int scale_bits_;
  int min_exponent_;
  Dyadic largest_;
  int top_;             ///< exponent of the largest number's binade
  int grid_of_top_;     ///< exponent of the grid there
  std::uint64_t most_;  ///< the largest number in steps of that grid
  bool is_plain_;       ///< nothing is flushed or drawn
  Beyond beyond_;
};

}  // namespace mx::emulators::microxcaling
