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
HWY_INLINE Halves load_mixed_halves(const std::byte* from) { return load_halves(from); }
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
/// Word i of the first half of Lanes(D()) words in lane 2 i, of the second half in lane 2 i + 1:
/// loads that are a half word off put each where it belongs, and no lane needs to cross others.
HWY_INLINE Halves load_mixed_halves(const std::byte* from) {
  const std::size_t second = 2 * hn::Lanes(D());
  return {hn::OddEven(load_words(from + second), load_words(from + 2)),
          hn::OddEven(load_words(from + second - 2), load_words(from))};
}
#endif

/// The upper half word holds 7 bits of the significand, the lower one becomes the sticky bit.
HWY_INLINE Keys keys_of(Halves words) {
#if HWY_TARGET <= HWY_AVX3_DL
  // Anything but zero reaches the top bit, which is shifted in.
  const V sticky = hn::SaturatedAdd(words.lower, hn::Set(D(), 0x7FFF));
  return {V{_mm512_shldi_epi16(words.upper.raw, sticky.raw, 1)}, words.upper};
#else
  const V sticky = hn::Min(words.lower, hn::Set(D(), 1));
  return {hn::Or(hn::Add(words.upper, words.upper), sticky), words.upper};
#endif
}

/// Keys of binary16: 10 bits of significand, of which two join the sticky bit. The exponent gets
/// binary32's bias; subnormals are normalised, their leading one moved to bit 10.
HWY_INLINE Keys keys_of_fp16(V word) {
  const D d;
  V magnitude = hn::And(word, hn::Set(d, 0x7FFF));
  V rebias = hn::Set(d, 112);
  const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
  const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x400));
  if (!hn::AllFalse(d, hn::AndNot(is_zero, is_small))) {
    for (int step = 8; step != 0; step /= 2) {
      const auto moves = hn::And(
          is_small, hn::Lt(magnitude, hn::Set(d, static_cast<std::uint16_t>(1 << (11 - step)))));
      magnitude = hn::IfThenElse(moves, hn::ShiftLeftSame(magnitude, step), magnitude);
      rebias =
          hn::Sub(rebias, hn::IfThenElseZero(moves, hn::Set(d, static_cast<std::uint16_t>(step))));
    }
  }
  const V sticky = hn::Min(hn::And(magnitude, hn::Set(d, 3)), hn::Set(d, 1));
  const V key =
      hn::Add(hn::Or(hn::ShiftRight<2>(magnitude), sticky), hn::ShiftLeft<kKeyBits>(rebias));
  return {hn::IfThenZeroElse(is_zero, key), word};
}

/// Lanes(D()) words of a source, which may be unaligned, in the order of load_mixed_halves for
/// binary32 if `kMixes`, otherwise in their own.
template <Source kSource, bool kMixes = false>
HWY_INLINE Keys load_keys(const std::byte* from) {
  if constexpr (kSource == Source::kFp32) {
    return keys_of(kMixes ? load_mixed_halves(from) : load_halves(from));
  } else {
    const V word = load_words(from);
    if constexpr (kSource == Source::kFp16) return keys_of_fp16(word);
    return {hn::Add(word, word), word};
  }
}

// The encoders take keys and the `base` of their grid: the key of 2^emin under the block's scale,
// whose significand is zero.

#if HWY_TARGET == HWY_SCALAR
/// A key counted from a binade below its base on: exponent and significand as one number, 2^emin
/// being 1 << kKeyBits. Of a key below the base, the significand with its hidden bit.
HWY_INLINE V aligned_key(V key, V base) {
  const D d;
  const V above = hn::SaturatedSub(key, base);
  return hn::Add(hn::OrAnd(above, key, hn::Set(d, (1 << kKeyBits) - 1)), hn::Set(d, 1 << kKeyBits));
}
#else
/// Exponents in the upper bytes less others, no less than zero; the lower bytes less zeros.
HWY_INLINE V less_binades(V key, V base) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(D(), hn::SaturatedSub(hn::BitCast(bytes, key), hn::BitCast(bytes, base)));
}

/// A key counted from a binade below its base on: exponent and significand as one number, 2^emin
/// being 1 << kKeyBits. Of a key below the base, the significand with its hidden bit.
HWY_INLINE V aligned_key(V key, V base) {
  return hn::Add(less_binades(key, base), hn::Set(D(), 1 << kKeyBits));
}

