// Elements of FP4 brought to their scales in integers, and drawn for. Included once for each target
// of Highway.
#if defined(MX_FAST_SCALED_STOCHASTIC_ENCODER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_SCALED_STOCHASTIC_ENCODER_INL
#undef MX_FAST_SCALED_STOCHASTIC_ENCODER_INL
#else
#define MX_FAST_SCALED_STOCHASTIC_ENCODER_INL
#endif

#include "fast/scaled_stochastic/constants.hpp"
#include "fast/stochastic/stochastic-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace words = cpu::HWY_NAMESPACE;

using words::D32;
using words::Numbers;
using words::V32;

/// Factors of the lanes' scales.
struct Factors {
  V32 high;
  V32 low;
  V32 exponent;
  V32 vanishes;
};

/// Codes, and all ones where there is something to report.
struct StochasticLanes {
  V32 code;
  V32 to_zero;
  V32 saturated;
};

#if HWY_TARGET != HWY_SCALAR
/// `multiplies` of the constants, and whether the draw rounds to its bits first (variant C).
template <bool kMultiplies, bool kToNearest>
class ScaledEncoder {
 public:
  explicit ScaledEncoder(const StochasticConstants& c)
      : c_(c), drawn_(~std::uint32_t{0} << (32 - c.random_bits)) {}

  HWY_INLINE StochasticLanes operator()(const Numbers& x, const Factors& f, V32 drawn_for) const {
    const D32 d;
    const hn::RebindToSigned<D32> di;
    const Split split = split_of(x.magnitude);
    const auto exponent = hn::Add(hn::BitCast(di, split.exponent), hn::BitCast(di, f.exponent));
    const V32 random = random_of(drawn_for);
    const auto three = hn::Set(di, 3);
    const V32 shift =
        hn::BitCast(d, hn::Min(hn::Max(hn::Sub(three, exponent), hn::Zero(di)), hn::Set(di, 63)));
    const V64 even = code_of(split.significand, f.high, f.low, lower(shift), lower(random));
    const V64 odd = code_of(upper32(split.significand), upper32(f.high), upper32(f.low),
                            upper(shift), upper(random));
    const V32 near = hn::BitCast(d, hn::Or(even, hn::ShiftLeft<32>(odd)));
    const V32 beyond = hn::BitCast(d, hn::VecFromMask(di, hn::Gt(exponent, three)));
    const V32 any = hn::Or(near, hn::And(beyond, hn::Set(d, kSteps)));
    return with_sign(x, f, any);
  }

 private:
  using D64 = hn::Repartition<std::uint64_t, D32>;
  using V64 = hn::Vec<D64>;
  struct Split {
    V32 significand;
    V32 exponent;
  };

