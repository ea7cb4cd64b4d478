// _quantize_elemwise_core on a tensor of type T, in PyTorch operations that each round to T: the
// same bits by integers. Three slips of those operations are kept: the logarithm that rounds up to
// a power of two (LOG2), the addition of one half that rounds (HALF), and 2^e that is infinite one
// binade above the type. spec S7.4 (MS-R, MS-I, MS-E).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "emulators/microxcaling/kernels/element_config.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"
#include "emulators/microxcaling/kernels/literal.hpp"
#include "reference/number/log2f.hpp"

namespace mx::emulators::microxcaling {

/// From which stored significand on a number's logarithm rounds to the next exponent, by exponent
/// field.
template <typename T>
[[nodiscard]] const std::array<Word, static_cast<std::size_t>(T::kTop)>& slip_table() {
  static const auto table = [] {
    std::array<Word, static_cast<std::size_t>(T::kTop)> rows{};
    for (int field = 1; field < T::kTop; ++field) {
      const int k = field - T::kBias + 1;
      const int misread = log2f::misread_below({T::kPrecision, T::kEmin}, k);
      rows[static_cast<std::size_t>(field)] = T::kHidden - static_cast<Word>(misread);
    }
    return rows;
  }();
  return table;
}

/// floor(log2 magnitude) as a tensor of the type finds it; the magnitude is finite and not zero.
template <typename T>
[[nodiscard]] int read_exponent(Word magnitude) {
  const int field = T::field(magnitude);
  if (field != 0) {
    const Word limit = slip_table<T>()[static_cast<std::size_t>(field)];
    return field - T::kBias + ((magnitude & (T::kHidden - 1)) >= limit ? 1 : 0);
  }
  const int e = exponent_of(T::value(magnitude));
  const Word power = Word{1} << (e + 1 - (T::kEmin - T::kStored));
  const int misread = log2f::misread_below({T::kPrecision, T::kEmin}, e + 1);
  return power - magnitude <= static_cast<Word>(misread) ? e + 1 : e;
}

/// floor(fl(x + u)) in binary64, u the low 53 bits of `random` over 2^53; x is below 2^53.
[[nodiscard]] constexpr std::uint64_t floor_of_sum(const Dyadic& x, std::uint64_t random) {
  // Fractions in units of 2^-62, and whether anything of x lies below.
  constexpr std::uint64_t kOne = std::uint64_t{1} << 62;
  const int below = -x.exponent;
  std::uint64_t whole = 0, fraction = 0, rest = 0;
  if (below <= 0) {
    whole = x.significand << -below;
  } else if (below <= 62) {
    whole = x.significand >> below;
    fraction = x.significand << (62 - below) & (kOne - 1);
  } else {
    const int cut = std::min(below - 62, 63);
    fraction = x.significand >> cut;
    rest = x.significand & ((std::uint64_t{1} << cut) - 1);
  }
  fraction += (random & ((std::uint64_t{1} << 53) - 1)) << 9;
  whole += fraction >> 62;
  fraction &= kOne - 1;
  // The sum is rounded up to the next integer from half a unit of its last place below that on.
  const int lead = whole == 0 ? -1 : static_cast<int>(std::bit_width(whole)) - 1;
  const std::uint64_t tie = kOne - (std::uint64_t{1} << (lead + 9));
  const bool is_even = lead < 52 || whole % 2 == 1;  // the integer above
  const bool is_up = fraction > tie || (fraction == tie && (rest != 0 || is_even));
  return whole + (is_up ? 1 : 0);
}

template <typename T>
class PythonElement {
 public:
  explicit PythonElement(const ElementConfig& config)
      : config_(config),
        slips_(slip_table<T>().data()),
        is_float_(!config.is_integer()),
        clamps_(config.saturate_normals || config.is_integer()),
        round_(config.round),
        scale_bits_(config.bits - 2),
        min_exponent_(config.min_exponent()),
        max_norm_(largest(config)),
        smallest_(config.allow_denorm || config.is_integer()
                      ? 0
                      : T::rounded(Fp64::value(get_min_norm(config.exp_bits)))),
        is_plain_(is_plain(config)) {}

