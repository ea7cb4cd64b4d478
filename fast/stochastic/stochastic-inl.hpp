// Random words by vectors, and drawn roundings: 32-bit lanes. Included once for each target of
// Highway.
#if defined(MX_FAST_STOCHASTIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_STOCHASTIC_INL
#undef MX_FAST_STOCHASTIC_INL
#else
#define MX_FAST_STOCHASTIC_INL
#endif

#include <cstring>

#include "fast/cpu/constants.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<std::uint32_t>;
using V32 = hn::Vec<D32>;

/// Fills `words` with those of whole groups of four from `group` on, at least `count` of them;
/// there is room for a pair of vectors more.
#if HWY_TARGET == HWY_SCALAR
inline void fill_words(const Draws& draws, std::uint64_t group, std::size_t count,
                       std::uint32_t* words) {
  for (std::size_t i = 0; i < count; i += 4) {
    const auto four = random_words(draws, group + i / 4);
    std::memcpy(words + i, four.data(), sizeof four);
  }
}
#else
using D64 = hn::ScalableTag<std::uint64_t>;
using V64 = hn::Vec<D64>;

/// A counter in each lane: numbers of 32 bits, in the lower halves. The upper ones hold anything,
/// since products do not look at them.
struct Counters {
  V64 x0;
  V64 x1;
  V64 x2;
  V64 x3;

  explicit HWY_INLINE Counters(const Draws& draws, std::uint64_t group)
      : x0(hn::Add(hn::Set(D64(), group), hn::Iota(D64(), 0))),
        x1(hn::ShiftRight<32>(x0)),
        x2(hn::Set(D64(), draws.tensor)),
        x3(hn::Zero(D64())) {}

  HWY_INLINE void round(V64 first_key, V64 second_key) {
    const D32 half;
    const V64 p = hn::MulEven(hn::BitCast(half, x0), hn::Set(half, kPhiloxFirst));
    const V64 s = hn::MulEven(hn::BitCast(half, x2), hn::Set(half, kPhiloxSecond));
    x0 = hn::Xor3(hn::ShiftRight<32>(s), x1, first_key);
    x2 = hn::Xor3(hn::ShiftRight<32>(p), x3, second_key);
    x1 = s;
    x3 = p;
  }

  HWY_INLINE void store(std::uint32_t* to) const {
    const D64 d;
    const V64 low = hn::Set(d, 0xFFFFFFFF);
    hn::StoreInterleaved2(hn::Or(hn::And(x0, low), hn::ShiftLeft<32>(x1)),
                          hn::Or(hn::And(x2, low), hn::ShiftLeft<32>(x3)), d,
                          reinterpret_cast<std::uint64_t*>(to));
  }
};

/// Two vectors at a time: the rounds of one wait for their products.
inline void fill_words(const Draws& draws, std::uint64_t group, std::size_t count,
                       std::uint32_t* words) {
  const D64 d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += 8 * lanes) {
    Counters first(draws, group + i / 4);
    Counters second(draws, group + i / 4 + lanes);
    auto first_key = static_cast<std::uint32_t>(draws.seed);
    auto second_key = static_cast<std::uint32_t>(draws.seed >> 32);
    for (int round = 0; round < kPhiloxRounds; ++round) {
      first.round(hn::Set(d, first_key), hn::Set(d, second_key));
      second.round(hn::Set(d, first_key), hn::Set(d, second_key));
      first_key += kPhiloxFirstKey;
      second_key += kPhiloxSecondKey;
    }
    first.store(words + i);
    second.store(words + i + 4 * lanes);
  }
}
#endif

/// The words of `count` elements from the place `index` on, whose top `bits` are R, in `room`:
/// there is a pair of vectors more than `count` + 3.
HWY_INLINE const std::uint32_t* draw_words(const Draws& draws, int bits, std::uint64_t index,
                                           std::size_t count, std::uint32_t* room) {
  if (draws.given.empty()) {
    fill_words(draws, index / 4, count + index % 4, room);
    return room + index % 4;
  }
  const std::uint32_t* const given = draws.given.data() + index;
  for (std::size_t i = 0; i < count; ++i) room[i] = given[i] << (32 - bits);
  std::memset(room + count, 0, hn::Lanes(D32()) * sizeof *room);
  return room;
}

/// Magnitudes as binary32 patterns of any exponent, and words whose top bit is their sign.
struct Numbers {
  V32 magnitude;
  V32 sign;
};

