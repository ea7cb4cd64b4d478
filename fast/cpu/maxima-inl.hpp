// A tile of blocks, and the largest keys of its blocks. Included once for each target of Highway.
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
constexpr std::size_t kTile = 1024;
constexpr std::size_t kSpare = 64;
constexpr std::size_t kMostBlocks = 512;

/// What is known of the blocks of a tile. Blocks that do not fill their last vector are copied, and
/// zeros fill it; two blocks of half a vector each share one.
struct Tile {
  alignas(64) std::uint16_t most[kMostBlocks + kSpare];  ///< largest key of each block
  alignas(64) std::uint16_t grid[kMostBlocks + kSpare];  ///< exponent field of emin, less one
  alignas(64) std::uint16_t scale[kMostBlocks + kSpare];
  alignas(64) std::uint32_t rank[kMostBlocks + kSpare];  ///< before it is a key
  /// Of each vector, in both halves; of two blocks that share one, the first's in the lower half.
  alignas(64) std::uint32_t base[kTile + kSpare];
  alignas(64) std::byte word[4 * (kTile + kSpare)];
};

/// Half a vector takes the kernels of maxima if it has 128 bits.
constexpr bool kHasPairs = hn::MaxLanes(D()) >= 16;

/// The blocks of a tile as whole vectors of words, one behind the other.
struct Blocks {
  std::size_t count;    ///< elements; the last block may be short
  std::size_t block;    ///< elements of a block
  std::size_t vectors;  ///< of a block
  bool in_pairs;        ///< two blocks fill a vector

  Blocks(std::size_t all, std::size_t size)
      : count(all),
        block(size),
        vectors((size + hn::Lanes(D()) - 1) / hn::Lanes(D())),
        in_pairs(kHasPairs && 2 * size == hn::Lanes(D())) {}
  [[nodiscard]] std::size_t blocks() const { return (count + block - 1) / block; }
  [[nodiscard]] std::size_t all_vectors() const {
    return in_pairs ? (blocks() + 1) / 2 : blocks() * vectors;
  }
  /// Elements from one block to the next.
  [[nodiscard]] std::size_t stride() const { return in_pairs ? block : vectors * hn::Lanes(D()); }
  [[nodiscard]] bool are_whole() const { return count == all_vectors() * hn::Lanes(D()); }
  [[nodiscard]] std::size_t size_of(std::size_t b) const {
    return std::min(block, count - b * block);
  }
};

/// As many elements of blocks of a size as a tile takes.
inline std::size_t elements_of_tile(std::size_t block) {
  return std::min(kTile / Blocks(block, block).stride(), kMostBlocks) * block;
}

/// memcpy of few bytes.
HWY_INLINE void copy_bytes(void* to, const void* from, std::size_t count) {
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) std::memcpy(target + i, source + i, 16);
  if (i != count) std::memcpy(target + i, source + i, count - i);
}

/// Words of the blocks as whole vectors: where they are, or copied.
inline const std::byte* whole_words(const std::byte* source, const Blocks& shape, std::size_t width,
                                    Tile& tile) {
  if (shape.are_whole()) return source;
  if (shape.in_pairs) {
    std::memset(tile.word, 0, shape.all_vectors() * hn::Lanes(D()) * width);
    std::memcpy(tile.word, source, shape.count * width);
    return tile.word;
  }
  const std::size_t vector = hn::Lanes(D()) * width;
  for (std::size_t b = 0; b < shape.blocks(); ++b) {
    std::byte* const to = tile.word + b * shape.stride() * width;
    std::memset(to + (shape.vectors - 1) * vector, 0, vector);
    if (shape.size_of(b) < shape.block) std::memset(to, 0, shape.stride() * width);
    copy_bytes(to, source + b * shape.block * width, shape.size_of(b) * width);
  }
  return tile.word;
}

#if HWY_TARGET == HWY_SCALAR
/// The largest key of each block of words.
template <Source kSource>
void find_maxima(const std::byte* words, const Blocks& shape, Tile& tile) {
  for (std::size_t b = 0; b < shape.blocks(); ++b) {
    V most = hn::Zero(D());
    for (std::size_t i = b * shape.vectors; i < (b + 1) * shape.vectors; ++i) {
      most = hn::Max(most, load_keys<kSource>(words + i * word_bytes(kSource)).key);
    }
    tile.most[b] = hn::GetLane(most);
  }
}
#else
// The maxima are those of ranks, which order like keys and cost less: words without their signs,
// shifted left by one.

/// Lanes of the ranks of a source's words.
template <Source kSource>
using Ranks =
    hn::Repartition<std::conditional_t<kSource == Source::kFp32, std::uint32_t, std::uint16_t>, D>;

/// Ranks of a vector of words: one in a lane, or the larger one of two.
template <Source kSource>
HWY_INLINE auto load_ranks(const std::byte* from) {
  const Ranks<kSource> d;
  const auto load = [&](std::size_t vector) {
    const auto words = hn::BitCast(d, load_words(from + vector * 2 * hn::Lanes(D())));
    return hn::Add(words, words);
  };
  if constexpr (kSource == Source::kFp32) return hn::Max(load(0), load(1));
  return load(0);
}