/// What moves an aligned key to its code: a number that, multiplied with it, has the code's last
/// bit at bit 15. From 8 binades below the base on, one that leaves less than half.
class Factor {
 public:
#if HWY_TARGET <= HWY_AVX3
  explicit Factor(int man_bits)
      : largest_(hn::Set(D(), static_cast<std::uint16_t>(1U << (15 - kKeyBits + man_bits)))) {}

  // The instruction takes shifts by 16 and more, which leave nothing.
  HWY_INLINE V operator()(V key, V base) const {
    return hn::Shr(largest_, hn::ShiftRight<8>(less_binades(base, key)));
  }

 private:
  V largest_;
#else
  explicit Factor(int man_bits) {
    alignas(16) std::uint8_t table[16];
    alignas(16) std::uint8_t uppers[16];
    for (std::size_t i = 0; i < 8; ++i) {
      const unsigned factor = (1U << (15 - kKeyBits + man_bits)) >> i;
      table[i] = static_cast<std::uint8_t>(factor & 0xFF);
      table[8 + i] = static_cast<std::uint8_t>(factor >> 8);
      uppers[2 * i] = uppers[2 * i + 1] = static_cast<std::uint8_t>(2 * i + 1);
    }
    table_ = hn::LoadDup128(Bytes(), table);
    uppers_ = hn::LoadDup128(Bytes(), uppers);
  }

  // The indices of 8 binades and more have their top bit set, for the upper byte, or, for the lower
  // one, are those of upper bytes, which are small, and then have it set too.
  HWY_INLINE V operator()(V key, V base) const {
    const Bytes bytes;
    const auto below = hn::BitCast(bytes, less_binades(base, key));
    auto index = hn::SaturatedAdd(hn::TableLookupBytes(below, uppers_),
                                  hn::BitCast(bytes, hn::Set(D(), 0x7870)));
#if HWY_TARGET == HWY_EMU128 || !HWY_ARCH_X86
    index = hn::And(index, hn::Set(bytes, 0x8F));  // instructions of x86 look at these bits alone
#endif
    return hn::BitCast(D(), hn::TableLookupBytesOr0(table_, index));
  }

 private:
  using Bytes = hn::Repartition<std::uint8_t, D>;
  hn::Vec<Bytes> table_;
  hn::Vec<Bytes> uppers_;
#endif
};

/// The short kernel. It takes fields of 0 for others, so that the base must lie man_bits + 2 above
/// them.
template <Short kShort>
class PlainEncoder {
 public:
  static constexpr bool kTwos = kShort == Short::kTwos;
  static constexpr bool kSignsBytes = kShort == Short::kSigned;

  explicit PlainEncoder(const ElementConstants& c)
      : largest_(hn::Set(D(), static_cast<std::uint16_t>(c.short_end << (kKeyBits - c.man_bits)))),
        lower_(hn::Set(hn::RebindToSigned<D>(),
                       static_cast<std::int16_t>(c.rounding.by_odd != 0 ? ~1 : ~0))),
        bits_(hn::Set(D(), kTwos ? c.code_mask : c.sign_bit)),
        sign_place_(hn::Set(D(), static_cast<std::uint16_t>(2 * c.sign_bit))),
        factor_(c.man_bits) {
#if HWY_TARGET <= HWY_AVX3_DL
    byte_bits_ = hn::Or(bits_, hn::ShiftLeft<8>(bits_));
    int below_top = 0;
    while (below_top < 7 && c.sign_bit << below_top < 0x80) ++below_top;
    below_top_ = hn::Set(D(), static_cast<std::uint16_t>(below_top));
#endif
  }

  /// The code of the magnitude.
  HWY_INLINE V magnitude(const Keys& x, V base) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const V aligned = hn::Min(aligned_key(x.key, base), largest_);
    const auto factor = hn::BitCast(di, factor_(x.key, base));
    // Rounded with ties up, and with ties down. Where they differ, the even one: the upper one with
    // the last bit of the lower one, if it has it itself. The upper one where ties go away.
    const auto signed_key = hn::BitCast(di, aligned);
    const auto up = hn::MulFixedPoint15(signed_key, factor);
    const auto down = hn::MulFixedPoint15(hn::Sub(signed_key, hn::Set(di, 1)), factor);
    return hn::BitCast(d, hn::And(up, hn::Or(down, lower_)));
  }

  HWY_INLINE V operator()(const Keys& x, V base) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const V even = magnitude(x, base);
    if constexpr (kTwos) {
      const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
      return hn::And(hn::Sub(hn::Xor(even, negative), negative), bits_);
    } else {
      V sign = hn::And(hn::MulHigh(x.sign, sign_place_), bits_);
      if constexpr (kShort == Short::kZeroByCode) {
        sign = hn::IfThenZeroElse(hn::Eq(even, hn::Zero(d)), sign);
      }
      if constexpr (kShort == Short::kZeroByInput) {
        sign = hn::IfThenZeroElse(hn::Eq(x.key, hn::Zero(d)), sign);
      }
      return hn::Or(even, sign);
    }
  }

