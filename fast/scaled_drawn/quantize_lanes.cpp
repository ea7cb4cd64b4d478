#include <algorithm>
#include <cstring>

#include "fast/scaled_drawn/lanes.hpp"
#include "fast/scaled_drawn/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/scaled_drawn/quantize_lanes.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/scaled/steps-inl.hpp"
#include "fast/scaled_drawn/encoder-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
void run_drawn_blocks(const DrawnConstants& c, const BlockRun& run, const DrawnFrom& from) {
  const auto block = static_cast<std::size_t>(c.blocks.block_size);
  const std::size_t width = cpu::word_bytes(c.blocks.source);
  for (std::size_t first = 0, b = 0; first < run.elements; first += block, ++b) {
    const std::size_t count = std::min(block, run.elements - first);
    const std::uint16_t status = quantize_plain(
        c,
        {run.source + first * width, count, 1, run.codes + first, from.draws, from.index + first});
    run.scales[b] = static_cast<std::uint8_t>(status);
    if (run.status != nullptr) run.status[b] = status;
  }
}

void run_drawn_columns(const DrawnConstants& c, const ColumnRun& run, const DrawnFrom& from) {
  const std::size_t width = cpu::word_bytes(c.blocks.source);
  for (std::size_t i = 0; i < run.columns; ++i) {
    const std::uint16_t status = quantize_plain(c, {run.source + i * width, run.rows, run.stride,
                                                    run.codes + i, from.draws, from.index + i});
    run.scales[i] = static_cast<std::uint8_t>(status);
    if (run.status != nullptr) run.status[i] = status;
  }
}
#else

/// Elements at a time, and those beyond that whole vectors may touch.
constexpr std::size_t kWide = 1024;
constexpr std::size_t kBeyond = 32;

/// What is known of some elements on their way.
struct DrawnPiece {
  alignas(64) std::uint32_t words[kWide + 8 * kBeyond];
  alignas(64) std::byte source[4 * (kWide + kBeyond)];
  alignas(64) std::uint8_t codes[kWide + kBeyond];
};

/// The words of `count` elements from `index` on.
HWY_INLINE const std::uint32_t* draw(Draws draws, std::uint64_t index, std::size_t count,
                                     DrawnPiece& piece) {
  words::fill_words(draws, index / 4, count + index % 4, piece.words);
  return piece.words + index % 4;
}

HWY_INLINE Factors factors_of(const DrawnConstants& c, std::uint8_t scale) {
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
  const D32 d;
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
    const DrawnLanes y = encode(x, factors, hn::LoadU(d, random + i));
    store_bytes(y.code, codes + i);
    // Lanes beyond the block are those of the next one.
    const V32 inside = hn::VecFromMask(d, hn::FirstN(d, count - i));
    to_zero = hn::Or(to_zero, hn::And(y.to_zero, inside));
    saturated = hn::Or(saturated, hn::And(y.saturated, inside));
  }
  return (any_of(to_zero) ? unsigned{cpu::kToZero} : 0) |
         (any_of(saturated) ? unsigned{cpu::kSaturated} : 0);
}

template <Source kSource>
void drawn_blocks_of(const DrawnConstants& c, const BlockRun& run, const DrawnFrom& from,
                     DrawnPiece& piece) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  constexpr Source kSteps16 = kSource == Source::kFp32 ? Source::kFp32 : Source::kBf16;
  const Constants& b = c.blocks;
  const auto block = static_cast<std::size_t>(b.block_size);
  const std::size_t at_once = std::max<std::size_t>(kWide / block, 1) * block;
  with_encoder(c, [&](const auto& encode) {
    for (std::size_t first = 0; first < run.elements; first += at_once) {
      const std::size_t some = std::min(at_once, run.elements - first);
      const std::uint32_t* const random = draw(from.draws, from.index + first, some, piece);
      std::memcpy(piece.source, run.source + first * kBytes, some * kBytes);
      std::memset(piece.source + some * kBytes, 0, kBeyond * kBytes);
      for (std::size_t i = 0; i < some; i += block) {
        const std::size_t count = std::min(block, some - i);
        const std::byte* const source = piece.source + i * kBytes;
        const std::uint32_t most = maximum_of<kSteps16>(source, count);
        const std::size_t place = (first + i) / block;
        unsigned status = 0;
        if (HWY_UNLIKELY(most >= b.plain_from)) {
          status = quantize_plain(
              c, {source, count, 1, piece.codes + i, from.draws, from.index + first + i});
        } else {
          status = scale_status(b.scale, most);
          status |= draw_block<kSource>(encode, factors_of(c, static_cast<std::uint8_t>(status)),
                                        source, count, random + i, piece.codes + i);
        }
        run.scales[place] = static_cast<std::uint8_t>(status);
        if (run.status != nullptr) run.status[place] = static_cast<std::uint16_t>(status);
      }
      std::memcpy(run.codes + first, piece.codes, some);
    }
  });
}

/// Columns side by side, each lane under its own scale.
constexpr std::size_t kColumns = 64;

struct ColumnFactors {
  alignas(64) std::uint32_t high[kColumns];
  alignas(64) std::uint32_t low[kColumns];
  alignas(64) std::uint32_t exponent[kColumns];
  alignas(64) std::uint32_t vanishes[kColumns];
  alignas(64) std::uint32_t to_zero[kColumns];
  alignas(64) std::uint32_t saturated[kColumns];

