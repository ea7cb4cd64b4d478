#include <algorithm>
#include <cstring>

#include "fast/cpu/plain.hpp"
#include "fast/memory/ahead.hpp"
#include "fast/stochastic/stochastic_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/stochastic/stochastic_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/cpu/tile-inl.hpp"
#include "fast/stochastic/stochastic-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// A tile and what is drawn for it, with room for the vectors that reach beyond.
struct StochasticTile {
  Tile keys;
  alignas(64) std::uint16_t spread[kTile + kSpare];  ///< grid of each element
  alignas(64) std::uint16_t report[kTile + kSpare];  ///< status bits of each element
  alignas(64) std::uint8_t code[kTile + kSpare];
  alignas(64) std::uint32_t words[kTile + 8 * kSpare];
  alignas(64) std::byte source[4 * (kTile + kSpare)];
};

inline void spread_grids(const Blocks& shape, StochasticTile& tile) {
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    std::fill_n(tile.spread + b * shape.block, shape.size_of(b), tile.keys.grid[b]);
  }
}

/// Codes of `count` elements from whole vectors of words into whole vectors of codes, and, if
/// `report` is not null, their status bits. `grid_of(i)` is the grid of the lanes from i on.
template <Source kSource, class Encoder, class GridOf>
HWY_INLINE void encode_stochastic(const Encoder& encode, const std::byte* source, std::size_t count,
                                  const std::uint32_t* words, const GridOf& grid_of,
                                  std::uint8_t* codes, std::uint16_t* report) {
  const D32 d;
  const hn::RebindToSigned<D32> di;
  const hn::Rebind<std::uint8_t, D32> bytes;
  const hn::Rebind<std::uint16_t, D32> halves;
  constexpr std::size_t kAhead = 4096;  // elements
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    fetch_ahead(source, (kAhead + i) * word_bytes(kSource), hn::Lanes(d) * word_bytes(kSource));
    const Numbers x = load_numbers<kSource>(source + i * word_bytes(kSource));
    const DrawnCodes y = encode(x, grid_of(i), hn::LoadU(d, words + i));
    // Demoted and not truncated: TruncateTo of 32-bit lanes is wrong in Highway 1.0.3's AVX3_DL.
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(di, y.code)), bytes, codes + i);
    if (report == nullptr) continue;
    const V32 bits = hn::Or(hn::And(y.to_zero, hn::Set(d, kToZero)),
                            hn::And(y.overflows, hn::Set(d, kSaturated)));
    hn::StoreU(hn::DemoteTo(halves, hn::BitCast(di, bits)), halves, report + i);
  }
}

/// Grids of lanes, from those of elements.
HWY_INLINE V32 load_grids(const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, D32> halves;
  return hn::PromoteTo(D32(), hn::LoadU(halves, from));
}

/// Source words where whole vectors may be read.
HWY_INLINE const std::byte* padded(const std::byte* source, std::size_t count, std::size_t width,
                                   StochasticTile& tile) {
  if (count % hn::Lanes(D32()) == 0) return source;
  std::memcpy(tile.source, source, count * width);
  std::memset(tile.source + count * width, 0, kSpare * width);
  return tile.source;
}

