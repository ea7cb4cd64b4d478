// A tile of blocks: source words to keys, keys to maxima, maxima to scales, keys and scales to
// codes. Included once for each target of Highway.
#if defined(MX_FAST_CPU_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_CPU_TILE_INL
#undef MX_FAST_CPU_TILE_INL
#else
#define MX_FAST_CPU_TILE_INL
#endif

#include <algorithm>
#include <cstring>

#include "fast/cpu/constants.hpp"
#include "fast/cpu/keys-inl.hpp"
#include "fast/cpu/plain.hpp"
#include "fast/memory/ahead.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// Elements and blocks that pass through a tile, and room for the vectors that reach beyond.
constexpr std::size_t kTile = 2048;
constexpr std::size_t kSpare = 64;
constexpr std::size_t kMostBlocks = 512;

/// What is known of the blocks of a tile.
struct Tile {
  alignas(64) std::uint16_t key[kTile + kSpare];
  alignas(64) std::uint16_t sign[kTile + kSpare];
  alignas(64) std::uint16_t most[kMostBlocks + kSpare];  ///< largest key of each block
  alignas(64) std::uint16_t grid[kMostBlocks + kSpare];  ///< as the encoders take it
  alignas(64) std::uint16_t scale[kMostBlocks + kSpare];
  alignas(64) std::uint16_t spread[kTile + kSpare];  ///< grid of each element
  alignas(64) std::uint8_t code[kTile + kSpare];
  alignas(64) std::uint16_t report[kTile + kSpare];  ///< status bits of each element
};

template <Source kSource>
void load_tile(const std::byte* source, std::size_t count, Tile& tile) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = word_bytes(kSource);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Keys x = load_keys<kSource>(source + i * kBytes);
    hn::Store(x.key, d, tile.key + i);
    hn::Store(x.sign, d, tile.sign + i);
  }
  if (i == count) return;
  alignas(64) std::byte rest[4 * kSpare] = {};
  std::memcpy(rest, source + i * kBytes, (count - i) * kBytes);
  const Keys x = load_keys<kSource>(rest);
  hn::Store(x.key, d, tile.key + i);
  hn::Store(x.sign, d, tile.sign + i);
}

/// The largest lane.
template <class DX>
HWY_INLINE std::uint16_t largest_lane(DX d, hn::Vec<DX> v) {
  if constexpr (hn::MaxLanes(DX()) == 1) {
    return hn::GetLane(v);
  } else if constexpr (hn::MaxLanes(DX()) > 8) {
    // Found by their arguments: HWY_SCALAR has no UpperHalf.
    const hn::Half<DX> half;
    return largest_lane(half, hn::Max(LowerHalf(half, v), UpperHalf(half, v)));
  } else {
    return hn::GetLane(hn::MaxOfLanes(d, v));
  }
}

/// The largest key of each block of consecutive elements.
inline void find_maxima(std::size_t count, std::size_t block, Tile& tile) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t b = 0;
  for (std::size_t first = 0; first < count; first += block, ++b) {
    const std::size_t size = std::min(block, count - first);
    V most = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) most = hn::Max(most, hn::LoadU(d, tile.key + first + i));
    if (i < size) {
      const V rest = hn::LoadU(d, tile.key + first + i);
      most = hn::Max(most, hn::IfThenElseZero(hn::FirstN(d, size - i), rest));
    }
    tile.most[b] = largest_lane(d, most);
  }
}

/// What a block needs after the vector kernels.
enum class Care : std::uint8_t { kNone, kSpecial, kPlain };
HWY_INLINE Care care_of(const BlockConstants& c, std::uint16_t inf, std::uint16_t most,
                        std::uint16_t grid) {
  if (most == 0) return Care::kNone;
  if (most >= inf || ((most + c.rule_addend) >> kKeyBits) >= c.nan_field) return Care::kSpecial;
  return most < 1 << kKeyBits || grid > 0x7FFF ? Care::kPlain : Care::kNone;
}

/// Scale and grid of every block from its largest key; true if any needs care.
inline bool choose_scales(const BlockConstants& c, std::uint16_t inf, std::size_t blocks,
                          Tile& tile) {
  const D d;
  const hn::RebindToSigned<D> di;
  const auto number = [&](int value) { return hn::Set(di, static_cast<std::int16_t>(value)); };
  const V zero = hn::Zero(d);
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
    const V grid = hn::IfThenElse(is_zero, hn::Set(d, 0x7FFF),
                                  hn::BitCast(d, hn::Add(scale, number(c.element_offset))));
    hn::Store(hn::BitCast(d, scale), d, tile.scale + b);
    hn::Store(grid, d, tile.grid + b);
    const V nan_field = hn::Set(d, static_cast<std::uint16_t>(c.nan_field - 1));
    const V special =
        hn::Or(hn::SaturatedSub(most, hn::Set(d, static_cast<std::uint16_t>(inf - 1))),
               hn::SaturatedSub(field, nan_field));
    const V small = hn::SaturatedSub(hn::Set(d, 1 << kKeyBits), most);
    const V plain =
        hn::Or(hn::AndNot(hn::VecFromMask(d, is_zero), small), hn::ShiftRight<15>(grid));
    cares = hn::Or(cares, hn::Or(special, plain));
  }
  return !hn::AllFalse(d, hn::Ne(cares, zero));
}

