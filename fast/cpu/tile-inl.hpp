// A tile of blocks: maxima to scales, source words and scales to codes. Included once for each
// target of Highway.
#if defined(MX_FAST_CPU_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_CPU_TILE_INL
#undef MX_FAST_CPU_TILE_INL
#else
#define MX_FAST_CPU_TILE_INL
#endif

#include <algorithm>
#include <cstring>

#include "fast/cpu/constants.hpp"
#include "fast/cpu/maxima-inl.hpp"
#include "fast/cpu/order-inl.hpp"
#include "fast/cpu/plain.hpp"
#include "fast/memory/ahead.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// What a block needs after the vector kernels.
enum class Care : std::uint8_t { kNone, kSpecial, kPlain };
HWY_INLINE Care care_of(const BlockConstants& c, std::uint16_t inf, std::uint16_t most,
                        std::uint16_t grid) {
  if (most == 0) return Care::kNone;
  if (most >= inf || ((most + c.rule_addend) >> kKeyBits) >= c.nan_field) return Care::kSpecial;
  const bool is_exact = grid > c.element.man_bits && grid <= kHighestGrid;
  return most < 1 << kKeyBits || !is_exact || c.is_uncertain(most) ? Care::kPlain : Care::kNone;
}

/// Moves the largest keys that do not decide the scales of their blocks to others that do.
/// `block_of(b)` is block b of the tile.
template <class BlockOf>
HWY_INLINE void settle_keys(const BlockConstants& c, Source source, std::size_t blocks, Tile& tile,
                            const BlockOf& block_of) {
  if (!c.rule.any()) return;
  const D d;
  const V uncertain = hn::Set(d, c.uncertain);
  for (std::size_t first = 0; first < blocks; first += hn::Lanes(d)) {
    const V lower = hn::And(hn::Load(d, tile.most + first), hn::Set(d, (1 << kKeyBits) - 1));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Eq(lower, uncertain)))) continue;
    for (std::size_t b = first; b < std::min(blocks, first + hn::Lanes(d)); ++b) {
      const std::uint16_t key = tile.most[b];
      // Plain code answers for subnormal maxima, of which keys tell less.
      const bool is_normal = key >= 1 << kKeyBits && key < inf_key(source);
      if (!is_normal || !c.is_uncertain(key)) continue;
      tile.most[b] = settled_key(c, source, block_of(b), key);
    }
  }
}

/// Scale and grid of every block from its largest key; true if any needs care.
inline bool choose_scales(const BlockConstants& c, std::uint16_t inf, std::size_t blocks,
                          Tile& tile) {
  const D d;
  const hn::RebindToSigned<D> di;
  const auto number = [&](int value) { return hn::Set(di, static_cast<std::int16_t>(value)); };
  const V zero = hn::Zero(d);
  const auto least = static_cast<std::uint16_t>(c.element.man_bits + 1);
  const V lowest_grid = hn::Set(d, least);
  const V grids = hn::Set(d, static_cast<std::uint16_t>(kHighestGrid - least));
  V cares = zero;
  for (std::size_t b = 0; b < blocks; b += hn::Lanes(d)) {
    const V most = hn::Load(d, tile.most + b);
    // A sum beyond 16 bits belongs to a NaN.
    const V field = hn::ShiftRight<kKeyBits>(hn::SaturatedAdd(most, hn::Set(d, c.rule_addend)));
    auto scale = hn::Add(hn::BitCast(di, field), number(c.scale_offset));
    scale = hn::Min(hn::Max(scale, number(c.lowest_scale)), number(c.highest_scale));
    const auto is_zero = hn::Eq(most, zero);
    scale = hn::IfThenElse(hn::RebindMask(di, is_zero), number(c.zero_scale), scale);
    // A block of zeros has no grid to care for.
    const V grid = hn::IfThenElse(is_zero, hn::Set(d, kHighestGrid),
                                  hn::BitCast(d, hn::Add(scale, number(c.element_offset))));
    hn::Store(hn::BitCast(d, scale), d, tile.scale + b);
    hn::Store(grid, d, tile.grid + b);
    const V nan_field = hn::Set(d, static_cast<std::uint16_t>(c.nan_field - 1));
    const V special =
        hn::Or(hn::SaturatedSub(most, hn::Set(d, static_cast<std::uint16_t>(inf - 1))),
               hn::SaturatedSub(field, nan_field));
    const V small = hn::SaturatedSub(hn::Set(d, 1 << kKeyBits), most);
    const V inexact = hn::SaturatedSub(hn::Sub(grid, lowest_grid), grids);
    const V plain = hn::Or(hn::AndNot(hn::VecFromMask(d, is_zero), small), inexact);
    const auto uncertain =
        hn::Eq(hn::And(most, hn::Set(d, (1 << kKeyBits) - 1)), hn::Set(d, c.uncertain));
    cares = hn::Or(hn::Or(cares, special), hn::IfThenElse(uncertain, hn::Set(d, 1), plain));
  }
  return !hn::AllFalse(d, hn::Ne(cares, zero));
}