template <Source kSource>
void stochastic_blocks_of(const BlockConstants& c, const BlockRun& run, const StochasticFrom& from,
                          StochasticTile& drawn) {
  Tile& tile = drawn.keys;
  const auto block = static_cast<std::size_t>(c.block_size);
  constexpr std::uint16_t kInfKey = inf_key(kSource);
  constexpr std::size_t kBytes = word_bytes(kSource);
  const std::size_t at_once = elements_of_tile(block, kTile / 2);
  std::size_t done = 0;
  for (std::size_t first = 0; first < run.elements; first += at_once) {
    const Blocks shape(std::min(at_once, run.elements - first), block);
    const std::size_t count = shape.count;
    const std::size_t blocks = shape.blocks;
    const std::byte* const source = run.source + first * kBytes;
    find_keys<kSource>(source, shape, tile);
    const auto block_of = [&](std::size_t b) {
      const std::size_t start = b * block;
      return PlainBlock{source + start * kBytes,   shape.size_of(b), 1,
                        run.codes + first + start, from.draws,       from.index + first + start};
    };
    settle_keys(c, kSource, blocks, tile, block_of);
    const bool any_care = choose_scales(c, kInfKey, blocks, tile);
    spread_grids(shape, drawn);
    const std::uint32_t* const words =
        draw_words(from.draws, c.element.random_bits, from.index + first, count, drawn.words);
    with_stochastic_encoder(c.element, [&](const auto& encode) {
      encode_stochastic<kSource>(
          encode, padded(source, count, kBytes, drawn), count, words,
          [&](std::size_t i) { return load_grids(drawn.spread + i); }, drawn.code,
          run.status == nullptr ? nullptr : drawn.report);
    });
    std::memcpy(run.codes + first, drawn.code, count);
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t start = b * block;
      const std::size_t size = shape.size_of(b);
      const Care care = any_care ? care_of(c, kInfKey, tile.most[b], tile.grid[b]) : Care::kNone;
      unsigned status = tile.scale[b];
      if (care != Care::kNone) {
        status = take_care(c, kSource, care, block_of(b), tile.most[b]);
      } else if (run.status != nullptr) {
        status = scale_status(c, tile, b);
        for (std::size_t i = 0; i < size; ++i) status |= drawn.report[start + i];
      }
      run.scales[done + b] = static_cast<std::uint8_t>(status);
      if (run.status != nullptr) run.status[done + b] = static_cast<std::uint16_t>(status);
    }
    done += blocks;
  }
}

/// A vector of keys' columns at a time.
template <Source kSource>
void stochastic_columns_of(const BlockConstants& c, const ColumnRun& run,
                           const StochasticFrom& from, StochasticTile& drawn) {
  const D d;
  Tile& tile = drawn.keys;
  constexpr std::size_t kBytes = word_bytes(kSource);
  constexpr std::uint16_t kInfKey = inf_key(kSource);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t column = 0; column < run.columns; column += lanes) {
    const std::size_t count = std::min(lanes, run.columns - column);
    const std::byte* const source = run.source + column * kBytes;
    V most = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      most = hn::Max(most, load_some<kSource>(source + row * run.stride * kBytes, count).key);
    }
    hn::Store(most, d, tile.most);
    const auto block_of = [&](std::size_t i) {
      return PlainBlock{source + i * kBytes,    run.rows,   run.stride,
                        run.codes + column + i, from.draws, from.index + column + i};
    };
    settle_keys(c, kSource, count, tile, block_of);
    const bool any_care = choose_scales(c, kInfKey, count, tile);
    alignas(64) std::uint16_t reports[kSpare] = {};
    with_stochastic_encoder(c.element, [&](const auto& encode) {
      for (std::size_t row = 0; row < run.rows; ++row) {
        const std::size_t at = row * run.stride;
        const std::uint32_t* const words = draw_words(from.draws, c.element.random_bits,
                                                      from.index + at + column, count, drawn.words);
        encode_stochastic<kSource>(
            encode, padded(source + at * kBytes, count, kBytes, drawn), count, words,
            [&](std::size_t i) { return load_grids(tile.grid + i); }, drawn.code, drawn.report);
        std::memcpy(run.codes + at + column, drawn.code, count);
        for (std::size_t i = 0; i < count; ++i) {
          reports[i] = static_cast<std::uint16_t>(reports[i] | drawn.report[i]);
        }
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const Care care = any_care ? care_of(c, kInfKey, tile.most[i], tile.grid[i]) : Care::kNone;
      unsigned status = unsigned{scale_status(c, tile, i)} | reports[i];
      if (care != Care::kNone) {
        status = take_care(c, kSource, care, block_of(i), tile.most[i]);
      }
      run.scales[column + i] = static_cast<std::uint8_t>(status);
      if (run.status != nullptr) run.status[column + i] = static_cast<std::uint16_t>(status);
    }
  }
}

