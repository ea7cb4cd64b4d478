#include <algorithm>
#include <cstring>

#include "fast/scaled/lanes.hpp"
#include "fast/scaled/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/scaled/quantize_lanes.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of the source's width, signed, so that comparisons of magnitudes are one instruction; at
/// most 16, the block of NVFP4.
template <Source kSource>
struct Lane {
  using Word = std::int16_t;
};
template <>
struct Lane<Source::kFp32> {
  using Word = std::int32_t;
};
constexpr std::size_t kMostLanes = 16;
template <Source kSource>
using Tag = hn::CappedTag<typename Lane<kSource>::Word, kMostLanes>;

/// Blocks whose maxima are found before their scales are looked up.
constexpr std::size_t kTile = 64;

template <class D>
HWY_INLINE hn::Vec<D> magnitude_of(D d, hn::Vec<D> word) {
  return hn::And(word, hn::Set(d, hwy::HighestValue<hn::TFromD<D>>()));
}

/// `count` words, at most a vector of them; the lanes beyond are zeros.
template <class D>
HWY_INLINE hn::Vec<D> load_some(D d, const std::byte* from, std::size_t count) {
  using Word = hn::TFromD<D>;
  alignas(64) Word words[kMostLanes] = {};
  std::memcpy(words, from, count * sizeof(Word));
  return hn::Load(d, words);
}

template <class D>
HWY_INLINE hn::Vec<D> load_all(D d, const std::byte* from) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return load_some(d, from, 1);
  } else {
    const hn::Repartition<std::uint8_t, D> bytes;
    return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  }
}

template <class D>
HWY_INLINE void store_codes(D, hn::Vec<D> codes, std::uint8_t* to) {
  const hn::Rebind<std::uint8_t, D> bytes;
  hn::StoreU(hn::DemoteTo(bytes, codes), bytes, to);
}

/// The largest lane.
template <class D>
HWY_INLINE std::uint32_t largest_lane(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return static_cast<std::uint32_t>(hn::GetLane(v));
  } else if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    // Found by their arguments: HWY_SCALAR has no UpperHalf.
    const hn::Half<D> half;
    return largest_lane(half, hn::Max(LowerHalf(half, v), UpperHalf(half, v)));
  } else {
    return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(d, v)));
  }
}

/// The thresholds of a vector of elements: one scale for all, or one for each lane.
template <class D>
struct Steps {
  hn::Vec<D> of[2][kSteps];
  hn::Vec<D> vanishes;
};

/// What kernels are compiled for: do rows depend on the sign, do codes lose signs, are status words
/// wanted?
enum Facts : unsigned { kSigned = 1, kDrops = 2, kReports = 4, kAllFacts = 8 };

template <Source kSource>
HWY_INLINE const auto& rows_of(const Constants& c, std::size_t sign) {
  if constexpr (kSource == Source::kFp32) {
    return c.rows[sign];
  } else {
    return c.short_rows[sign];
  }
}

template <Source kSource, unsigned kFacts>
HWY_INLINE Steps<Tag<kSource>> steps_of(const Constants& c, std::uint8_t scale) {
  const Tag<kSource> d;
  using Word = typename Lane<kSource>::Word;
  Steps<Tag<kSource>> steps;
  for (std::size_t sign = 0; sign < ((kFacts & kSigned) != 0 ? 2 : 1); ++sign) {
    const auto& row = rows_of<kSource>(c, sign)[scale];
    for (std::size_t k = 0; k < kSteps; ++k) {
      steps.of[sign][k] = hn::Set(d, static_cast<Word>(row[k]));
    }
  }
  constexpr std::uint32_t most = hwy::HighestValue<Word>();
  steps.vanishes = hn::Set(d, static_cast<Word>(std::min(c.vanishes[scale], most)));
  return steps;
}

/// Codes, and masks of elements that are to be reported.
template <class D>
struct Encoded {
  hn::Vec<D> code;
  hn::Vec<D> to_zero;
  hn::Vec<D> saturated;
};

template <unsigned kFacts, class D>
HWY_INLINE Encoded<D> encode(D d, const Constants& c, const Steps<D>& steps, hn::Vec<D> word) {
  using Word = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  const auto magnitude = magnitude_of(d, word);
  const auto negative = hn::BroadcastSignBit(word);
  const auto step = [&](std::size_t k) {
    if constexpr ((kFacts & kSigned) == 0) return steps.of[0][k];
    return hn::Or(hn::And(negative, steps.of[1][k]), hn::AndNot(negative, steps.of[0][k]));
  };
  const auto above = [&](hn::Vec<D> limit) { return hn::VecFromMask(d, hn::Gt(magnitude, limit)); };
  // 1. The magnitude code: how many steps lie below. Masks are -1, summed as two chains.
  const auto low =
      hn::Add(hn::Add(above(step(0)), above(step(1))), hn::Add(above(step(2)), above(step(3))));
  const auto high = hn::Add(hn::Add(above(step(4)), above(step(5))), above(step(6)));
  const auto code = hn::Sub(zero, hn::Add(low, high));
  // 2. Its sign.
  auto sign = hn::And(negative, hn::Set(d, Word{8}));
  if constexpr ((kFacts & kDrops) != 0) {
    const auto is_zero = hn::VecFromMask(d, hn::Eq(code, zero));
    const auto mask = [&](bool holds) { return hn::Set(d, holds ? Word{-1} : Word{0}); };
    const auto drops = hn::Or(hn::And(is_zero, mask(c.drops_zero_sign)),
                              hn::AndNot(above(steps.vanishes), mask(c.drops_input_sign)));
    sign = hn::AndNot(drops, sign);
  }
  Encoded<D> result{hn::Or(code, sign), zero, zero};
  if constexpr ((kFacts & kReports) != 0) {
    const auto is_zero = hn::VecFromMask(d, hn::Eq(code, zero));
    result.to_zero = hn::And(is_zero, above(steps.vanishes));
    result.saturated = above(step(kSteps - 1));
  }
  return result;
}