/// Lanes(D32()) source words, which may be unaligned.
template <Source kSource>
HWY_INLINE Numbers load_numbers(const std::byte* from) {
  const D32 d;
  const hn::Rebind<std::uint16_t, D32> half;
  if constexpr (kSource == Source::kFp32) {
    alignas(64) std::uint32_t words[hn::MaxLanes(D32())];
    std::memcpy(words, from, 4 * hn::Lanes(d));
    const V32 word = hn::Load(d, words);
    return {hn::And(word, hn::Set(d, 0x7FFFFFFF)), word};
  } else {
    alignas(64) std::uint16_t words[hn::MaxLanes(D32())];
    std::memcpy(words, from, 2 * hn::Lanes(d));
    const V32 word = hn::PromoteTo(d, hn::Load(half, words));
    const V32 sign = hn::ShiftLeft<16>(word);
    if constexpr (kSource == Source::kBf16) {
      return {hn::And(sign, hn::Set(d, 0x7FFFFFFF)), sign};
    } else {
      const V32 magnitude = hn::And(word, hn::Set(d, 0x7FFF));
      const V32 normal = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(d, 112u << 23));
      // A subnormal is an integer: its conversion is exact in every state of the machine's floating
      // point, and normal.
      const hn::RebindToSigned<D32> di;
      const hn::RebindToFloat<D32> df;
      const V32 integer = hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(di, magnitude)));
      const V32 small = hn::Sub(integer, hn::Set(d, 24u << 23));
      const V32 number = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x400)), small, normal);
      return {hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(d)), number), sign};
    }
  }
}

struct DrawnCodes {
  V32 code;
  V32 to_zero;    ///< all ones where a number that is not zero got a zero code
  V32 overflows;  ///< all ones where a rounded magnitude lies above the largest
};

/// The stochastic roundings: what is cut off, in 32 bits, plus R carries into the code.
template <Draw kDraw, bool kSaturates>
class StochasticEncoder {
 public:
  explicit StochasticEncoder(const ElementConstants& c)
      : c_(c), drawn_(~std::uint32_t{0} << (32 - c.random_bits)) {
    while (c.sign_bit >> sign_place_ > 1) ++sign_place_;
  }

  /// `grid` is the exponent field of the element's emin, less one; `words` are drawn.
  HWY_INLINE DrawnCodes operator()(const Numbers& x, V32 grid, V32 words) const {
    const D32 d;
    const hn::RebindToSigned<D32> di;
    const auto mask = [&](std::uint16_t bits) {
      return hn::Set(d, bits == 0 ? 0 : ~std::uint32_t{0});
    };
    const auto above = [&](V32 a, V32 b) {  // max(a - b, 0)
      const auto difference = hn::Sub(hn::BitCast(di, a), hn::BitCast(di, b));
      return hn::BitCast(d, hn::Max(difference, hn::Zero(di)));
    };
    const V32 zero = hn::Zero(d);
    const V32 negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const V32 steps = above(hn::ShiftRight<23>(x.magnitude), hn::Set(d, 1));
    const V32 significand = hn::Sub(x.magnitude, hn::ShiftLeft<23>(steps));
    const auto normal = static_cast<std::uint32_t>(23 - c_.man_bits);
    const V32 shift = hn::Min(hn::Add(above(grid, steps), hn::Set(d, normal)), hn::Set(d, 63));
    const V32 base = hn::ShiftLeftSame(above(steps, grid), c_.man_bits);
    const V32 lower = hn::Add(base, hn::Shr(significand, hn::Min(shift, hn::Set(d, 31))));
    const V32 up = goes_up(significand, shift, words);
    const V32 magnitude = hn::Sub(lower, up);
    if constexpr (kSaturates) {
      const V32 sign =
          hn::And(hn::ShiftRightSame(x.sign, 31 - sign_place_), hn::Set(d, c_.sign_bit));
      const V32 limit = hn::Set(d, c_.limit[0]);
      return {hn::Or(hn::Min(magnitude, limit), sign),
              hn::VecFromMask(d, hn::AndNot(hn::Eq(x.magnitude, zero), hn::Eq(magnitude, zero))),
              hn::VecFromMask(d, hn::Gt(magnitude, limit))};
    }
    const V32 limit = select(negative, c_.limit[1], c_.limit[0]);
    const V32 overflows = hn::VecFromMask(d, hn::Gt(magnitude, limit));
    const V32 is_zero = hn::VecFromMask(d, hn::Eq(magnitude, zero));
    const V32 zero_in = hn::VecFromMask(d, hn::Eq(x.magnitude, zero));
    const V32 drops = hn::Or(hn::And(is_zero, mask(c_.drops_zero_sign)),
                             hn::And(zero_in, mask(c_.drops_input_sign)));
    const V32 sign = hn::AndNot(drops, negative);
    const V32 flip = hn::And(sign, mask(c_.twos_complement));
    const V32 complement =
        hn::And(hn::Sub(hn::Xor(magnitude, flip), flip), hn::Set(d, c_.code_mask));
    const V32 code = hn::Or(complement, hn::And(sign, hn::Set(d, c_.sign_bit)));
    const V32 over = select(negative, c_.overflow.of[1], c_.overflow.of[0]);
    return {hn::Or(hn::AndNot(overflows, code), hn::And(overflows, over)),
            hn::AndNot(zero_in, is_zero), overflows};
  }