#if HWY_TARGET <= HWY_AVX3_DL
  /// Two vectors of magnitudes with their signs, as bytes in the order of the instructions that
  /// pack words: packed with saturation, words keep their signs at the top of the bytes.
  HWY_INLINE auto with_signs(V first, V second, V first_sign, V second_sign) const {
    const V codes{_mm512_packus_epi16(first.raw, second.raw)};
    const V signs{_mm512_packs_epi16(first_sign.raw, second_sign.raw)};
    const V all = hn::OrAnd(codes, hn::Shr(signs, below_top_), byte_bits_);
    return hn::BitCast(hn::Repartition<std::uint8_t, D>(), all);
  }
#endif

 private:
  V largest_;
  hn::Vec<hn::RebindToSigned<D>> lower_;  ///< bits of the lower one that count
  V bits_;                                ///< that a sign may change
  V sign_place_;
  Factor factor_;
#if HWY_TARGET <= HWY_AVX3_DL
  V byte_bits_;  ///< `bits_` of both bytes
  V below_top_;  ///< places of a sign below the top of a byte
#endif
};
#endif

/// Every rounding, policy and precision: codes, and what is to be reported of them.
struct Encoded {
  V code;
  V to_zero;    ///< all ones where a number that is not zero got a zero code
  V overflows;  ///< all ones where a rounded magnitude lies above the largest
};

class GeneralEncoder {
 public:
  static constexpr bool kSignsBytes = false;

  explicit GeneralEncoder(const ElementConstants& c) : c_(c) {}

  HWY_INLINE Encoded encode(const Keys& x, V base) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const auto mask = [&](std::uint16_t bits) { return hn::Set(d, bits); };
    const V zero = hn::Zero(d);
    const V negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const V zero_in = hn::VecFromMask(d, hn::Eq(x.key, zero));
    // 1. Discard down to the grid; a shift by kKeyDrop leaves less than half an ulp. Far above
    // every limit a key may be any.
    const V aligned = hn::AndNot(zero_in, hn::Min(aligned_key(x.key, base), mask(0xF000)));
    const V below = hn::ShiftRight<kKeyBits>(hn::SaturatedSub(base, hn::And(x.key, mask(0xFF00))));
    const auto normal = static_cast<std::uint16_t>(kKeyBits - c_.man_bits);
    const V shift = hn::Min(hn::Add(below, mask(normal)), mask(kKeyDrop));
    // 2. The magnitude code of the neighbour below, and the decision.
    const V odd = hn::Sub(zero, hn::And(hn::Shr(aligned, shift), mask(1)));
    const RoundingMasks& r = c_.rounding;
    const V up = hn::Xor(hn::And(odd, mask(r.by_odd)),
                         hn::Xor(hn::And(negative, mask(r.by_negative)), mask(r.always)));
    const V ones = hn::Shr(mask((1 << kKeyDrop) - 1), hn::Sub(mask(kKeyDrop), shift));
    const V nearest = hn::Sub(hn::ShiftRight<1>(ones), up);
    const V directed = hn::And(ones, up);
    const V addend =
        hn::Or(hn::And(nearest, mask(r.nearest)), hn::AndNot(mask(r.nearest), directed));
    const V magnitude = hn::Shr(hn::Add(aligned, addend), shift);
    // 3. Range, sign and zeros.
    const V limit = select(negative, c_.limit[1], c_.limit[0]);
    const V fits = hn::VecFromMask(d, hn::Eq(hn::SaturatedSub(magnitude, limit), zero));
    const V is_zero = hn::VecFromMask(d, hn::Eq(magnitude, zero));
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

  HWY_INLINE V operator()(const Keys& x, V base) const { return encode(x, base).code; }

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
