#include <algorithm>
#include <cstring>

#include "fast/scaled_stochastic/plain.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/scaled_stochastic/scaled_stochastic_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/scaled/steps-inl.hpp"
#include "fast/scaled_stochastic/blocks-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
void run_stochastic_blocks(const StochasticConstants& c, const BlockRun& run,
                           const StochasticFrom& from) {
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

void run_stochastic_tiles(const StochasticConstants& c, const TileRun& run,
                          const StochasticFrom& from) {
  const auto block = static_cast<std::size_t>(c.blocks.block_size);
  const std::size_t width = cpu::word_bytes(c.blocks.source);
  for (std::size_t first = 0, tile = 0; first < run.elements; first += block, ++tile) {
    const std::size_t count = std::min(block, run.elements - first);
    const std::uint16_t status =
        quantize_plain(c, {run.source + first * width, run.lines * count, 1, run.codes + first,
                           from.draws, from.index + first, count, run.stride});
    run.scales[tile] = static_cast<std::uint8_t>(status);
    if (run.status != nullptr) run.status[tile] = status;
  }
}

void run_stochastic_columns(const StochasticConstants& c, const ColumnRun& run,
                            const StochasticFrom& from) {
  const std::size_t width = cpu::word_bytes(c.blocks.source);
  for (std::size_t i = 0; i < run.columns; ++i) {
    const std::uint16_t status = quantize_plain(c, drawn_column(run, i, width, from));
    run.scales[i] = static_cast<std::uint8_t>(status);
    if (run.status != nullptr) run.status[i] = status;
  }
}
#else

template <Source kSource>
void stochastic_blocks_of(const StochasticConstants& c, const BlockRun& run,
                          const StochasticFrom& from, StochasticPiece& piece) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  constexpr Source kSteps16 = kSource == Source::kFp32 ? Source::kFp32 : Source::kBf16;
  const Constants& b = c.blocks;
  const auto block = static_cast<std::size_t>(b.block_size);
  const std::size_t at_once = std::max<std::size_t>(kWide / block, 1) * block;
  with_encoder(c, [&](const auto& encode) {
    for (std::size_t first = 0; first < run.elements; first += at_once) {
      const std::size_t some = std::min(at_once, run.elements - first);
      const std::uint32_t* const random = draw(c, from, first, some, piece);
      load_piece(run.source + first * kBytes, some, kBytes, piece);
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

template <Source kSource>
void drawn_tiles_of(const StochasticConstants& c, const TileRun& run, const StochasticFrom& from,
                    StochasticPiece& piece) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  constexpr Source kSteps16 = kSource == Source::kFp32 ? Source::kFp32 : Source::kBf16;
  const Constants& b = c.blocks;
  const auto block = static_cast<std::size_t>(b.block_size);
  const std::size_t at_once = std::max<std::size_t>(kWide / block, 1) * block;
  std::uint32_t most[kWide];
  unsigned status[kWide];
  for (std::size_t first = 0; first < run.elements; first += at_once) {
    const std::size_t some = std::min(at_once, run.elements - first);
    const std::size_t tiles = (some + block - 1) / block;
    const auto size = [&](std::size_t tile) { return std::min(block, some - tile * block); };
    std::fill_n(most, tiles, 0);
    for (std::size_t line = 0; line < run.lines; ++line) {
      const std::byte* const source = run.source + (line * run.stride + first) * kBytes;
      for (std::size_t i = 0; i < tiles; ++i) {
        most[i] = std::max(most[i], maximum_of<kSteps16>(source + i * block * kBytes, size(i)));
      }
    }
    for (std::size_t i = 0; i < tiles; ++i) {
      status[i] = scale_status(b.scale, most[i] < b.plain_from ? most[i] : 0);
    }
    with_encoder(c, [&](const auto& encode) {
      for (std::size_t line = 0; line < run.lines; ++line) {
        const std::size_t at = line * run.stride + first;
        const std::uint32_t* const random = draw(c, from, at, some, piece);
        load_piece(run.source + at * kBytes, some, kBytes, piece);
        for (std::size_t i = 0; i < tiles; ++i) {
          const Factors factors = factors_of(c, static_cast<std::uint8_t>(status[i]));
          status[i] |= draw_block<kSource>(encode, factors, piece.source + i * block * kBytes,
                                           size(i), random + i * block, piece.codes + i * block);
        }
        std::memcpy(run.codes + at, piece.codes, some);
      }
    });
    for (std::size_t i = 0; i < tiles; ++i) {
      const std::size_t place = first + i * block;
      if (HWY_UNLIKELY(most[i] >= b.plain_from)) {
        status[i] = quantize_plain(
            c, {run.source + place * kBytes, run.lines * size(i), 1, run.codes + place, from.draws,
                from.index + place, size(i), run.stride});
      }
      run.scales[place / block] = static_cast<std::uint8_t>(status[i]);
      if (run.status != nullptr) run.status[place / block] = static_cast<std::uint16_t>(status[i]);
    }
  }
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

  void set(std::size_t i, const StochasticConstants& c, std::uint8_t scale) {
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

  HWY_INLINE void report(std::size_t i, const StochasticLanes& y) {
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
    each_row(run, [&](std::size_t place) {
      const std::byte* const at = run.source + (place + column + i) * kBytes;
      const auto word = HWY_LIKELY(some == lanes) ? load_all(d, at) : load_some(d, at, some);
      most = hn::Max(most, magnitude_of(d, word));
    });
    alignas(64) Word found[kMostLanes];
    hn::Store(most, d, found);
    for (std::size_t k = 0; k < some; ++k) maxima[i + k] = static_cast<std::uint32_t>(found[k]);
  }
}

template <Source kSource>
void stochastic_columns_of(const StochasticConstants& c, const ColumnRun& run,
                           const StochasticFrom& from, StochasticPiece& piece) {
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
      each_row(run, [&](std::size_t place) {
        const std::size_t at = place + column;
        const std::uint32_t* const random = draw(c, from, at, count, piece);
        load_piece(run.source + at * kBytes, count, kBytes, piece);
        for (std::size_t i = 0; i < count; i += lanes) {
          const Numbers x = words::load_numbers<kSource>(piece.source + i * kBytes);
          const StochasticLanes y = encode(x, factors.at(i), hn::LoadU(d, random + i));
          store_bytes(y.code, piece.codes + i);
          factors.report(i, y);
        }
        std::memcpy(run.codes + at, piece.codes, count);
      });
    });
    for (std::size_t i = 0; i < count; ++i) {
      unsigned status = 0;
      if (HWY_UNLIKELY(maxima[i] >= b.plain_from)) {
        status = quantize_plain(c, drawn_column(run, column + i, kBytes, from));
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

/// f(source, piece) with the source as a constant.
template <class Function>
HWY_INLINE void with_source(Source source, const Function& f) {
  StochasticPiece piece;
  switch (source) {
    case Source::kFp32:
      return f.template operator()<Source::kFp32>(piece);
    case Source::kBf16:
      return f.template operator()<Source::kBf16>(piece);
    case Source::kFp16:
      return f.template operator()<Source::kFp16>(piece);
  }
}

void run_stochastic_blocks(const StochasticConstants& c, const BlockRun& run,
                           const StochasticFrom& from) {
  with_source(c.blocks.source, [&]<Source kSource>(StochasticPiece& piece) {
    stochastic_blocks_of<kSource>(c, run, from, piece);
  });
}

void run_stochastic_tiles(const StochasticConstants& c, const TileRun& run,
                          const StochasticFrom& from) {
  with_source(c.blocks.source, [&]<Source kSource>(StochasticPiece& piece) {
    drawn_tiles_of<kSource>(c, run, from, piece);
  });
}

void run_stochastic_columns(const StochasticConstants& c, const ColumnRun& run,
                            const StochasticFrom& from) {
  with_source(c.blocks.source, [&]<Source kSource>(StochasticPiece& piece) {
    stochastic_columns_of<kSource>(c, run, from, piece);
  });
}
#endif

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::scaled {

HWY_EXPORT(run_stochastic_blocks);
HWY_EXPORT(run_stochastic_tiles);
HWY_EXPORT(run_stochastic_columns);

void quantize_blocks(const StochasticConstants& c, const BlockRun& run,
                     const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_blocks)(c, run, from);
}

void quantize_tiles(const StochasticConstants& c, const TileRun& run, const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_tiles)(c, run, from);
}

void quantize_columns(const StochasticConstants& c, const ColumnRun& run,
                      const StochasticFrom& from) {
  HWY_DYNAMIC_DISPATCH(run_stochastic_columns)(c, run, from);
}

}  // namespace mx::fast::scaled
#endif