/// The same for a block that fills half a vector of words.
template <Source kSource>
using PairRanks =
    std::conditional_t<kSource == Source::kFp32, Ranks<kSource>, hn::Half<Ranks<kSource>>>;
template <Source kSource>
HWY_INLINE auto load_pair_ranks(const std::byte* from) {
  const PairRanks<kSource> d;
  const hn::Repartition<std::uint8_t, PairRanks<kSource>> bytes;
  const auto words = hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  return hn::Add(words, words);
}

/// Vectors whose largest lanes are found together: as many as 128 bits have lanes.
template <class DR>
constexpr std::size_t kAtOnce = 16 / sizeof(hn::TFromD<DR>);

/// The largest lanes of as many vectors, in all 128 bits of the result: lanes of two vectors take
/// turns in one, then of four, of eight.
template <class DR>
HWY_INLINE hn::Vec<DR> largest_lanes(DR d, const hn::Vec<DR> (&v)[kAtOnce<DR>]) {
  const auto merged = [&](hn::Vec<DR> a, hn::Vec<DR> b) {
    return hn::Max(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  hn::Vec<DR> all;
  if constexpr (kAtOnce<DR> == 4) {
    all = merged(merged(v[0], v[2]), merged(v[1], v[3]));
  } else {
    all = merged(merged(merged(v[0], v[4]), merged(v[2], v[6])),
                 merged(merged(v[1], v[5]), merged(v[3], v[7])));
  }
  if constexpr (sizeof(all) > 16) all = hn::Max(all, hn::SwapAdjacentBlocks(all));
  if constexpr (sizeof(all) > 32) all = hn::Max(all, hn::ReverseBlocks(d, all));
  return all;
}

/// The largest rank of each block; `maximum(b)` are those of the lanes of a block.
template <class DR, class Maximum>
HWY_INLINE void rank_blocks(DR d, std::size_t blocks, const Maximum& maximum, hn::TFromD<DR>* to) {
  hn::Vec<DR> most[kAtOnce<DR>];
  std::size_t b = 0;
  for (; b + kAtOnce<DR> <= blocks; b += kAtOnce<DR>) {
    HWY_UNROLL(8) for (std::size_t i = 0; i < kAtOnce<DR>; ++i) most[i] = maximum(b + i);
    hn::StoreU(largest_lanes(d, most), d, to + b);
  }
  if (b == blocks) return;
  for (std::size_t i = 0; i < kAtOnce<DR>; ++i) {
    most[i] = b + i < blocks ? maximum(b + i) : hn::Zero(d);
  }
  hn::StoreU(largest_lanes(d, most), d, to + b);
}

/// Keys of ranks.
inline void keys_of(const std::uint32_t* ranks, std::size_t count, std::uint16_t* to) {
  const hn::Repartition<std::uint32_t, D> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint16_t, decltype(d)> half;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto rank = hn::Load(d, ranks + i);
    const auto sticky = hn::Min(hn::And(rank, hn::Set(d, 0xFFFF)), hn::Set(d, 1));
    const auto key = hn::Or(hn::ShiftRight<16>(rank), sticky);
    hn::Store(hn::DemoteTo(half, hn::BitCast(di, key)), half, to + i);
  }
}

/// The largest key of each block of whole vectors of words.
template <Source kSource>
HWY_INLINE void find_maxima(const std::byte* words, const Blocks& shape, Tile& tile) {
  const Ranks<kSource> d;
  const std::size_t vector = hn::Lanes(D()) * word_bytes(kSource);
  const std::size_t blocks = shape.blocks();
  const auto rank = [&](auto lanes, const auto& maximum) {
    if constexpr (kSource == Source::kFp32) {
      rank_blocks(lanes, blocks, maximum, tile.rank);
      keys_of(tile.rank, blocks, tile.most);
    } else {
      rank_blocks(lanes, blocks, maximum, tile.most);
    }
  };
  if (kHasPairs && shape.in_pairs) {
    if constexpr (kHasPairs) {
      rank(PairRanks<kSource>(),
           [&](std::size_t b) { return load_pair_ranks<kSource>(words + b * vector / 2); });
    }
  } else if (shape.vectors == 1) {
    rank(d, [&](std::size_t b) { return load_ranks<kSource>(words + b * vector); });
  } else {
    rank(d, [&](std::size_t b) {
      const std::byte* const from = words + b * shape.vectors * vector;
      auto most = load_ranks<kSource>(from);
      for (std::size_t v = 1; v < shape.vectors; ++v) {
        most = hn::Max(most, load_ranks<kSource>(from + v * vector));
      }
      return most;
    });
  }
  if constexpr (kSource == Source::kFp16) {
    for (std::size_t b = 0; b < blocks; b += hn::Lanes(D())) {
      const V magnitude = hn::ShiftRight<1>(hn::Load(D(), tile.most + b));
      hn::Store(keys_of_fp16(magnitude).key, D(), tile.most + b);
    }
  }
}

#endif

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