  /// One element; NaN comes back as the type's NaN without sign. Dither reads `random`.
  [[nodiscard]] Word operator()(Word word, std::uint64_t random = 0) const {
    const Word magnitude = word & ~T::kSign;
    if (magnitude >= T::kInfinity) return magnitude == T::kInfinity ? word : T::kNan;
    if (magnitude == 0 || magnitude < smallest_) return 0;
    if (!is_plain_) return literal(word, random);
    const int field = T::field(magnitude);
    const Word hidden = field == 0 ? 0 : T::kHidden;
    const Word significand = (magnitude & (T::kHidden - 1)) | hidden;
    const int exponent = (field == 0 ? 1 : field) - T::kBias;
    int scale = 0;
    if (is_float_) {
      // Subnormal numbers lie below min_exponent_, unless the element has the wider exponent.
      if (field == 0 && min_exponent_ < T::kEmin) return literal(word, random);
      const bool slips = field != 0 && (magnitude & (T::kHidden - 1)) >= slips_[field];
      scale = exponent + (slips ? 1 : 0);
      if (scale > T::kBias) return T::kNan;
      if (scale < min_exponent_) scale = min_exponent_;
    }
    const int drop = T::kStored - scale_bits_ + scale - exponent;
    if (drop <= 0) {
      if constexpr (T::kPrecision == 53) {
        // A subnormal number is an integer with room for one half, which is cut off again.
        if (field == 0) return finish(word, magnitude);
      } else if (field <= 1) {
        return literal(word, random);
      }
      return finish(word, magnitude + whole_number_step(significand, -drop));
    }
    // The integer is significand / 2^drop; `kept` is it, rounded and moved back.
    const Word base = field == 0 ? 0 : static_cast<Word>(field - 1) << T::kStored;
    const Word kept = rounded_off(significand, drop);
    if (kept > Word{2} << T::kStored) {  // the largest number below one half went up to 1
      return finish(word, static_cast<Word>(field + 2) << T::kStored);
    }
    return finish(word, kept == 0 ? 0 : base + kept);
  }

  /// An element of a block under 2^exponent, without the divisions and products that only move
  /// exponents: `limit` is the maximum times 2^exponent. Wanted: takes() says so of the word.
  [[nodiscard]] Word in_block(Word word, int exponent, Word limit) const {
    const Word magnitude = word & ~T::kSign;
    const Word fraction = magnitude & (T::kHidden - 1);
    const int field = T::field(magnitude);
    int above = -(field - T::kBias - exponent);  // of the grid's exponent over the number's
    if (is_float_) {
      const int least = min_exponent_ + above;
      above = fraction >= slips_[field - exponent] ? 1 : 0;
      if (above < least) above = least;
    }
    const int drop = T::kStored - scale_bits_ + above;
    if (drop > T::kPrecision + 1) return word & T::kSign;
    const Word kept = rounded_off(fraction | T::kHidden, drop);
    Word result = (static_cast<Word>(field - 1) << T::kStored) + kept;
    if (kept == 0) result = 0;
    if (kept > Word{2} << T::kStored) result = static_cast<Word>(field + 2) << T::kStored;
    if (result > limit) result = limit;
    return result | (word & T::kSign);
  }

  /// May in_block() answer for a finite word: is it normal, before and after it is scaled, and
  /// below the top binade, and is the grid coarser than the type?
  [[nodiscard]] bool takes(Word word, int exponent) const {
    const int field = T::field(word & ~T::kSign);
    const int scaled = field - exponent;
    return field != 0 && scaled > 0 && scaled < T::kTop - 1 &&
           (is_float_ || scaled - T::kBias < T::kStored - scale_bits_);
  }

  /// The maximum times 2^exponent where in_block() may be asked at all; 0 where not.
  [[nodiscard]] Word block_limit(int exponent) const {
    if (!is_plain_ || scale_bits_ >= T::kStored || max_norm_ == T::kInfinity) return 0;
    const int field = T::field(max_norm_) + exponent;
    return field > 0 && field < T::kTop && T::field(max_norm_) != 0 ? T::scaled(max_norm_, exponent)
                                                                    : 0;
  }