/// Scales as bytes.
HWY_INLINE void store_scales(const Tile& tile, std::size_t blocks, std::uint8_t* to) {
  const D d;
  const hn::Rebind<std::uint8_t, D> bytes;
  std::size_t b = 0;
  for (; b + hn::Lanes(d) <= blocks; b += hn::Lanes(d)) {
    hn::StoreU(hn::TruncateTo(bytes, hn::Load(d, tile.scale + b)), bytes, to + b);
  }
  for (; b < blocks; ++b) to[b] = static_cast<std::uint8_t>(tile.scale[b]);
}

#if HWY_TARGET == HWY_SCALAR
/// The base of every vector from the grids of blocks.
inline void spread_bases(const Blocks& shape, Tile& tile) {
  for (std::size_t v = 0; v < shape.all_vectors; ++v) {
    tile.base[v] = (tile.grid[v / shape.vectors] + 1U) << kKeyBits & 0xFFFF;
  }
}

/// The base of each lane of a vector.
template <bool kPairs>
HWY_INLINE V base_of(const Tile& tile, std::size_t vector) {
  return hn::Set(D(), static_cast<std::uint16_t>(tile.base[vector]));
}
#else
/// The base of every vector from the grids of blocks.
inline void spread_bases(const Blocks& shape, Tile& tile) {
  const hn::Repartition<std::uint32_t, D> words;
  const std::size_t blocks = shape.blocks;
  if (shape.in_pairs) {
    const D d;
    for (std::size_t b = 0; b < blocks; b += hn::Lanes(d)) {
      const V base = hn::ShiftLeft<kKeyBits>(hn::Add(hn::Load(d, tile.grid + b), hn::Set(d, 1)));
      hn::Store(hn::BitCast(words, base), words, tile.base + b / 2);
    }
    return;
  }
  if (shape.vectors == 1) {
    const hn::Rebind<std::uint16_t, decltype(words)> half;
    for (std::size_t b = 0; b < blocks; b += hn::Lanes(words)) {
      const auto grid = hn::PromoteTo(words, hn::Load(half, tile.grid + b));
      const auto base = hn::ShiftLeft<kKeyBits>(hn::Add(grid, hn::Set(words, 1)));
      hn::Store(hn::Or(base, hn::ShiftLeft<16>(base)), words, tile.base + b);
    }
    return;
  }
  const hn::CappedTag<std::uint32_t, 4> few;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t base = (tile.grid[b] + 1U) << kKeyBits & 0xFFFF;
    const auto both = hn::Set(few, base << 16 | base);
    std::uint32_t* const to = tile.base + b * shape.vectors;
    for (std::size_t i = 0; i < shape.vectors; i += hn::Lanes(few)) hn::StoreU(both, few, to + i);
  }
}

/// The base of each lane of a vector. The order of load_mixed_halves has the lanes of two blocks
/// take turns, as their bases do in a word; in plain order, `kPairs`, they lie in halves.
template <bool kPairs>
HWY_INLINE V base_of(const Tile& tile, std::size_t vector) {
  const D d;
  const std::uint32_t base = tile.base[vector];
  if constexpr (kPairs) {
    return hn::ConcatUpperLower(d, hn::Set(d, static_cast<std::uint16_t>(base >> 16)),
                                hn::Set(d, static_cast<std::uint16_t>(base & 0xFFFF)));
  } else {
    return hn::BitCast(d, hn::Set(hn::Repartition<std::uint32_t, D>(), base));
  }
}
#endif

/// Source words and codes of the tile to come, fetched while the codes of this one are computed:
/// the passes over a tile leave memory idle otherwise. kLead elements more, because the maxima of a
/// tile are found faster than memory answers.
constexpr std::size_t kLead = 256;
struct Ahead {
  const std::byte* source;
  const std::uint8_t* codes;
};