template <class D>
HWY_INLINE bool any(D d, hn::Vec<D> mask) {
  return !hn::AllFalse(d, hn::Ne(mask, hn::Zero(d)));
}

/// The largest magnitude of a block of consecutive words.
template <Source kSource>
HWY_INLINE std::uint32_t maximum_of(const std::byte* source, std::size_t count) {
  const Tag<kSource> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  auto most = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    most = hn::Max(most, magnitude_of(d, load_all(d, source + i * kBytes)));
  }
  if (i < count) {
    most = hn::Max(most, magnitude_of(d, load_some(d, source + i * kBytes, count - i)));
  }
  return largest_lane(d, most);
}

/// A block of consecutive words under a scale; the elements' part of its status word.
template <Source kSource, unsigned kFacts>
HWY_INLINE unsigned encode_block(const Constants& c, std::uint8_t scale, const std::byte* source,
                                 std::size_t count, std::uint8_t* codes) {
  const Tag<kSource> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  const auto steps = steps_of<kSource, kFacts>(c, scale);
  auto to_zero = hn::Zero(d);
  auto saturated = hn::Zero(d);
  const auto encode_some = [&](hn::Vec<Tag<kSource>> word, std::uint8_t* to) {
    const auto encoded = encode<kFacts>(d, c, steps, word);
    store_codes(d, encoded.code, to);
    to_zero = hn::Or(to_zero, encoded.to_zero);
    saturated = hn::Or(saturated, encoded.saturated);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    encode_some(load_all(d, source + i * kBytes), codes + i);
  }
  if (i < count) {
    alignas(64) std::uint8_t rest[kMostLanes];
    encode_some(load_some(d, source + i * kBytes, count - i), rest);
    std::memcpy(codes + i, rest, count - i);
  }
  if constexpr ((kFacts & kReports) == 0) return 0;
  return (any(d, to_zero) ? unsigned{cpu::kToZero} : 0) |
         (any(d, saturated) ? unsigned{cpu::kSaturated} : 0);
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
    for (std::size_t b = 0; b < some; ++b) {
      const std::uint32_t looked_up = most[b] < c.plain_from ? most[b] : 0;
      scale[b] = looked_up == 0 ? c.scale.of_zero : c.scale.code_of(looked_up);
    }
    for (std::size_t b = 0; b < some; ++b) {
      const std::byte* const source = run.source + place(b) * kBytes;
      std::uint8_t* const codes = run.codes + place(b);
      unsigned status = scale[b];
      if (HWY_UNLIKELY(most[b] >= c.plain_from)) {
        status = quantize_plain(c, {source, size(b), 1, codes});
      } else {
        const unsigned reports = encode_block<kSource, kFacts>(c, scale[b], source, size(b), codes);
        if constexpr ((kFacts & kReports) != 0) status = reports | scale_status(c.scale, most[b]);
      }
      run.scales[done + b] = static_cast<std::uint8_t>(status);
      if constexpr ((kFacts & kReports) != 0) {
        run.status[done + b] = static_cast<std::uint16_t>(status);
      }
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
    const auto load_row = [&](std::size_t row) {
      const std::byte* const from = run.source + (row * run.stride + column) * kBytes;
      return HWY_LIKELY(count == lanes) ? load_all(d, from) : load_some(d, from, count);
    };
    auto most = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      most = hn::Max(most, magnitude_of(d, load_row(row)));
    }
    alignas(64) Word maxima[kMostLanes];
    hn::Store(most, d, maxima);
    std::uint8_t scales[kMostLanes] = {};
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto maximum = static_cast<std::uint32_t>(maxima[i]);
      scales[i] =
          maximum == 0 || maximum >= c.plain_from ? c.scale.of_zero : c.scale.code_of(maximum);
    }
    const auto steps = steps_of_columns<kSource, kFacts>(c, scales);
    auto to_zero = hn::Zero(d);
    auto saturated = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      const auto encoded = encode<kFacts>(d, c, steps, load_row(row));
      alignas(64) std::uint8_t codes[kMostLanes];
      store_codes(d, encoded.code, codes);
      std::memcpy(run.codes + row * run.stride + column, codes, count);
      to_zero = hn::Or(to_zero, encoded.to_zero);
      saturated = hn::Or(saturated, encoded.saturated);
    }
    alignas(64) Word zeroed[kMostLanes];
    alignas(64) Word full[kMostLanes];
    hn::Store(to_zero, d, zeroed);
    hn::Store(saturated, d, full);
    for (std::size_t i = 0; i < count; ++i) {
      const auto maximum = static_cast<std::uint32_t>(maxima[i]);
      unsigned status = scales[i];
      if (HWY_UNLIKELY(maximum >= c.plain_from)) {
        status = quantize_plain(
            c, {run.source + (column + i) * kBytes, run.rows, run.stride, run.codes + column + i});
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

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::scaled {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);

void quantize_blocks(const Constants& c, const BlockRun& run) {
  HWY_DYNAMIC_DISPATCH(run_blocks)(c, run);
}

void quantize_columns(const Constants& c, const ColumnRun& run) {
  HWY_DYNAMIC_DISPATCH(run_columns)(c, run);
}

}  // namespace mx::fast::scaled
#endif