  /// 24 bits and an exponent, of subnormals too; of zeros an exponent that reaches nothing. A
  /// subnormal is an integer, whose conversion is exact in every state of the machine's floating
  /// point.
  static HWY_INLINE Split split_of(V32 magnitude) {
    const D32 d;
    const hn::RebindToSigned<D32> di;
    const hn::RebindToFloat<D32> df;
    const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x00800000));
    const auto is_zero = hn::Eq(magnitude, hn::Zero(d));
    const V32 integer = hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(di, magnitude)));
    const V32 number = hn::IfThenElse(is_small, integer, magnitude);
    const V32 bias = hn::IfThenElse(is_small, hn::Set(d, 127 + 149), hn::Set(d, 127));
    const V32 exponent = hn::Sub(hn::ShiftRight<23>(number), bias);
    const V32 significand = hn::Or(hn::And(number, hn::Set(d, 0x007FFFFF)), hn::Set(d, 0x00800000));
    constexpr auto kNowhere = static_cast<std::uint32_t>(-20000);
    return {hn::IfThenZeroElse(is_zero, significand),
            hn::IfThenElse(is_zero, hn::Set(d, kNowhere), exponent)};
  }

  /// What is added to 32 bits of a fraction: R, of variant B with half a unit more.
  HWY_INLINE V32 random_of(V32 drawn_for) const {
    const D32 d;
    const V32 random = hn::And(drawn_for, hn::Set(d, drawn_));
    if (kToNearest || c_.draw == cpu::Draw::kA) return random;
    return hn::Or(random, hn::Set(d, half()));
  }

  /// The bit below the drawn ones.
  [[nodiscard]] std::uint32_t half() const { return (~drawn_ >> 1) + 1; }

  static HWY_INLINE V32 upper32(V32 v) {
    return hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(D64(), v)));
  }
  static HWY_INLINE V64 upper(V32 v) { return hn::ShiftRight<32>(hn::BitCast(D64(), v)); }
  static HWY_INLINE V64 lower(V32 v) {
    return hn::And(hn::BitCast(D64(), v), hn::Set(D64(), 0xFFFFFFFF));
  }

  /// The scaled element with kQuotientBits below its unit, one more above where it is a product;
  /// `lost` is not zero where something lies below.
  static HWY_INLINE V64 scaled(V32 significand, V32 high, V32 low, V64& lost) {
    const D64 d;
    const V64 product = hn::MulEven(significand, high);
    if constexpr (kMultiplies) {
      // Rounded to 24 bits, ties_to_even, wherever the leading one stands.
      const V64 top = hn::ShiftRight<47>(product);
      const V64 raised =
          hn::Sub(hn::Add(product, product), hn::And(product, hn::Sub(hn::Zero(d), top)));
      const V64 odd = hn::And(hn::ShiftRight<24>(raised), hn::Set(d, 1));
      const V64 sum = hn::Add(raised, hn::Add(odd, hn::Set(d, 0x7FFFFF)));
      const V64 rounded = hn::ShiftLeft<11>(hn::ShiftRight<24>(sum));
      lost = hn::Zero(d);
      return hn::Add(rounded, hn::And(rounded, hn::Sub(hn::Zero(d), top)));
    } else {
      const V64 rest = hn::MulEven(significand, low);
      const V64 sum = hn::Add(product, hn::ShiftRight<32>(rest));
      if constexpr (kToNearest) {
        // A remainder is 2^25 / 2^53 of a unit or more, the factor's own error less.
        const V64 fraction = hn::And(sum, hn::Set(d, 0x1FFFFF));
        lost = hn::Or(fraction, hn::And(rest, hn::Set(d, 0xFF000000)));
      } else {
        lost = hn::Zero(d);
      }
      return hn::ShiftRight<21>(sum);
    }
  }

  /// The magnitude codes of even lanes; from kSteps on above the largest.
  HWY_INLINE V64 code_of(V32 significand, V32 high, V32 low, V64 shift, V64 random) const {
    const D64 d;
    const hn::RebindToSigned<D64> di;
    V64 lost;
    const V64 wide = hn::ShiftLeft<2>(scaled(significand, high, low, lost));
    // In halves, the unit of the lowest codes, with 32 bits below.
    const V64 halves = hn::Shr(wide, shift);
    const auto from = [&](int log) {
      const auto limit = hn::Set(di, (std::int64_t{1} << (32 + log)) - 1);
      return hn::BitCast(d, hn::VecFromMask(di, hn::Gt(hn::BitCast(di, halves), limit)));
    };
    // In units of the binade: 2 .. 4 from the third code on. Two codes more for each binade.
    const V64 is_second = from(2);
    const V64 is_third = from(3);
    const V64 once = select(is_second, hn::ShiftRight<1>(halves), halves);
    const V64 units = select(is_third, hn::ShiftRight<2>(halves), once);
    const V64 binades = hn::Sub(hn::Zero(d), hn::Add(is_second, is_third));
    V64 sum = hn::Add(units, random);
    if constexpr (kToNearest) {
      const V64 cut = hn::Or(hn::Xor(hn::Shl(halves, shift), wide),
                             hn::And(halves, hn::Add(binades, hn::ShiftRight<1>(binades))));
      sum = hn::Add(to_nearest(units, hn::Or(lost, cut)), random);
    }
    return hn::Add(hn::ShiftRight<32>(sum), hn::Add(binades, binades));
  }

  /// Rounded to the drawn bits.
  HWY_INLINE V64 to_nearest(V64 units, V64 lost) const {
    const D64 d;
    const std::uint64_t last = std::uint64_t{half()} << 1;
    const V64 below = hn::Or(hn::And(units, hn::Set(d, half() - 1)), lost);
    const auto is_half = hn::Ne(hn::And(units, hn::Set(d, half())), hn::Zero(d));
    const auto is_odd = hn::Ne(hn::And(units, hn::Set(d, last)), hn::Zero(d));
    const auto is_tie_up = c_.draw == cpu::Draw::kC ? is_odd : hn::Not(is_odd);
    const auto moves = hn::And(is_half, hn::Or(hn::Ne(below, hn::Zero(d)), is_tie_up));
    const V64 cut = hn::And(units, hn::Set(d, ~(last - 1)));
    return hn::Add(cut, hn::IfThenElseZero(moves, hn::Set(d, last)));
  }

  static HWY_INLINE V64 select(V64 mask, V64 yes, V64 no) {
    return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
  }

  HWY_INLINE StochasticLanes with_sign(const Numbers& x, const Factors& f, V32 any) const {
    const D32 d;
    const auto mask = [&](bool holds) { return hn::Set(d, holds ? ~std::uint32_t{0} : 0); };
    const V32 is_zero = hn::VecFromMask(d, hn::Eq(any, hn::Zero(d)));
    const V32 vanishes = hn::VecFromMask(d, hn::Eq(hn::Max(x.magnitude, f.vanishes), f.vanishes));
    const V32 drops = hn::Or(hn::And(is_zero, mask(c_.blocks.drops_zero_sign)),
                             hn::And(vanishes, mask(c_.blocks.drops_input_sign)));
    const V32 sign = hn::And(hn::ShiftRight<28>(x.sign), hn::Set(d, 8));
    const V32 largest = hn::Set(d, kSteps - 1);
    return {hn::Or(hn::Min(any, largest), hn::AndNot(drops, sign)), hn::AndNot(vanishes, is_zero),
            hn::VecFromMask(d, hn::Gt(any, largest))};
  }

  const StochasticConstants& c_;
  std::uint32_t drawn_;  ///< the bits of a word that are R
};

/// f(encoder) for the constants.
template <class Function>
HWY_INLINE void with_encoder(const StochasticConstants& c, const Function& f) {
  const bool to_nearest = c.draw == cpu::Draw::kC || c.draw == cpu::Draw::kCOdd;
  if (c.multiplies && to_nearest) return f(ScaledEncoder<true, true>(c));
  if (c.multiplies) return f(ScaledEncoder<true, false>(c));
  if (to_nearest) return f(ScaledEncoder<false, true>(c));
  f(ScaledEncoder<false, false>(c));
}
#endif

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