/// Codes of the blocks of a tile.
template <Source kSource, bool kPairs, class Encoder>
HWY_INLINE void encode_blocks(const Encoder& encode, const Blocks& shape, const Tile& tile,
                              Ahead ahead, std::uint8_t* codes) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t vectors = shape.all_vectors;
  constexpr std::size_t kBytes = word_bytes(kSource);
  const Order<kSource == Source::kFp32> order;
  alignas(64) std::uint8_t copied[kTile + kSpare];
  std::uint8_t* const to = shape.are_whole ? codes : copied;
  std::size_t v = 0;
  for (; v + 2 <= vectors; v += 2) {
    fetch_ahead(ahead.source, v * lanes * kBytes, 2 * lanes * kBytes);
    fetch_ahead(ahead.codes, v * lanes, 1);
    encode_two(encode, kept(tile, v), base_of<kPairs>(tile, v), kept(tile, v + 1),
               base_of<kPairs>(tile, v + 1), order, to + v * lanes);
  }
  if (v != vectors) {
    alignas(64) std::uint8_t last[2 * kSpare];
    order.store(encode(kept(tile, v), base_of<kPairs>(tile, v)), hn::Zero(d), last);
    std::memcpy(to + v * lanes, last, lanes);
  }
  if (shape.are_whole) return;
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    copy_bytes(codes + b * shape.block, copied + b * shape.stride(), shape.size_of(b));
  }
}

/// The encoder of a format: the short one where it has one. f(encoder).
template <class Function>
HWY_INLINE void with_encoder(const ElementConstants& c, const Function& f) {
#if HWY_TARGET != HWY_SCALAR
  switch (c.short_kernel) {
    case Short::kSigned:
      return f(PlainEncoder<Short::kSigned>(c));
    case Short::kZeroByCode:
      return f(PlainEncoder<Short::kZeroByCode>(c));
    case Short::kZeroByInput:
      return f(PlainEncoder<Short::kZeroByInput>(c));
    case Short::kTwos:
      return f(PlainEncoder<Short::kTwos>(c));
    case Short::kNone:
      break;
  }
#endif
  f(GeneralEncoder(c));
}

/// The keys of a vector that are of a block; zeros for those of the block that shares it.
template <Source kSource>
HWY_INLINE V keys_of_block(V key, [[maybe_unused]] bool shares, [[maybe_unused]] bool is_second) {
#if HWY_TARGET != HWY_SCALAR
  const D d;
  const V zero = hn::Zero(d);
  if (shares && kSource == Source::kFp32) {
    return is_second ? hn::OddEven(key, zero) : hn::OddEven(zero, key);
  }
  if (shares) {
    return is_second ? hn::ConcatUpperLower(d, key, zero) : hn::ConcatUpperLower(d, zero, key);
  }
#endif
  return key;
}

/// The elements' part of a block's status word.
template <Source kSource>
HWY_INLINE unsigned elements_status(const GeneralEncoder& general, const Blocks& shape,
                                    const Tile& tile, std::size_t block) {
  const D d;
  const V base = hn::Set(d, static_cast<std::uint16_t>((tile.grid[block] + 1U) << kKeyBits));
  V to_zero = hn::Zero(d);
  V overflows = hn::Zero(d);
  const std::size_t first = shape.in_pairs ? block / 2 : block * shape.vectors;
  for (std::size_t v = first; v < first + shape.vectors; ++v) {
    Keys x = kept(tile, v);
    x.key = keys_of_block<kSource>(x.key, shape.in_pairs, block % 2 != 0);
    const Encoded y = general.encode(x, base);
    to_zero = hn::Or(to_zero, y.to_zero);
    overflows = hn::Or(overflows, y.overflows);
  }
  const auto any = [&](V mask) { return !hn::AllFalse(d, hn::Ne(mask, hn::Zero(d))); };
  return (any(to_zero) ? unsigned{kToZero} : 0U) | (any(overflows) ? unsigned{kSaturated} : 0U);
}

/// The scale's part of a status word.
inline std::uint16_t scale_status(const BlockConstants& c, const Tile& tile, std::size_t b) {
  unsigned status = tile.scale[b];
  if (tile.most[b] == 0) return static_cast<std::uint16_t>(status | c.zero_status);
  const int scale = ((tile.most[b] + c.rule_addend) >> kKeyBits) + c.scale_offset;
  if (scale < c.lowest_scale || scale > c.highest_scale) status |= kClamped;
  return static_cast<std::uint16_t>(status);
}

/// A block that the vector kernels cannot answer: its codes, its scale and its status.
inline std::uint16_t take_care(const BlockConstants& c, Source source, Care care,
                               const PlainBlock& block, std::uint16_t most) {
  if (care == Care::kPlain) return quantize_plain(c, source, block);
  for (std::size_t i = 0; i < block.count; ++i) block.codes[i * block.stride] = c.nan_fill;
  auto status = static_cast<unsigned>(c.nan_scale);
  if (most < inf_key(source)) return static_cast<std::uint16_t>(status | kClamped);
  if (most > inf_key(source)) status |= kNan;
  if (has_infinity(source, block)) status |= kInf;
  return static_cast<std::uint16_t>(status);
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