  /// An infinity's or a NaN's code; other lanes keep theirs.
  HWY_INLINE V32 with_specials(const Numbers& x, V32 code, std::uint32_t inf) const {
    const D32 d;
    const hn::RebindToSigned<D32> di;
    const V32 negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const V32 infinity = hn::Set(d, inf);
    code = hn::IfThenElse(hn::Eq(x.magnitude, infinity),
                          select(negative, c_.infinity.of[1], c_.infinity.of[0]), code);
    return hn::IfThenElse(hn::Gt(x.magnitude, infinity),
                          select(negative, c_.nan.of[1], c_.nan.of[0]), code);
  }

 private:
  /// All ones where the magnitude goes up: a carry out of 32 bits.
  HWY_INLINE V32 goes_up(V32 significand, V32 shift, V32 words) const {
    const D32 d;
    const V32 whole = hn::Set(d, 32);
    const V32 random = hn::And(words, hn::Set(d, drawn_));
    // The fraction's top 32 bits; a shift is never below 16.
    const V32 near = hn::Shl(significand, hn::Sub(whole, hn::Min(shift, whole)));
    const V32 depth = hn::Sub(hn::Max(shift, whole), whole);
    const V32 deep = hn::Shr(significand, depth);
    const V32 fraction = hn::IfThenElse(hn::Gt(shift, whole), deep, near);
    if constexpr (kDraw == Draw::kA) {
      const V32 top = hn::And(fraction, hn::Set(d, drawn_));
      return hn::VecFromMask(d, hn::Lt(hn::Add(top, random), top));
    } else if constexpr (kDraw == Draw::kB) {
      const V32 top = hn::And(fraction, hn::Set(d, drawn_ | half()));
      return hn::VecFromMask(d, hn::Lt(hn::Add(top, hn::Or(random, hn::Set(d, half()))), top));
    } else {
      const V32 lost = hn::VecFromMask(
          d, hn::And(hn::Gt(shift, whole), hn::Ne(hn::Shl(deep, depth), significand)));
      const V32 more = hn::Or(hn::And(fraction, hn::Set(d, half() - 1)), lost);
      const V32 top = hn::And(fraction, hn::Set(d, drawn_));
      const V32 last = hn::Set(d, half() << 1);
      const auto is_odd = hn::Ne(hn::And(top, last), hn::Zero(d));
      const auto is_tie_up = kDraw == Draw::kC ? is_odd : hn::Not(is_odd);
      const auto is_half = hn::Ne(hn::And(fraction, hn::Set(d, half())), hn::Zero(d));
      const auto moves = hn::And(is_half, hn::Or(hn::Ne(more, hn::Zero(d)), is_tie_up));
      const V32 rounded = hn::Add(top, hn::IfThenElseZero(moves, last));
      const auto is_one = hn::And(moves, hn::Eq(rounded, hn::Zero(d)));
      return hn::VecFromMask(d, hn::Or(is_one, hn::Lt(hn::Add(rounded, random), rounded)));
    }
  }

  /// The bit below the drawn ones.
  [[nodiscard]] std::uint32_t half() const { return (~drawn_ >> 1) + 1; }

  static HWY_INLINE V32 select(V32 mask, std::uint32_t yes, std::uint32_t no) {
    const D32 d;
    return hn::Or(hn::And(mask, hn::Set(d, yes)), hn::AndNot(mask, hn::Set(d, no)));
  }

  const ElementConstants& c_;
  std::uint32_t drawn_;  ///< the bits of a word that are R
  int sign_place_ = 0;   ///< of the sign in a code
};

/// f(encoder) for the rounding of a format; the common one has a short end.
template <class Function>
HWY_INLINE void with_stochastic_encoder(const ElementConstants& c, const Function& f) {
  if (c.draw == Draw::kA && c.saturates) return f(StochasticEncoder<Draw::kA, true>(c));
  if (c.draw == Draw::kA) return f(StochasticEncoder<Draw::kA, false>(c));
  if (c.draw == Draw::kB) return f(StochasticEncoder<Draw::kB, false>(c));
  if (c.draw == Draw::kC) return f(StochasticEncoder<Draw::kC, false>(c));
  f(StochasticEncoder<Draw::kCOdd, false>(c));
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
