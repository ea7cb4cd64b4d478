// A tile of blocks: their keys, and the largest of each block. Included once for each target of
// Highway.
#if defined(MX_FAST_CPU_MAXIMA_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_CPU_MAXIMA_INL
#undef MX_FAST_CPU_MAXIMA_INL
#else
#define MX_FAST_CPU_MAXIMA_INL
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "fast/cpu/keys-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// Elements and blocks that pass through a tile, and room for the vectors that reach beyond.
constexpr std::size_t kTile = 2048;
constexpr std::size_t kSpare = 64;
constexpr std::size_t kMostBlocks = 512;

/// What is known of the blocks of a tile. Zeros fill the last vector of a block; two blocks of half
/// a vector each share one.
struct Tile {
  alignas(64) std::uint16_t most[kMostBlocks + kSpare];  ///< largest key of each block
  alignas(64) std::uint16_t grid[kMostBlocks + kSpare];  ///< exponent field of emin, less one
  alignas(64) std::uint16_t scale[kMostBlocks + kSpare];
  /// Of each vector, in both halves; of two blocks that share one, the first's in the lower half.
  alignas(64) std::uint32_t base[kTile + kSpare];
  alignas(64) std::uint16_t key[kTile + kSpare];   ///< in the order of load_mixed_halves
  alignas(64) std::uint16_t sign[kTile + kSpare];  ///< the same, at the top
};

/// Half a vector has kernels of its own if it has 128 bits.
constexpr bool kHasPairs = hn::MaxLanes(D()) >= 16;

/// The blocks of a tile as whole vectors, one behind the other.
struct Blocks {
  std::size_t count;    ///< elements; the last block may be short
  std::size_t block;    ///< elements of a block
  std::size_t vectors;  ///< of a block
  bool in_pairs;        ///< two blocks fill a vector
  std::size_t blocks;
  std::size_t all_vectors;
  bool are_whole;  ///< their elements are those of the vectors

  Blocks(std::size_t all, std::size_t size)
      : count(all),
        block(size),
        vectors((size + hn::Lanes(D()) - 1) / hn::Lanes(D())),
        in_pairs(kHasPairs && 2 * size == hn::Lanes(D())),
        blocks((count + block - 1) / block),
        all_vectors(in_pairs ? (blocks + 1) / 2 : blocks * vectors),
        are_whole(count == all_vectors * hn::Lanes(D())) {}
  /// Elements from one block to the next.
  [[nodiscard]] std::size_t stride() const { return in_pairs ? block : vectors * hn::Lanes(D()); }
  [[nodiscard]] std::size_t size_of(std::size_t b) const {
    return std::min(block, count - b * block);
  }
};

/// As many elements of blocks of a size as fit where there is room for some, at most kTile.
inline std::size_t elements_of_tile(std::size_t block, std::size_t room) {
  return std::min(room / Blocks(block, block).stride(), kMostBlocks) * block;
}

/// memcpy of few bytes.
HWY_INLINE void copy_bytes(void* to, const void* from, std::size_t count) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) std::memcpy(target + i, source + i, 16);
  if (i != count) std::memcpy(target + i, source + i, count - i);
}

/// The keys of `count` words, at most a vector of them; the lanes beyond are zeros.
template <Source kSource, bool kMixes = false>
HWY_INLINE Keys load_some(const std::byte* from, std::size_t count) {
  if (HWY_LIKELY(count == hn::Lanes(D()))) return load_keys<kSource, kMixes>(from);
  alignas(64) std::byte rest[4 * kSpare];
  std::memset(rest, 0, hn::Lanes(D()) * word_bytes(kSource));
  copy_bytes(rest, from, count * word_bytes(kSource));
  return load_keys<kSource, kMixes>(rest);
}

/// Keeps the keys of a vector of the tile.
HWY_INLINE V keep(const Keys& x, std::size_t vector, Tile& tile) {
  const D d;
  hn::Store(x.key, d, tile.key + vector * hn::Lanes(d));
  hn::Store(x.sign, d, tile.sign + vector * hn::Lanes(d));
  return x.key;
}

HWY_INLINE Keys kept(const Tile& tile, std::size_t vector) {
  const D d;
  return {hn::Load(d, tile.key + vector * hn::Lanes(d)),
          hn::Load(d, tile.sign + vector * hn::Lanes(d))};
}

/// All ones in the lanes of the first `count` elements, in the order of load_keys<kSource, true>.
template <Source kSource>
V first_lanes(std::size_t count) {
  const std::size_t lanes = hn::Lanes(D());
  alignas(64) std::uint16_t mask[kSpare];
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool takes_turns = kSource == Source::kFp32 && lanes > 1;
    const std::size_t element = takes_turns ? i / 2 + i % 2 * (lanes / 2) : i;
    mask[i] = element < count ? 0xFFFF : 0;
  }
  return hn::Load(D(), mask);
}

