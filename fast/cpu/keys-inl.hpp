// Source words to keys, and keys to codes: 16-bit lanes. Included once for each target of Highway.
#if defined(MX_FAST_CPU_KEYS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_CPU_KEYS_INL
#undef MX_FAST_CPU_KEYS_INL
#else
#define MX_FAST_CPU_KEYS_INL
#endif

#include <cstring>

#include "fast/cpu/constants.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<std::uint16_t>;
using V = hn::Vec<D>;

/// Keys of some elements, and words whose top bit is their sign.
struct Keys {
  V key;
  V sign;
};

/// The upper and the lower half words of 32-bit words.
struct Halves {
  V upper;
  V lower;
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE V load_words(const std::byte* from) {
  std::uint16_t word;
  std::memcpy(&word, from, sizeof word);
  return hn::Set(D(), word);
}
HWY_INLINE Halves load_halves(const std::byte* from) {
  return {load_words(from + 2), load_words(from)};
}
#else
HWY_INLINE V load_words(const std::byte* from) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(D(), hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
}
HWY_INLINE Halves load_halves(const std::byte* from) {
  const D d;
  const V first = load_words(from);
  const V second = load_words(from + 2 * hn::Lanes(d));
  return {hn::ConcatOdd(d, second, first), hn::ConcatEven(d, second, first)};
}
#endif

/// Lanes(D()) words of a source, which may be unaligned.
template <Source kSource>
HWY_INLINE Keys load_keys(const std::byte* from) {
  const D d;
  const V one = hn::Set(d, 1);
  if constexpr (kSource == Source::kFp32) {
    // The upper half word holds 7 bits of the significand, the lower one becomes the sticky bit.
    const Halves words = load_halves(from);
    return {hn::Or(hn::Add(words.upper, words.upper), hn::Min(words.lower, one)), words.upper};
  } else {
    const V word = load_words(from);
    if constexpr (kSource == Source::kBf16) {
      return {hn::Add(word, word), word};
    } else {
      // 10 bits of significand: two of them join the sticky bit. The exponent gets binary32's bias;
      // subnormals are normalised, their leading one moved to bit 10.
      V magnitude = hn::And(word, hn::Set(d, 0x7FFF));
      V rebias = hn::Set(d, 112);
      const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
      const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x400));
      if (!hn::AllFalse(d, hn::AndNot(is_zero, is_small))) {
        for (int step = 8; step != 0; step /= 2) {
          const auto moves =
              hn::And(is_small,
                      hn::Lt(magnitude, hn::Set(d, static_cast<std::uint16_t>(1 << (11 - step)))));
          magnitude = hn::IfThenElse(moves, hn::ShiftLeftSame(magnitude, step), magnitude);
          rebias = hn::Sub(rebias,
                           hn::IfThenElseZero(moves, hn::Set(d, static_cast<std::uint16_t>(step))));
        }
      }
      const V sticky = hn::Min(hn::And(magnitude, hn::Set(d, 3)), one);
      const V key =
          hn::Add(hn::Or(hn::ShiftRight<2>(magnitude), sticky), hn::ShiftLeft<kKeyBits>(rebias));
      return {hn::IfThenZeroElse(is_zero, key), word};
    }
  }
}

/// Exponent steps above the smallest field (0 for fields 0 and 1), and the significand with its
/// hidden bit, kKeyBits below the leading one.
struct Split {
  V steps;
  V significand;
};
HWY_INLINE Split split(V key) {
  const D d;
  const V steps = hn::SaturatedSub(hn::ShiftRight<kKeyBits>(key), hn::Set(d, 1));
  return {steps, hn::Sub(key, hn::ShiftLeft<kKeyBits>(steps))};
}

/// The short kernel: ties_to_even, at most 4 significand bits, saturation, -0 kept. `grid` is the
/// exponent field of the element's emin, less one, in the source's terms.
template <int kManBits, int kBits>
class PlainEncoder {
 public:
  explicit PlainEncoder(const ElementConstants& c) : largest_(hn::Set(D(), c.limit[0])) {}

  HWY_INLINE V operator()(const Keys& x, V grid) const {
    const D d;
    constexpr int kDepth = kManBits + 2;
    constexpr int kPoint = kKeyBits - kManBits + kDepth;
    constexpr std::uint16_t kHalf = (1 << (kPoint - 1)) - 1;
    const Split s = split(x.key);
    // Aligned so that the last kept bit stands at kPoint in all lanes; what lies kDepth or more
    // below the grid is less than half an ulp either way.
    const V below = hn::SaturatedSub(grid, s.steps);
    const V aligned = hn::Shl(s.significand, hn::SaturatedSub(hn::Set(d, kDepth), below));
    const V odd = hn::And(hn::ShiftRight<kPoint>(aligned), hn::Set(d, 1));
    const V kept = hn::ShiftRight<kPoint>(hn::Add(hn::Add(aligned, hn::Set(d, kHalf)), odd));
    const V above = hn::ShiftLeft<kManBits>(hn::SaturatedSub(s.steps, grid));
    const V code = hn::Min(hn::Add(kept, above), largest_);
    const V sign = hn::And(hn::ShiftRight<16 - kBits>(x.sign), hn::Set(d, 1 << (kBits - 1)));
    return hn::Or(code, sign);
  }