  /// Have the type's significands room for `bits` bits beside one half, and do powers stay in its
  /// range?
  [[nodiscard]] static bool has_room(const ElementConfig& config) {
    const int most = T::kPrecision == 11 ? 16 : T::kPrecision == 53 ? 54 : 25;
    if (config.bits < 2 || config.bits > most) return false;
    if (config.is_integer()) return config.max_norm < Fp64::rounded({2, 0});
    return config.exp_bits >= 2;
  }

  /// Is the arithmetic between the scalings exact, so that only the slips remain?
  [[nodiscard]] static bool is_plain(const ElementConfig& config) {
    return config.round != RoundingMode::kDither && has_room(config);
  }

 private:
  /// The maximum as PyTorch compares with it: rounded to the type.
  [[nodiscard]] static Word largest(const ElementConfig& config) {
    if (config.max_norm == Fp64::kInfinity) return T::kInfinity;
    if constexpr (T::kPrecision == 53) return config.max_norm;
    const Word narrowed = Fp32::rounded(Fp64::value(config.max_norm));
    return narrowed == Fp32::kInfinity ? T::kInfinity : T::rounded(Fp32::value(narrowed));
  }

  [[nodiscard]] Word literal(Word word, std::uint64_t random) const {
    if constexpr (T::kPrecision == 53) return dithered(word, random);
    return literal_element(T::kType, config_, word, static_cast<std::uint32_t>(random));
  }

  /// Dither of a finite binary64 number that is not zero: all but the addition is exact.
  [[nodiscard]] Word dithered(Word word, std::uint64_t random) const {
    const Word magnitude = word & ~T::kSign;
    int scale = 0;
    if (is_float_) {
      scale = read_exponent<T>(magnitude);
      if (scale > T::kBias) return T::kNan;
      scale = std::max(scale, min_exponent_);
    }
    Dyadic integer = T::value(magnitude);
    integer.exponent += scale_bits_ - scale;
    if (exponent_of(integer) >= T::kPrecision) return finish(word, magnitude);
    return finish(word, T::rounded({floor_of_sum(integer, random), scale - scale_bits_}));
  }

  /// round(significand / 2^drop) * 2^drop, drop >= 1.
  [[nodiscard]] Word rounded_off(Word significand, int drop) const {
    if (drop > T::kPrecision) {
      const bool is_below_half =
          drop == T::kPrecision + 1 && significand == (Word{2} << T::kStored) - 1;
      return is_below_half && round_ != RoundingMode::kFloor ? Word{1} << drop : 0;
    }
    const Word half = Word{1} << (drop - 1);
    switch (round_) {
      case RoundingMode::kNearest:
        return (significand + half) >> drop << drop;
      case RoundingMode::kEven:
        return (significand + half - 1 + (significand >> drop & 1)) >> drop << drop;
      default:
        return significand >> drop << drop;
    }
  }

  /// HALF on an integer of p bits and `zeros` zeros below them, in units of its last bit: adding
  /// one half is a tie where there are none.
  [[nodiscard]] Word whole_number_step(Word significand, int zeros) const {
    const bool is_odd = (significand & 1) != 0;
    const bool is_power = significand == T::kHidden;
    if (round_ == RoundingMode::kNearest) return zeros == 0 && is_odd && !is_power ? 1 : 0;
    if (round_ != RoundingMode::kEven) return 0;
    const bool steps_down = zeros == 0   ? !is_odd && !is_power
                            : zeros == 1 ? is_odd || is_power
                                         : false;
    return steps_down ? ~Word{0} : 0;
  }

  [[nodiscard]] Word finish(Word word, Word magnitude) const {
    if (magnitude > max_norm_) magnitude = clamps_ ? max_norm_ : T::kInfinity;
    return magnitude | (word & T::kSign);
  }

  ElementConfig config_;
  const Word* slips_;
  bool is_float_;
  bool clamps_;
  RoundingMode round_;
  int scale_bits_;
  int min_exponent_;
  Word max_norm_;
  Word smallest_;
  bool is_plain_;
};

}  // namespace mx::emulators::microxcaling