/// Keys of all blocks from their words.
template <Source kSource>
void make_keys(const std::byte* words, const Blocks& shape, Tile& tile) {
  const std::size_t lanes = hn::Lanes(D());
  const std::size_t run = shape.in_pairs ? shape.count : shape.block;  // elements without a gap
  const V inside = first_lanes<kSource>((run - 1) % lanes + 1);
  std::size_t vector = 0;
  for (std::size_t first = 0; first < shape.count; first += run) {
    const std::size_t end = std::min(first + run, shape.count);
    for (std::size_t i = first; i < first + run; i += lanes, ++vector) {
      const std::byte* const from = words + i * word_bytes(kSource);
      const bool is_last = i + lanes >= first + run;
      Keys x;
      if (i + lanes <= shape.count) {
        x = load_keys<kSource, true>(from);
        if (is_last) x.key = hn::And(x.key, inside);
      } else {
        x = load_some<kSource, true>(from, i < end ? end - i : 0);
      }
      keep(x, vector, tile);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
/// Keys of all blocks, and the largest of each.
template <Source kSource>
void find_keys(const std::byte* words, const Blocks& shape, Tile& tile) {
  make_keys<kSource>(words, shape, tile);
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    const std::uint16_t* const first = tile.key + b * shape.vectors;
    tile.most[b] = *std::max_element(first, first + shape.vectors);
  }
}
#else
/// Vectors whose largest lanes are found together: as many as 128 bits have lanes.
template <class DR>
constexpr std::size_t kAtOnce = 16 / sizeof(hn::TFromD<DR>);

/// The largest keys of as many vectors, in all 128 bits of the result: lanes of two vectors take
/// turns in one, then of four, of eight. A lane of 32 bits holds keys of two blocks.
template <class DR>
HWY_INLINE hn::Vec<DR> largest_lanes(DR d, const hn::Vec<DR> (&v)[kAtOnce<DR>]) {
  const hn::Repartition<std::uint16_t, DR> keys;
  const auto larger = [&](hn::Vec<DR> a, hn::Vec<DR> b) {
    return hn::BitCast(d, hn::Max(hn::BitCast(keys, a), hn::BitCast(keys, b)));
  };
  const auto merged = [&](hn::Vec<DR> a, hn::Vec<DR> b) {
    return larger(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  hn::Vec<DR> all;
  if constexpr (kAtOnce<DR> == 4) {
    all = merged(merged(v[0], v[2]), merged(v[1], v[3]));
  } else {
    all = merged(merged(merged(v[0], v[4]), merged(v[2], v[6])),
                 merged(merged(v[1], v[5]), merged(v[3], v[7])));
  }
  if constexpr (sizeof(all) > 16) all = larger(all, hn::SwapAdjacentBlocks(all));
  if constexpr (sizeof(all) > 32) all = larger(all, hn::ReverseBlocks(d, all));
  return all;
}

/// The largest key of each block; `maximum(b)` are those of the lanes of a block.
template <class DR, class Maximum>
HWY_INLINE void rank_blocks(DR d, std::size_t blocks, const Maximum& maximum, std::uint16_t* to) {
  const hn::Repartition<std::uint16_t, DR> keys;
  constexpr std::size_t kKeys = 8 / kAtOnce<DR>;  // of a lane
  hn::Vec<DR> most[kAtOnce<DR>];
  std::size_t b = 0;
  for (; b + kAtOnce<DR> <= blocks; b += kAtOnce<DR>) {
    HWY_UNROLL(8) for (std::size_t i = 0; i < kAtOnce<DR>; ++i) most[i] = maximum(b + i);
    hn::StoreU(hn::BitCast(keys, largest_lanes(d, most)), keys, to + kKeys * b);
  }
  if (b == blocks) return;
  for (std::size_t i = 0; i < kAtOnce<DR>; ++i) {
    most[i] = b + i < blocks ? maximum(b + i) : hn::Zero(d);
  }
  hn::StoreU(hn::BitCast(keys, largest_lanes(d, most)), keys, to + kKeys * b);
}

/// The largest key of each block of half a vector, from all keys.
template <Source kSource>
HWY_INLINE void rank_pairs(const Blocks& shape, Tile& tile) {
  if constexpr (!kHasPairs) {
    return;
  } else if constexpr (kSource == Source::kFp32) {
    const hn::Repartition<std::uint32_t, D> pairs;
    rank_blocks(
        pairs, shape.all_vectors,
        [&](std::size_t v) { return hn::BitCast(pairs, kept(tile, v).key); }, tile.most);
  } else {
    const hn::Half<D> half;
    rank_blocks(
        half, shape.blocks,
        [&](std::size_t b) { return hn::Load(half, tile.key + b * shape.block); }, tile.most);
  }
}

/// Keys of all blocks, and the largest of each.
template <Source kSource>
HWY_INLINE void find_keys(const std::byte* words, const Blocks& shape, Tile& tile) {
  const D d;
  const std::size_t vector = hn::Lanes(d) * word_bytes(kSource);
  const std::size_t blocks = shape.blocks;
  const auto make = [&](std::size_t v) {
    return keep(load_keys<kSource, true>(words + v * vector), v, tile);
  };
  if (shape.in_pairs || !shape.are_whole) {
    make_keys<kSource>(words, shape, tile);
    if (shape.in_pairs) return rank_pairs<kSource>(shape, tile);
    const auto maximum = [&](std::size_t b) {
      V most = hn::Zero(d);
      for (std::size_t v = b * shape.vectors; v < (b + 1) * shape.vectors; ++v) {
        most = hn::Max(most, kept(tile, v).key);
      }
      return most;
    };
    rank_blocks(d, blocks, maximum, tile.most);
  } else if (shape.vectors == 1) {
    rank_blocks(d, blocks, make, tile.most);
  } else {
    const auto maximum = [&](std::size_t b) {
      V most = make(b * shape.vectors);
      for (std::size_t v = b * shape.vectors + 1; v < (b + 1) * shape.vectors; ++v) {
        most = hn::Max(most, make(v));
      }
      return most;
    };
    rank_blocks(d, blocks, maximum, tile.most);
  }
}
#endif

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
