// Blocks of consecutive words under one scale, drawn for. Included once for each target of Highway.
#if defined(MX_FAST_SCALED_STOCHASTIC_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_SCALED_STOCHASTIC_BLOCKS_INL
#undef MX_FAST_SCALED_STOCHASTIC_BLOCKS_INL
#else
#define MX_FAST_SCALED_STOCHASTIC_BLOCKS_INL
#endif

#include <cstring>

#include "fast/scaled_stochastic/encoder-inl.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// Elements at a time, and those beyond that whole vectors may touch.
constexpr std::size_t kWide = 1024;
constexpr std::size_t kBeyond = 32;

/// What is known of some elements on their way.
struct StochasticPiece {
  alignas(64) std::uint32_t words[kWide + 8 * kBeyond];
  alignas(64) std::byte source[4 * (kWide + kBeyond)];
  alignas(64) std::uint8_t codes[kWide + kBeyond];
};

/// The words of `count` elements from where a run starts, and `offset` elements on.
HWY_INLINE const std::uint32_t* draw(const StochasticConstants& c, const StochasticFrom& from,
                                     std::size_t offset, std::size_t count,
                                     StochasticPiece& piece) {
  return words::draw_words(from.draws, c.random_bits, from.index + offset, count, piece.words);
}

/// Source words to where whole vectors may be read.
HWY_INLINE void load_piece(const std::byte* source, std::size_t count, std::size_t width,
                           StochasticPiece& piece) {
  std::memcpy(piece.source, source, count * width);
  std::memset(piece.source + count * width, 0, kBeyond * width);
}

HWY_INLINE Factors factors_of(const StochasticConstants& c, std::uint8_t scale) {
  const D32 d;
  const Factor& f = c.factors[scale];
  return {hn::Set(d, f.high), hn::Set(d, f.low), hn::Set(d, static_cast<std::uint32_t>(f.exponent)),
          hn::Set(d, c.vanishes[scale])};
}

HWY_INLINE bool any_of(V32 mask) {
  const D32 d;
  return !hn::AllFalse(d, hn::Ne(mask, hn::Zero(d)));
}

HWY_INLINE void store_bytes(V32 codes, std::uint8_t* to) {
  const hn::RebindToSigned<D32> di;
  const hn::Rebind<std::uint8_t, D32> bytes;
  // Demoted and not truncated: TruncateTo of 32-bit lanes is wrong in Highway 1.0.3's AVX3_DL.
  hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(di, codes)), bytes, to);
}

/// A block of consecutive words from where whole vectors may be read, into codes where they may be
/// written; the elements' part of its status word.
template <Source kSource, class Encoder>
HWY_INLINE unsigned draw_block(const Encoder& encode, const Factors& factors,
                               const std::byte* source, std::size_t count,
                               const std::uint32_t* random, std::uint8_t* codes) {
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  V32 to_zero = hn::Zero(d);
  V32 saturated = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += lanes) {
    const Numbers x = words::load_numbers<kSource>(source + i * cpu::word_bytes(kSource));
    const StochasticLanes y = encode(x, factors, hn::LoadU(d, random + i));
    store_bytes(y.code, codes + i);
    // Lanes beyond the block are those of the next one.
    const V32 inside = hn::VecFromMask(d, hn::FirstN(d, count - i));
    to_zero = hn::Or(to_zero, hn::And(y.to_zero, inside));
    saturated = hn::Or(saturated, hn::And(y.saturated, inside));
  }
  return (any_of(to_zero) ? unsigned{cpu::kToZero} : 0) |
         (any_of(saturated) ? unsigned{cpu::kSaturated} : 0);
}
#endif

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