  void set(std::size_t i, const DrawnConstants& c, std::uint8_t scale) {
    high[i] = c.factors[scale].high;
    low[i] = c.factors[scale].low;
    exponent[i] = static_cast<std::uint32_t>(c.factors[scale].exponent);
    vanishes[i] = c.vanishes[scale];
    to_zero[i] = saturated[i] = 0;
  }

  [[nodiscard]] HWY_INLINE Factors at(std::size_t i) const {
    const D32 d;
    return {hn::Load(d, high + i), hn::Load(d, low + i), hn::Load(d, exponent + i),
            hn::Load(d, vanishes + i)};
  }

  HWY_INLINE void report(std::size_t i, const DrawnLanes& y) {
    const D32 d;
    hn::Store(hn::Or(hn::Load(d, to_zero + i), y.to_zero), d, to_zero + i);
    hn::Store(hn::Or(hn::Load(d, saturated + i), y.saturated), d, saturated + i);
  }
};

/// The largest magnitudes of `count` columns.
template <Source kSource>
HWY_INLINE void column_maxima(const ColumnRun& run, std::size_t column, std::size_t count,
                              std::uint32_t* maxima) {
  const Tag<kSource> d;
  using Word = typename Lane<kSource>::Word;
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t some = std::min(lanes, count - i);
    auto most = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      const std::byte* const at = run.source + (row * run.stride + column + i) * kBytes;
      const auto word = HWY_LIKELY(some == lanes) ? load_all(d, at) : load_some(d, at, some);
      most = hn::Max(most, magnitude_of(d, word));
    }
    alignas(64) Word found[kMostLanes];
    hn::Store(most, d, found);
    for (std::size_t k = 0; k < some; ++k) maxima[i + k] = static_cast<std::uint32_t>(found[k]);
  }
}

template <Source kSource>
void drawn_columns_of(const DrawnConstants& c, const ColumnRun& run, const DrawnFrom& from,
                      DrawnPiece& piece) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  constexpr Source kSteps16 = kSource == Source::kFp32 ? Source::kFp32 : Source::kBf16;
  const D32 d;
  const Constants& b = c.blocks;
  const std::size_t lanes = hn::Lanes(d);
  std::uint32_t maxima[kColumns] = {};
  ColumnFactors factors;
  for (std::size_t column = 0; column < run.columns; column += kColumns) {
    const std::size_t count = std::min(kColumns, run.columns - column);
    column_maxima<kSteps16>(run, column, count, maxima);
    for (std::size_t i = 0; i < kColumns; ++i) {
      const bool is_plain = i >= count || maxima[i] >= b.plain_from;
      factors.set(i, c, is_plain || maxima[i] == 0 ? b.scale.of_zero : b.scale.code_of(maxima[i]));
    }
    with_encoder(c, [&](const auto& encode) {
      for (std::size_t row = 0; row < run.rows; ++row) {
        const std::size_t at = row * run.stride + column;
        const std::uint32_t* const random = draw(from.draws, from.index + at, count, piece);
        std::memcpy(piece.source, run.source + at * kBytes, count * kBytes);
        std::memset(piece.source + count * kBytes, 0, kBeyond * kBytes);
        for (std::size_t i = 0; i < count; i += lanes) {
          const Numbers x = words::load_numbers<kSource>(piece.source + i * kBytes);
          const DrawnLanes y = encode(x, factors.at(i), hn::LoadU(d, random + i));
          store_bytes(y.code, piece.codes + i);
          factors.report(i, y);
        }
        std::memcpy(run.codes + at, piece.codes, count);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      unsigned status = 0;
      if (HWY_UNLIKELY(maxima[i] >= b.plain_from)) {
        status = quantize_plain(c, {run.source + (column + i) * kBytes, run.rows, run.stride,
                                    run.codes + column + i, from.draws, from.index + column + i});
      } else {
        status = scale_status(b.scale, maxima[i]);
        if (factors.to_zero[i] != 0) status |= cpu::kToZero;
        if (factors.saturated[i] != 0) status |= cpu::kSaturated;
      }
      run.scales[column + i] = static_cast<std::uint8_t>(status);
      if (run.status != nullptr) run.status[column + i] = static_cast<std::uint16_t>(status);
    }
  }
}

void run_drawn_blocks(const DrawnConstants& c, const BlockRun& run, const DrawnFrom& from) {
  DrawnPiece piece;
  switch (c.blocks.source) {
    case Source::kFp32:
      return drawn_blocks_of<Source::kFp32>(c, run, from, piece);
    case Source::kBf16:
      return drawn_blocks_of<Source::kBf16>(c, run, from, piece);
    case Source::kFp16:
      return drawn_blocks_of<Source::kFp16>(c, run, from, piece);
  }
}

void run_drawn_columns(const DrawnConstants& c, const ColumnRun& run, const DrawnFrom& from) {
  DrawnPiece piece;
  switch (c.blocks.source) {
    case Source::kFp32:
      return drawn_columns_of<Source::kFp32>(c, run, from, piece);
    case Source::kBf16:
      return drawn_columns_of<Source::kBf16>(c, run, from, piece);
    case Source::kFp16:
      return drawn_columns_of<Source::kFp16>(c, run, from, piece);
  }
}
#endif

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::scaled {

HWY_EXPORT(run_drawn_blocks);
HWY_EXPORT(run_drawn_columns);

void quantize_blocks(const DrawnConstants& c, const BlockRun& run, const DrawnFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_drawn_blocks)(c, run, from);
}

void quantize_columns(const DrawnConstants& c, const ColumnRun& run, const DrawnFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_drawn_columns)(c, run, from);
}

}  // namespace mx::fast::scaled
#endif