 private:
  V largest_;
};

/// Every rounding, policy and precision: codes, and what is to be reported of them.
struct Encoded {
  V code;
  V to_zero;    ///< all ones where a number that is not zero got a zero code
  V overflows;  ///< all ones where a rounded magnitude lies above the largest
};

class GeneralEncoder {
 public:
  explicit GeneralEncoder(const ElementConstants& c) : c_(c) {}

  HWY_INLINE Encoded encode(const Keys& x, V grid) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const auto mask = [&](std::uint16_t bits) { return hn::Set(d, bits); };
    const V zero = hn::Zero(d);
    const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const Split s = split(x.key);
    // 1. Discard down to the grid; a shift by kKeyDrop leaves less than half an ulp.
    const V below = hn::SaturatedSub(grid, s.steps);
    const auto normal = static_cast<std::uint16_t>(kKeyBits - c_.man_bits);
    const V shift = hn::Min(hn::Add(hn::Min(below, mask(kKeyDrop)), mask(normal)), mask(kKeyDrop));
    // 2. The magnitude code of the neighbour below, and the decision.
    const V base = hn::ShiftLeftSame(hn::SaturatedSub(s.steps, grid), c_.man_bits);
    const V lower = hn::Add(base, hn::Shr(s.significand, shift));
    const V odd = hn::Sub(zero, hn::And(lower, mask(1)));
    const RoundingMasks& r = c_.rounding;
    const V up = hn::Xor(hn::And(odd, mask(r.by_odd)),
                         hn::Xor(hn::And(negative, mask(r.by_negative)), mask(r.always)));
    const V ones = hn::Shr(mask((1 << kKeyDrop) - 1), hn::Sub(mask(kKeyDrop), shift));
    const V nearest = hn::Sub(hn::ShiftRight<1>(ones), up);
    const V directed = hn::And(ones, up);
    const V addend =
        hn::Or(hn::And(nearest, mask(r.nearest)), hn::AndNot(mask(r.nearest), directed));
    const V magnitude = hn::Add(base, hn::Shr(hn::Add(s.significand, addend), shift));
    // 3. Range, sign and zeros.
    const V limit = select(negative, c_.limit[1], c_.limit[0]);
    const V fits = hn::VecFromMask(d, hn::Eq(hn::SaturatedSub(magnitude, limit), zero));
    const V is_zero = hn::VecFromMask(d, hn::Eq(magnitude, zero));
    const V zero_in = hn::VecFromMask(d, hn::Eq(x.key, zero));
    const V drops = hn::Or(hn::And(is_zero, mask(c_.drops_zero_sign)),
                           hn::And(zero_in, mask(c_.drops_input_sign)));
    const V sign = hn::AndNot(drops, negative);
    const V flip = hn::And(sign, mask(c_.twos_complement));
    const V complement = hn::And(hn::Sub(hn::Xor(magnitude, flip), flip), mask(c_.code_mask));
    const V code = hn::Or(complement, hn::And(sign, mask(c_.sign_bit)));
    const V over = select(negative, c_.overflow.of[1], c_.overflow.of[0]);
    return {hn::Or(hn::And(fits, code), hn::AndNot(fits, over)), hn::AndNot(zero_in, is_zero),
            hn::Not(fits)};
  }

  HWY_INLINE V operator()(const Keys& x, V grid) const { return encode(x, grid).code; }

  /// An infinity's or a NaN's code by the key; other lanes keep theirs.
  HWY_INLINE V with_specials(const Keys& x, V code, std::uint16_t inf) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const V infinity = hn::Set(d, inf);
    const auto is_inf = hn::Eq(x.key, infinity);
    const auto is_nan = hn::Ne(hn::SaturatedSub(x.key, infinity), hn::Zero(d));
    code = hn::IfThenElse(is_inf, select(negative, c_.infinity.of[1], c_.infinity.of[0]), code);
    return hn::IfThenElse(is_nan, select(negative, c_.nan.of[1], c_.nan.of[0]), code);
  }

 private:
  static HWY_INLINE V select(V mask, std::uint16_t yes, std::uint16_t no) {
    const D d;
    return hn::Or(hn::And(mask, hn::Set(d, yes)), hn::AndNot(mask, hn::Set(d, no)));
  }

  const ElementConstants& c_;
};

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