/// Status bits of elements, one word each.
HWY_INLINE void report(const Encoded& x, std::uint16_t* to) {
  const D d;
  hn::StoreU(
      hn::Or(hn::And(x.to_zero, hn::Set(d, kToZero)), hn::And(x.overflows, hn::Set(d, kSaturated))),
      d, to);
}

/// Source words and codes of the tile to come, fetched while the codes of this one are computed:
/// the passes over a tile leave memory idle otherwise.
struct Ahead {
  const std::byte* source;
  std::size_t word_bytes;
  const std::uint8_t* codes;
};

/// Codes of `count` elements, whole vectors of them; `grid_of(i)` is the grid of the lanes from i
/// on.
template <class Encoder, class GridOf>
HWY_INLINE void encode_lanes(const Encoder& encode, std::size_t count, const std::uint16_t* key,
                             const std::uint16_t* sign, const GridOf& grid_of, Ahead ahead,
                             std::uint8_t* codes) {
  const D d;
  const hn::Rebind<std::uint8_t, D> bytes;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    fetch_ahead(ahead.source, i * ahead.word_bytes, hn::Lanes(d) * ahead.word_bytes);
    fetch_ahead(ahead.codes, i, 1);
    const Keys x{hn::LoadU(d, key + i), hn::LoadU(d, sign + i)};
    hn::StoreU(hn::TruncateTo(bytes, encode(x, grid_of(i))), bytes, codes + i);
  }
}

/// The encoder of a format: the short one where it has one. f(encoder).
template <class Function>
HWY_INLINE void with_encoder(const ElementConstants& c, const Function& f) {
  if (c.is_plain && c.man_bits == 3 && c.sign_bit == 0x80) return f(PlainEncoder<3, 8>(c));
  if (c.is_plain && c.man_bits == 2 && c.sign_bit == 0x80) return f(PlainEncoder<2, 8>(c));
  if (c.is_plain && c.man_bits == 4 && c.sign_bit == 0x80) return f(PlainEncoder<4, 8>(c));
  if (c.is_plain && c.man_bits == 3 && c.sign_bit == 0x20) return f(PlainEncoder<3, 6>(c));
  if (c.is_plain && c.man_bits == 2 && c.sign_bit == 0x20) return f(PlainEncoder<2, 6>(c));
  if (c.is_plain && c.man_bits == 1 && c.sign_bit == 0x08) return f(PlainEncoder<1, 4>(c));
  f(GeneralEncoder(c));
}

inline void spread_grids(std::size_t count, std::size_t block, Tile& tile) {
  std::size_t b = 0;
  for (std::size_t first = 0; first < count; first += block, ++b) {
    std::fill_n(tile.spread + first, std::min(block, count - first), tile.grid[b]);
  }
}

/// Whole vectors of codes into `codes`, which has room for them.
inline void encode_tile(const ElementConstants& c, std::size_t count, std::size_t block, Tile& tile,
                        Ahead ahead, std::uint8_t* codes) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  if (block == lanes) {
    with_encoder(c, [&](const auto& encode) {
      const std::uint16_t* next = tile.grid;
      encode_lanes(
          encode, count, tile.key, tile.sign, [&](std::size_t) { return hn::Set(d, *next++); },
          ahead, codes);
    });
    return;
  }
  spread_grids(count, block, tile);
  with_encoder(c, [&](const auto& encode) {
    encode_lanes(
        encode, count, tile.key, tile.sign,
        [&](std::size_t i) { return hn::Load(d, tile.spread + i); }, ahead, codes);
  });
}

inline void report_tile(const ElementConstants& c, std::size_t count, std::size_t block,
                        Tile& tile) {
  const D d;
  spread_grids(count, block, tile);
  const GeneralEncoder encoder(c);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Keys x{hn::Load(d, tile.key + i), hn::Load(d, tile.sign + i)};
    report(encoder.encode(x, hn::Load(d, tile.spread + i)), tile.report + i);
  }
}

/// The scale's part of a status word.
inline std::uint16_t scale_status(const BlockConstants& c, const Tile& tile, std::size_t b) {
  unsigned status = tile.scale[b];
  if (tile.most[b] == 0) return static_cast<std::uint16_t>(status | kZero);
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

/// The keys of `count` words, at most a vector of them; the lanes beyond are zeros.
template <Source kSource>
HWY_INLINE Keys load_some(const std::byte* from, std::size_t count) {
  if (HWY_LIKELY(count == hn::Lanes(D()))) return load_keys<kSource>(from);
  alignas(64) std::byte rest[4 * kSpare] = {};
  std::memcpy(rest, from, count * word_bytes(kSource));
  return load_keys<kSource>(rest);
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
