// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "fast/memory/ahead.hpp"
#include "fast/wide/constants.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/wide/wide_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::wide::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Words of one width, each in a lane, to codes in lanes. `kSameRange`: both formats have the same
/// exponents, so that a word is cut at one place, whatever it is.
template <class T, bool kSameRange>
class Encoder {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  explicit Encoder(const Constants& c) : c_(c), up_(std::max(c.man - c.source_man, 0)) {}

  HWY_INLINE V operator()(V word) const {
    const D d;
    const V sign = hn::And(word, set(c_.source_sign));
    const V magnitude = hn::Xor(word, sign);
    const auto is_negative = hn::Ne(sign, zero());
    const auto is_zero = hn::Eq(magnitude, zero());
    const V code =
        kSameRange ? cut(magnitude, is_negative) : align(magnitude, is_zero, is_negative);
    // Sign, range, and what is no number.
    auto is_signed = is_negative;
    if (c_.drops_zero_sign) is_signed = hn::AndNot(hn::Eq(code, zero()), is_signed);
    if (c_.drops_input_sign) is_signed = hn::AndNot(is_zero, is_signed);
    V result = hn::Or(code, hn::IfThenElseZero(is_signed, set(c_.sign_bit)));
    const auto is_beyond =
        hn::Or(is_above(code, set(c_.limit)), is_above(magnitude, set(c_.infinity - 1)));
    if (HWY_LIKELY(hn::AllFalse(d, is_beyond))) return result;
    result =
        hn::IfThenElse(is_above(code, set(c_.limit)), ends(is_negative, c_.overflow_code), result);
    result = hn::IfThenElse(hn::Eq(magnitude, set(c_.infinity)),
                            ends(is_negative, c_.infinity_code), result);
    return hn::IfThenElse(is_above(magnitude, set(c_.infinity)), ends(is_negative, c_.nan_code),
                          result);
  }

 private:
  using M = hn::Mask<D>;
  using S = hn::RebindToSigned<D>;

  // No number here reaches the top bit. Instructions compare signed lanes, and wide ones no others.
  static HWY_INLINE hn::Vec<S> as_signed(V v) { return hn::BitCast(S(), v); }
  static HWY_INLINE V larger(V a, V b) {
    return hn::BitCast(D(), hn::Max(as_signed(a), as_signed(b)));
  }
  static HWY_INLINE V smaller(V a, V b) {
    return hn::BitCast(D(), hn::Min(as_signed(a), as_signed(b)));
  }
  static HWY_INLINE M is_above(V a, V b) {
    return hn::RebindMask(D(), hn::Gt(as_signed(a), as_signed(b)));
  }

  static HWY_INLINE V set(std::uint64_t value) { return hn::Set(D(), static_cast<T>(value)); }
  static HWY_INLINE V zero() { return hn::Zero(D()); }
  static HWY_INLINE V shift_right(V v, int by) { return hn::ShiftRightSame(v, by); }
  static HWY_INLINE V shift_left(V v, int by) { return hn::ShiftLeftSame(v, by); }
  static HWY_INLINE V ends(M is_negative, const std::uint64_t (&codes)[2]) {
    return hn::IfThenElse(is_negative, set(codes[1]), set(codes[0]));
  }

  /// The magnitude code of words whose exponents are the codes'.
  HWY_INLINE V cut(V magnitude, M is_negative) const {
    const V word = shift_left(magnitude, up_);
    const V shift = set(static_cast<std::uint64_t>(c_.source_man + up_ - c_.man));
    return hn::Shr(hn::Add(word, addend(word, shift, zero(), is_negative)), shift);
  }

  /// The magnitude code of any words.
  HWY_INLINE V align(V magnitude, M is_zero, M is_negative) const {
    const D d;
    // 1. Significand and exponent field; the smallest of either is that of subnormal numbers.
    const V exponent = shift_right(magnitude, c_.source_man);
    const auto is_small = hn::Eq(exponent, zero());
    V field = hn::Add(larger(exponent, set(1)), set(kFieldOffset));
    const V hidden = set(std::uint64_t{1} << c_.source_man);
    V significand = hn::And(magnitude, set((std::uint64_t{1} << c_.source_man) - 1));
    significand = hn::Or(significand, hn::IfThenZeroElse(is_small, hidden));
    if (c_.normalizes && HWY_UNLIKELY(!hn::AllFalse(d, hn::AndNot(is_zero, is_small)))) {
      normalize(is_small, significand, field);
    }
    significand = shift_left(significand, up_);
    // 2. Cut at the grid; beyond two places above it less than half an ulp is left.
    const V least = set(static_cast<std::uint64_t>(c_.least_field));
    const V grid = larger(field, least);
    const auto place = static_cast<std::uint64_t>(c_.source_man + up_ - c_.man);
    const auto most = static_cast<std::uint64_t>(c_.source_man + up_ + 2);
    const V shift = smaller(hn::Add(hn::Sub(grid, field), set(place)), set(most));
    const V base = shift_left(hn::Sub(grid, least), c_.man);
    const V rounded =
        hn::Shr(hn::Add(significand, addend(significand, shift, base, is_negative)), shift);
    return hn::IfThenZeroElse(is_zero, hn::Add(base, rounded));
  }

