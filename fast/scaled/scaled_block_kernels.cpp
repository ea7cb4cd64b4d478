#include <algorithm>
#include <cstring>

#include "fast/scaled/plain.hpp"
#include "fast/scaled/scaled_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/scaled/scaled_block_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/scaled/steps-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

/// Blocks whose maxima are found before their scales are looked up.
constexpr std::size_t kTile = 64;

/// The scale of a maximum below plain_from; of others any one.
HWY_INLINE std::uint8_t scale_of(const Constants& c, std::uint32_t maximum) {
  return maximum == 0 || maximum >= c.plain_from ? c.scale.of_zero : c.scale.code_of(maximum);
}

template <Source kSource, unsigned kFacts>
void blocks_of(const Constants& c, const BlockRun& run) {
  const auto block = static_cast<std::size_t>(c.block_size);
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  std::uint32_t most[kTile];
  std::uint8_t scale[kTile];
  const std::size_t blocks = (run.elements + block - 1) / block;
  for (std::size_t done = 0; done < blocks; done += kTile) {
    const std::size_t some = std::min(kTile, blocks - done);
    const auto place = [&](std::size_t b) { return (done + b) * block; };
    const auto size = [&](std::size_t b) { return std::min(block, run.elements - place(b)); };
    for (std::size_t b = 0; b < some; ++b) {
      most[b] = maximum_of<kSource>(run.source + place(b) * kBytes, size(b));
    }
    for (std::size_t b = 0; b < some; ++b) scale[b] = scale_of(c, most[b]);
    for (std::size_t b = 0; b < some; ++b) {
      const std::byte* const source = run.source + place(b) * kBytes;
      std::uint8_t* const codes = run.codes + place(b);
      unsigned status = scale[b];
      if (HWY_UNLIKELY(most[b] >= c.plain_from)) {
        status = quantize_plain(c, {source, size(b), 1, codes});
      } else {
        const auto steps = steps_of<kSource, kFacts>(c, scale[b]);
        const unsigned reports = encode_block<kSource, kFacts>(c, steps, source, size(b), codes);
        if constexpr ((kFacts & kReports) != 0) status = reports | scale_status(c.scale, most[b]);
      }
      run.scales[done + b] = static_cast<std::uint8_t>(status);
      if constexpr ((kFacts & kReports) != 0) {
        run.status[done + b] = static_cast<std::uint16_t>(status);
      }
    }
  }
}

/// Tiles of consecutive words of several lines.
template <Source kSource, unsigned kFacts>
void tiles_of(const Constants& c, const TileRun& run) {
  const auto block = static_cast<std::size_t>(c.block_size);
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  const std::size_t tiles = (run.elements + block - 1) / block;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t first = tile * block;
    const std::size_t count = std::min(block, run.elements - first);
    const std::byte* const source = run.source + first * kBytes;
    std::uint32_t most = 0;
    for (std::size_t line = 0; line < run.lines; ++line) {
      most = std::max(most, maximum_of<kSource>(source + line * run.stride * kBytes, count));
    }
    const std::uint8_t scale = scale_of(c, most);
    unsigned status = scale;
    if (HWY_UNLIKELY(most >= c.plain_from)) {
      status = quantize_plain(
          c, {source, run.lines * count, 1, run.codes + first, {}, 0, count, run.stride});
    } else {
      if constexpr ((kFacts & kReports) != 0) status = scale_status(c.scale, most);
      const auto steps = steps_of<kSource, kFacts>(c, scale);
      for (std::size_t line = 0; line < run.lines; ++line) {
        const std::size_t at = line * run.stride;
        status |= encode_block<kSource, kFacts>(c, steps, source + at * kBytes, count,
                                                run.codes + first + at);
      }
    }
    run.scales[tile] = static_cast<std::uint8_t>(status);
    if constexpr ((kFacts & kReports) != 0) {
      run.status[tile] = static_cast<std::uint16_t>(status);
    }
  }
}

/// The thresholds of a vector of columns.
template <Source kSource, unsigned kFacts>
HWY_INLINE Steps<Tag<kSource>> steps_of_columns(const Constants& c, const std::uint8_t* scales) {
  const Tag<kSource> d;
  const std::size_t lanes = hn::Lanes(d);
  using Word = typename Lane<kSource>::Word;
  alignas(64) Word words[kSteps][kMostLanes];
  Steps<Tag<kSource>> steps;
  for (std::size_t sign = 0; sign < ((kFacts & kSigned) != 0 ? 2 : 1); ++sign) {
    const auto& rows = rows_of<kSource>(c, sign);
    for (std::size_t i = 0; i < lanes; ++i) {
      for (std::size_t k = 0; k < kSteps; ++k) words[k][i] = static_cast<Word>(rows[scales[i]][k]);
    }
    for (std::size_t k = 0; k < kSteps; ++k) steps.of[sign][k] = hn::Load(d, words[k]);
  }
  constexpr std::uint32_t most = hwy::HighestValue<Word>();
  for (std::size_t i = 0; i < lanes; ++i) {
    words[0][i] = static_cast<Word>(std::min(c.vanishes[scales[i]], most));
  }
  steps.vanishes = hn::Load(d, words[0]);
  return steps;
}

