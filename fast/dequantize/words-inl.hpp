// Element codes to words: 16-bit lanes. Included once for each target of Highway.
#if defined(MX_FAST_DEQUANTIZE_WORDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_DEQUANTIZE_WORDS_INL
#undef MX_FAST_DEQUANTIZE_WORDS_INL
#else
#define MX_FAST_DEQUANTIZE_WORDS_INL
#endif

#include "fast/dequantize/constants.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::dequantize::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Any precision, and two's complement.
inline constexpr int kAnyPrecision = -1;

/// Some codes, read.
template <class D>
struct Codes {
  hn::Vec<D> code;
  hn::Vec<D> sign;       ///< in bit 15, no other bit set
  hn::Vec<D> magnitude;  ///< 0 .. 128
};

/// Steps below zero belong to a zero.
template <class D>
using Steps = hn::Vec<hn::RebindToSigned<D>>;

template <int kManBits, class D>
HWY_INLINE Codes<D> read_codes(D d, const CodeConstants& c, hn::Vec<D> word) {
  const hn::Vec<D> code = hn::And(word, hn::Set(d, c.code_mask));
  const hn::Vec<D> sign = hn::And(hn::ShiftLeftSame(code, c.sign_shift), hn::Set(d, 0x8000));
  hn::Vec<D> magnitude = code;
  if constexpr (kManBits == kAnyPrecision) {
    const hn::RebindToSigned<D> di;
    const hn::Vec<D> negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, sign)));
    const hn::Vec<D> flip = hn::And(negative, hn::Set(d, c.twos_complement));
    magnitude = hn::Sub(hn::Xor(code, flip), flip);
  }
  return {code, sign, hn::And(magnitude, hn::Set(d, c.magnitude_mask))};
}

/// Steps over magnitude codes are a chain of straight lines, each of half the slope of the one
/// before: one for each binade of the subnormals, and one for all normal numbers. So they are the
/// least of them.
template <int kManBits, class DI>
HWY_INLINE hn::Vec<DI> steps_of(DI di, int man_bits, hn::Vec<DI> magnitude) {
  const auto line = [&](hn::Vec<DI> rise, int i) {
    return hn::Add(rise, hn::Set(di, static_cast<std::int16_t>((i - 1) * (1 << kStepBits))));
  };
  hn::Vec<DI> least = line(hn::ShiftLeft<kStepBits>(magnitude), 0);
  if constexpr (kManBits >= 1) least = hn::Min(least, line(hn::ShiftLeft<6>(magnitude), 1));
  if constexpr (kManBits >= 2) least = hn::Min(least, line(hn::ShiftLeft<5>(magnitude), 2));
  if constexpr (kManBits >= 3) least = hn::Min(least, line(hn::ShiftLeft<4>(magnitude), 3));
  if constexpr (kManBits == kAnyPrecision) {
    for (int i = 1; i <= man_bits; ++i) {
      least = hn::Min(least, line(hn::ShiftLeftSame(magnitude, kStepBits - i), i));
    }
  }
  return least;
}

/// The first steps of infinity in words of a format.
template <Words kWords>
inline constexpr std::int16_t kTopSteps =
    static_cast<std::int16_t>(word_format(kWords).top_field() * (1 << kStepBits));

/// Words of 16 bits, the upper halves of those of binary32.
template <class D>
struct Easy {
  hn::Vec<D> word;
  hn::Vec<D> hard;  ///< not zero in lanes whose word this is not
};

/// Normal numbers and zeros. `steps` are those of the codes alone, `sum` with their scale's.
template <Words kWords, class D>
HWY_INLINE Easy<D> easy_words(D d, const DequantizeConstants& c, const Codes<D>& x, Steps<D> steps,
                              Steps<D> sum) {
  const hn::RebindToSigned<D> di;
  const auto is_zero = hn::RebindMask(d, hn::Lt(steps, hn::Zero(di)));
  const hn::Vec<D> bits = hn::BitCast(d, sum);
  // Above the subnormals, and below infinity.
  constexpr std::uint16_t kOne = 1 << kStepBits;
  const hn::Vec<D> outside =
      hn::SaturatedSub(hn::Sub(bits, hn::Set(d, kOne)), hn::Set(d, kTopSteps<kWords> - kOne - 1));
  const hn::Vec<D> special = hn::SaturatedSub(
      x.magnitude, hn::Set(d, static_cast<std::uint16_t>(c.code.special_from() - 1)));
  const hn::Vec<D> slot = hn::VecFromMask(d, hn::Eq(x.code, hn::Set(d, c.code.nan_code)));
  const hn::Vec<D> word = kWords == Words::kFp16 ? hn::ShiftLeft<3>(bits) : bits;
  const hn::Vec<D> drops = hn::IfThenElseZero(is_zero, hn::Set(d, c.word.drops_input_sign));
  return {hn::Or(hn::IfThenZeroElse(is_zero, word), hn::AndNot(drops, x.sign)),
          hn::Or(hn::Or(hn::IfThenZeroElse(is_zero, outside), special), slot)};
}