  /// Moves the leading ones of subnormal significands to the place of the hidden bit.
  HWY_INLINE void normalize(M is_small, V& significand, V& field) const {
    for (int step = 32; step != 0; step /= 2) {
      if (step > c_.source_man) continue;
      const auto moves = hn::And(
          is_small, is_above(set(std::uint64_t{1} << (c_.source_man + 1 - step)), significand));
      significand = hn::IfThenElse(moves, shift_left(significand, step), significand);
      field = hn::Sub(field, hn::IfThenElseZero(moves, set(static_cast<std::uint64_t>(step))));
    }
  }

  /// What is added before the cut: half an ulp less one and one more for a carry, or all or
  /// nothing.
  HWY_INLINE V addend(V significand, V shift, V base, M is_negative) const {
    const cpu::RoundingMasks& r = c_.rounding;
    const V ones = hn::Sub(hn::Shl(set(1), shift), set(1));
    const V odd = hn::And(hn::Add(base, hn::Shr(significand, shift)), set(1));
    V up = r.by_odd != 0 ? odd : zero();
    if (r.by_negative != 0) up = hn::Xor(up, hn::IfThenElseZero(is_negative, set(1)));
    if (r.always != 0) up = hn::Xor(up, set(1));
    if (r.nearest != 0) return hn::And(hn::Add(shift_right(ones, 1), up), ones);
    return hn::And(ones, hn::Sub(zero(), up));
  }

  const Constants& c_;
  int up_;  ///< fraction bits that the destination has more
};

/// Elements that are widened, computed and narrowed at a time.
constexpr std::size_t kTile = 512;

template <class T, class Word>
void widen(const std::byte* from, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    to[i] = word;
  }
}

template <class T, class Code>
void narrow(const T* from, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = static_cast<Code>(from[i]);
    std::memcpy(to + i * sizeof code, &code, sizeof code);
  }
}

template <class T>
void load_tile(int bytes, const std::byte* from, std::size_t count, T* to) {
  if (bytes == 2) return widen<T, std::uint16_t>(from, count, to);
  if (bytes == 4) return widen<T, std::uint32_t>(from, count, to);
  widen<T, T>(from, count, to);
}

template <class T>
void store_tile(int bytes, const T* from, std::size_t count, std::byte* to) {
  if (bytes == 1) return narrow<T, std::uint8_t>(from, count, to);
  if (bytes == 2) return narrow<T, std::uint16_t>(from, count, to);
  if (bytes == 4) return narrow<T, std::uint32_t>(from, count, to);
  narrow<T, T>(from, count, to);
}

template <class T, bool kSameRange>
void convert_in(const Constants& c, const std::byte* words, std::size_t elements,
                std::byte* codes) {
  const hn::ScalableTag<T> d;
  const Encoder<T, kSameRange> encode(c);
  // A vector's lanes beyond the last tile are zeros or what an earlier tile left.
  alignas(64) T tile[kTile + 64] = {};
  const auto from = static_cast<std::size_t>(c.source_bytes);
  const auto to = static_cast<std::size_t>(c.bytes);
  for (std::size_t first = 0; first < elements; first += kTile) {
    const std::size_t count = std::min(kTile, elements - first);
    fetch_ahead(words, (first + kTile) * from, kTile * from);
    load_tile(c.source_bytes, words + first * from, count, tile);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      hn::Store(encode(hn::Load(d, tile + i)), d, tile + i);
    }
    store_tile(c.bytes, tile, count, codes + first * to);
  }
}

void run_convert(const Constants& c, const std::byte* words, std::size_t elements,
                 std::byte* codes) {
  if (c.lane_bytes == 8) return convert_in<std::uint64_t, false>(c, words, elements, codes);
  if (c.same_range) return convert_in<std::uint32_t, true>(c, words, elements, codes);
  convert_in<std::uint32_t, false>(c, words, elements, codes);
}

}  // namespace mx::fast::wide::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::wide {

HWY_EXPORT(run_convert);

void convert(const Constants& c, const std::byte* words, std::size_t elements, std::byte* codes) {
  HWY_DYNAMIC_DISPATCH(run_convert)(c, words, elements, codes);
}

}  // namespace mx::fast::wide
#endif