/// A vector of columns at a time, each lane under its own scale.
template <Source kSource, unsigned kFacts>
void columns_of(const Constants& c, const ColumnRun& run) {
  const Tag<kSource> d;
  const std::size_t lanes = hn::Lanes(d);
  using Word = typename Lane<kSource>::Word;
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  for (std::size_t column = 0; column < run.columns; column += lanes) {
    const std::size_t count = std::min(lanes, run.columns - column);
    const auto load_row = [&](std::size_t place) {
      const std::byte* const from = run.source + (place + column) * kBytes;
      return HWY_LIKELY(count == lanes) ? load_all(d, from) : load_some(d, from, count);
    };
    auto most = hn::Zero(d);
    each_row(run,
             [&](std::size_t place) { most = hn::Max(most, magnitude_of(d, load_row(place))); });
    alignas(64) Word maxima[kMostLanes];
    hn::Store(most, d, maxima);
    std::uint8_t scales[kMostLanes] = {};
    for (std::size_t i = 0; i < lanes; ++i) {
      scales[i] = scale_of(c, static_cast<std::uint32_t>(maxima[i]));
    }
    const auto steps = steps_of_columns<kSource, kFacts>(c, scales);
    auto to_zero = hn::Zero(d);
    auto saturated = hn::Zero(d);
    each_row(run, [&](std::size_t place) {
      const auto encoded = encode<kFacts>(d, c, steps, load_row(place));
      alignas(64) std::uint8_t codes[kMostLanes];
      store_codes(d, encoded.code, codes);
      std::memcpy(run.codes + place + column, codes, count);
      to_zero = hn::Or(to_zero, encoded.to_zero);
      saturated = hn::Or(saturated, encoded.saturated);
    });
    alignas(64) Word zeroed[kMostLanes];
    alignas(64) Word full[kMostLanes];
    hn::Store(to_zero, d, zeroed);
    hn::Store(saturated, d, full);
    for (std::size_t i = 0; i < count; ++i) {
      const auto maximum = static_cast<std::uint32_t>(maxima[i]);
      unsigned status = scales[i];
      if (HWY_UNLIKELY(maximum >= c.plain_from)) {
        status = quantize_plain(c, plain_column(run, column + i, kBytes));
      } else if constexpr ((kFacts & kReports) != 0) {
        status = scale_status(c.scale, maximum);
        if (zeroed[i] != 0) status |= cpu::kToZero;
        if (full[i] != 0) status |= cpu::kSaturated;
      }
      run.scales[column + i] = static_cast<std::uint8_t>(status);
      if constexpr ((kFacts & kReports) != 0) {
        run.status[column + i] = static_cast<std::uint16_t>(status);
      }
    }
  }
}

/// f(source, facts) with both as constants.
template <Source kSource, unsigned kFacts = 0, class Function>
HWY_INLINE void with_facts(unsigned facts, const Function& f) {
  if constexpr (kFacts + 1 < kAllFacts) {
    if (facts != kFacts) return with_facts<kSource, kFacts + 1>(facts, f);
  }
  f.template operator()<kSource, kFacts>();
}

template <class Function>
HWY_INLINE void with_constants(const Constants& c, bool reports, const Function& f) {
  const unsigned facts =
      (c.signs_differ ? kSigned : 0U) | (c.drops_signs() ? kDrops : 0U) | (reports ? kReports : 0U);
  switch (c.source) {
    case Source::kFp32:
      return with_facts<Source::kFp32>(facts, f);
    case Source::kBf16:
    case Source::kFp16:
      // Their words differ in what the thresholds say of them alone.
      return with_facts<Source::kBf16>(facts, f);
  }
}

void run_blocks(const Constants& c, const BlockRun& run) {
  with_constants(c, run.status != nullptr,
                 [&]<Source kSource, unsigned kFacts>() { blocks_of<kSource, kFacts>(c, run); });
}

void run_columns(const Constants& c, const ColumnRun& run) {
  with_constants(c, run.status != nullptr,
                 [&]<Source kSource, unsigned kFacts>() { columns_of<kSource, kFacts>(c, run); });
}

void run_tiles(const Constants& c, const TileRun& run) {
  with_constants(c, run.status != nullptr,
                 [&]<Source kSource, unsigned kFacts>() { tiles_of<kSource, kFacts>(c, run); });
}

template <Source kSource>
std::uint32_t largest_of(const std::byte* words, std::size_t count, std::uint32_t infinity) {
  const hn::ScalableTag<typename Lane<kSource>::Word> d;
  using Word = typename Lane<kSource>::Word;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  const auto limit = hn::Set(d, static_cast<Word>(infinity));
  auto most = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto magnitude = magnitude_of(d, load_all(d, words + i * kBytes));
    most = hn::Max(most, hn::IfThenElseZero(hn::Lt(magnitude, limit), magnitude));
  }
  std::uint32_t largest = largest_lane(d, most);
  for (; i < count; ++i) {
    Word word;
    std::memcpy(&word, words + i * kBytes, kBytes);
    const auto magnitude = static_cast<std::uint32_t>(word & hwy::HighestValue<Word>());
    if (magnitude < infinity) largest = std::max(largest, magnitude);
  }
  return largest;
}

std::uint32_t run_largest(Source source, const std::byte* words, std::size_t count,
                          std::uint32_t infinity) {
  return source == Source::kFp32 ? largest_of<Source::kFp32>(words, count, infinity)
                                 : largest_of<Source::kBf16>(words, count, infinity);
}

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::scaled {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);
HWY_EXPORT(run_tiles);
HWY_EXPORT(run_largest);

std::uint32_t largest_finite(Source source, const std::byte* words, std::size_t count,
                             std::uint32_t infinity) {
  return HWY_DYNAMIC_DISPATCH(run_largest)(source, words, count, infinity);
}

void quantize_blocks(const Constants& c, const BlockRun& run) {
  HWY_DYNAMIC_DISPATCH(run_blocks)(c, run);
}

void quantize_tiles(const Constants& c, const TileRun& run) {
  HWY_DYNAMIC_DISPATCH(run_tiles)(c, run);
}

void quantize_columns(const Constants& c, const ColumnRun& run) {
  HWY_DYNAMIC_DISPATCH(run_columns)(c, run);
}

}  // namespace mx::fast::scaled
#endif