/// The pattern of an infinity of a source, as load_numbers gives it.
constexpr std::uint32_t inf_number(Source source) {
  return static_cast<std::uint32_t>(inf_key(source) >> kKeyBits) << 23;
}

template <Source kSource>
void stochastic_elements_of(const ElementConstants& c, const std::byte* words, std::size_t elements,
                            std::uint8_t* codes, const StochasticFrom& from,
                            StochasticTile& drawn) {
  const D32 d;
  const V32 grid = hn::Set(d, static_cast<std::uint32_t>(c.emin + kKeyBias - 1));
  constexpr std::size_t kBytes = word_bytes(kSource);
  with_stochastic_encoder(c, [&](const auto& encode) {
    const auto encode_any = [&](const Numbers& x, V32 of, V32 random) {
      DrawnCodes y = encode(x, of, random);
      const auto is_beyond = hn::Gt(x.magnitude, hn::Set(d, inf_number(kSource) - 1));
      if (HWY_UNLIKELY(!hn::AllFalse(d, is_beyond))) {
        y.code = encode.with_specials(x, y.code, inf_number(kSource));
      }
      return y;
    };
    for (std::size_t first = 0; first < elements; first += kTile) {
      const std::size_t count = std::min(kTile, elements - first);
      const std::uint32_t* const random =
          draw_words(from.draws, c.random_bits, from.index + first, count, drawn.words);
      encode_stochastic<kSource>(
          encode_any, padded(words + first * kBytes, count, kBytes, drawn), count, random,
          [&](std::size_t) { return grid; }, drawn.code, nullptr);
      std::memcpy(codes + first, drawn.code, count);
    }
  });
}

void run_stochastic_blocks(const BlockConstants& c, Source source, const BlockRun& run,
                           const StochasticFrom& from) {
  StochasticTile tile;
  if (source == Source::kFp32) return stochastic_blocks_of<Source::kFp32>(c, run, from, tile);
  if (source == Source::kBf16) return stochastic_blocks_of<Source::kBf16>(c, run, from, tile);
  stochastic_blocks_of<Source::kFp16>(c, run, from, tile);
}

void run_stochastic_columns(const BlockConstants& c, Source source, const ColumnRun& run,
                            const StochasticFrom& from) {
  StochasticTile tile;
  if (source == Source::kFp32) return stochastic_columns_of<Source::kFp32>(c, run, from, tile);
  if (source == Source::kBf16) return stochastic_columns_of<Source::kBf16>(c, run, from, tile);
  stochastic_columns_of<Source::kFp16>(c, run, from, tile);
}

void run_stochastic_elements(const ElementConstants& c, Source source, const std::byte* words,
                             std::size_t elements, std::uint8_t* codes,
                             const StochasticFrom& from) {
  StochasticTile tile;
  if (source == Source::kFp32) {
    return stochastic_elements_of<Source::kFp32>(c, words, elements, codes, from, tile);
  }
  if (source == Source::kBf16) {
    return stochastic_elements_of<Source::kBf16>(c, words, elements, codes, from, tile);
  }
  stochastic_elements_of<Source::kFp16>(c, words, elements, codes, from, tile);
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::cpu {

HWY_EXPORT(run_stochastic_blocks);
HWY_EXPORT(run_stochastic_columns);
HWY_EXPORT(run_stochastic_elements);

void quantize_drawn_blocks(const BlockConstants& c, Source source, const BlockRun& run,
                           const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_blocks)(c, source, run, from);
}

void quantize_drawn_columns(const BlockConstants& c, Source source, const ColumnRun& run,
                            const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_columns)(c, source, run, from);
}

void convert_drawn_elements(const ElementConstants& c, Source source, const std::byte* words,
                            std::size_t elements, std::uint8_t* codes, const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_elements)(c, source, words, elements, codes, from);
}

}  // namespace mx::fast::cpu
#endif