/// Rounded subnormal results; lanes with none hold anything. Words of 16 bits.
template <Words kWords, class D>
HWY_INLINE hn::Vec<D> subnormal_words(D d, const WordConstants& c, hn::Vec<D> negative,
                                      Steps<D> sum) {
  const hn::RebindToSigned<D> di;
  constexpr int kManBits = word_format(kWords).man_bits;
  constexpr int kDrop = kManBits + 3;  // leaves less than half an ulp
  const auto mask = [&](std::uint16_t bits) { return hn::Set(d, bits); };
  const hn::Vec<D> below = hn::BitCast(d, hn::Sub(hn::Set(di, 1), hn::ShiftRight<kStepBits>(sum)));
  const hn::Vec<D> shift = hn::Min(below, mask(kDrop));
  const hn::Vec<D> fraction = hn::And(hn::BitCast(d, sum), mask((1 << kStepBits) - 1));
  const hn::Vec<D> significand =
      hn::ShiftLeft<kManBits - kStepBits>(hn::Or(fraction, mask(1 << kStepBits)));
  const hn::Vec<D> lower = hn::Shr(significand, shift);
  const hn::Vec<D> odd = hn::Sub(hn::Zero(d), hn::And(lower, mask(1)));
  const RoundingMasks& r = c.rounding;
  const hn::Vec<D> up = hn::Xor(hn::And(odd, mask(r.by_odd)),
                                hn::Xor(hn::And(negative, mask(r.by_negative)), mask(r.always)));
  const hn::Vec<D> ones = hn::Shr(mask((1 << kDrop) - 1), hn::SaturatedSub(mask(kDrop), shift));
  const hn::Vec<D> nearest = hn::Sub(hn::ShiftRight<1>(ones), up);
  const hn::Vec<D> directed = hn::And(ones, up);
  const hn::Vec<D> addend =
      hn::Or(hn::And(nearest, mask(r.nearest)), hn::AndNot(mask(r.nearest), directed));
  const hn::Vec<D> magnitude = hn::Shr(hn::Add(significand, addend), shift);
  const auto is_small = hn::Lt(magnitude, mask(1 << kManBits));
  const hn::Vec<D> flushes =
      hn::Or(mask(c.flushes_before), hn::IfThenElseZero(is_small, mask(c.flushes_after)));
  return hn::AndNot(flushes, magnitude);
}

/// All results, as words of 16 bits.
template <Words kWords, class D>
HWY_INLINE hn::Vec<D> all_words(D d, const DequantizeConstants& c, const Codes<D>& x,
                                Steps<D> steps, Steps<D> sum) {
  static_assert(kWords != Words::kFp32);
  const hn::RebindToSigned<D> di;
  const hn::Vec<D> negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
  const auto by_sign = [&](const std::uint32_t(&of)[2]) {
    const auto yes = static_cast<std::uint16_t>(of[1]);
    const auto no = static_cast<std::uint16_t>(of[0]);
    return hn::Or(hn::And(negative, hn::Set(d, yes)), hn::AndNot(negative, hn::Set(d, no)));
  };
  const hn::Vec<D> bits = hn::BitCast(d, sum);
  const hn::Vec<D> normal = kWords == Words::kFp16 ? hn::ShiftLeft<3>(bits) : bits;
  const auto is_small = hn::RebindMask(d, hn::Lt(sum, hn::Set(di, 1 << kStepBits)));
  const auto is_zero = hn::RebindMask(d, hn::Lt(steps, hn::Zero(di)));
  const hn::Vec<D> magnitude = hn::IfThenZeroElse(
      is_zero, hn::IfThenElse(is_small, subnormal_words<kWords>(d, c.word, negative, sum), normal));
  const auto vanishes = hn::Eq(magnitude, hn::Zero(d));
  const hn::Vec<D> drops = hn::Or(hn::IfThenElseZero(vanishes, hn::Set(d, c.word.drops_zero_sign)),
                                  hn::IfThenElseZero(is_zero, hn::Set(d, c.word.drops_input_sign)));
  hn::Vec<D> word = hn::Or(magnitude, hn::AndNot(drops, x.sign));
  const auto is_beyond =
      hn::RebindMask(d, hn::Gt(sum, hn::Set(di, static_cast<std::int16_t>(kTopSteps<kWords> - 1))));
  word = hn::IfThenElse(hn::AndNot(is_zero, is_beyond), by_sign(c.word.overflow), word);
  const auto is_inf = hn::Eq(x.magnitude, hn::Set(d, c.code.inf_magnitude));
  word = hn::IfThenElse(is_inf, by_sign(c.word.infinity), word);
  const hn::Vec<D> above =
      hn::SaturatedSub(x.magnitude, hn::Set(d, static_cast<std::uint16_t>(c.code.nan_from - 1)));
  const auto is_nan =
      hn::Or(hn::Ne(above, hn::Zero(d)), hn::Eq(x.code, hn::Set(d, c.code.nan_code)));
  return hn::IfThenElse(is_nan, by_sign(c.word.nan), word);
}

}  // namespace mx::fast::dequantize::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
