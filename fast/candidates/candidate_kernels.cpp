#include <algorithm>
#include <cstring>

#include "fast/candidates/candidate_kernels.hpp"
#include "fast/environment/default_floats.hpp"
#include "fast/scaled/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/candidates/candidate_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/scaled/steps-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::candidates::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace blocks = scaled::HWY_NAMESPACE;
using scaled::Constants;
using scaled::Source;

/// Elements of a block, and those beyond that whole vectors may touch.
constexpr std::size_t kMost = 1024;
constexpr std::size_t kRoom = kMost + blocks::kMostLanes;
/// Blocks of columns that are put one after the other at a time.
constexpr std::size_t kColumns = 16;

using Floats = hn::CappedTag<float, blocks::kMostLanes>;

/// The magnitudes of a vector of source words as numbers. Those beyond a block are any words.
template <Source kSource>
HWY_INLINE hn::Vec<Floats> magnitudes_of(const std::byte* source) {
  const Floats d;
  if constexpr (kSource == Source::kFp32) {
    alignas(64) float words[blocks::kMostLanes];
    std::memcpy(words, source, hn::Lanes(d) * sizeof(float));
    return hn::Abs(hn::Load(d, words));
  } else {
    const hn::Rebind<std::uint16_t, Floats> shorts;
    alignas(32) std::uint16_t words[blocks::kMostLanes];
    std::memcpy(words, source, hn::Lanes(d) * sizeof(std::uint16_t));
    const auto magnitude = hn::And(hn::Load(shorts, words), hn::Set(shorts, std::uint16_t{0x7FFF}));
    if constexpr (kSource == Source::kBf16) {
      const hn::RebindToUnsigned<Floats> wide;
      return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, magnitude)));
    } else {
      const hn::Rebind<hwy::float16_t, Floats> halves;
      return hn::PromoteTo(d, hn::BitCast(halves, magnitude));
    }
  }
}

/// One candidate of a block.
struct Candidate {
  std::uint8_t scale;
  unsigned reports;
  alignas(64) std::uint8_t codes[kRoom];
  alignas(64) float errors[kRoom];
};

/// What codes are worth, by a scale's row of Errors::kept.
HWY_INLINE hn::Vec<Floats> worth_of(const float* kept, const std::uint8_t* codes) {
  const Floats d;
  const hn::RebindToSigned<Floats> places;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const auto code = hn::PromoteTo(
      places, hn::And(hn::LoadU(bytes, codes), hn::Set(bytes, std::uint8_t{kMagnitudes - 1})));
  // A vector of 16 takes the next scale's row along; the largest code of a scale is not the last.
  if constexpr (hn::MaxLanes(d) >= kMagnitudes) {
    return hn::TableLookupLanes(hn::LoadU(d, kept), hn::IndicesFromVec(d, code));
  } else {
    return hn::GatherIndex(d, kept, code);
  }
}

/// The errors of a candidate's codes, a binary32 operation each.
template <bool kSquares>
HWY_INLINE void leave_errors(const Errors& e, const float* magnitudes, std::size_t count,
                             Candidate& one) {
  const Floats d;
  const float* const kept = e.kept[one.scale].data();
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto difference = hn::Sub(worth_of(kept, one.codes + i), hn::Load(d, magnitudes + i));
    hn::Store(kSquares ? hn::Mul(difference, difference) : hn::Abs(difference), d, one.errors + i);
  }
}

/// Is the sum of the second one's errors less? Each in the order of its elements.
HWY_INLINE bool is_less(const Candidate& six, const Candidate& four, std::size_t count) {
  float of_six = 0;
  float of_four = 0;
  for (std::size_t i = 0; i < count; ++i) {
    of_six += six.errors[i];
    of_four += four.errors[i];
  }
  return of_four < of_six;
}

/// What is known of a block on its way.
struct Workspace {
  alignas(64) std::byte source[4 * kRoom];
  alignas(64) float magnitudes[kRoom];
  Candidate six;
  Candidate four;
};

/// A block of consecutive words and its status word.
template <Source kSource, unsigned kFacts>
HWY_INLINE std::uint16_t quantize_block(const Constants& c, const Errors& e,
                                        const std::byte* source, std::size_t count,
                                        std::uint8_t* codes, Workspace& w) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  const std::uint32_t most = blocks::maximum_of<kSource>(source, count);
  // An infinity or a NaN leaves both candidates the same error, so that the first is taken.
  if (HWY_UNLIKELY(most >= c.plain_from)) {
    return scaled::quantize_plain(c, {source, count, 1, codes});
  }
  const auto scale_of = [&](const scaled::ScaleConstants& s) {
    return most == 0 ? s.of_zero : s.code_of(most);
  };
  const auto try_scale = [&](Candidate& one, std::uint8_t* to) {
    const auto steps = blocks::steps_of<kSource, kFacts>(c, one.scale);
    one.reports = blocks::encode_block<kSource, kFacts>(c, steps, source, count, to);
  };
  w.six.scale = scale_of(c.scale);
  w.four.scale = scale_of(e.four);
  if (w.six.scale == w.four.scale) {
    try_scale(w.six, codes);
    return static_cast<std::uint16_t>(w.six.reports | scaled::scale_status(c.scale, most));
  }
  try_scale(w.six, w.six.codes);
  try_scale(w.four, w.four.codes);
  const Floats d;
  const std::byte* whole = source;
  if (count % hn::Lanes(d) != 0) {
    std::memcpy(w.source, source, count * kBytes);
    whole = w.source;
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(magnitudes_of<kSource>(whole + i * kBytes), d, w.magnitudes + i);
  }
  for (Candidate* const one : {&w.six, &w.four}) {
    e.squares ? leave_errors<true>(e, w.magnitudes, count, *one)
              : leave_errors<false>(e, w.magnitudes, count, *one);
  }
  const bool takes_four = is_less(w.six, w.four, count);
  const Candidate& one = takes_four ? w.four : w.six;
  std::memcpy(codes, one.codes, count);
  return static_cast<std::uint16_t>(one.reports |
                                    scaled::scale_status(takes_four ? e.four : c.scale, most));
}

template <Source kSource, unsigned kFacts>
void blocks_of(const Constants& c, const Errors& e, const cpu::BlockRun& run) {
  const auto block = static_cast<std::size_t>(c.block_size);
  Workspace w = {};
  for (std::size_t b = 0, place = 0; place < run.elements; ++b, place += block) {
    const std::uint16_t status = quantize_block<kSource, kFacts>(
        c, e, run.source + place * cpu::word_bytes(kSource), std::min(block, run.elements - place),
        run.codes + place, w);
    run.scales[b] = static_cast<std::uint8_t>(status);
    if constexpr ((kFacts & blocks::kReports) != 0) run.status[b] = status;
  }
}

/// Some columns at a time, each put where its words follow each other.
template <Source kSource, unsigned kFacts>
void columns_of(const Constants& c, const Errors& e, const cpu::ColumnRun& run) {
  constexpr std::size_t kBytes = cpu::word_bytes(kSource);
  Workspace w = {};
  alignas(64) std::byte words[kColumns][4 * kMost];
  alignas(64) std::uint8_t codes[kColumns][kMost];
  for (std::size_t first = 0; first < run.columns; first += kColumns) {
    const std::size_t some = std::min(kColumns, run.columns - first);
    for (std::size_t row = 0; row < run.rows; ++row) {
      const std::byte* const from = run.source + (row * run.stride + first) * kBytes;
      for (std::size_t i = 0; i < some; ++i) {
        std::memcpy(words[i] + row * kBytes, from + i * kBytes, kBytes);
      }
    }
    for (std::size_t i = 0; i < some; ++i) {
      const std::uint16_t status =
          quantize_block<kSource, kFacts>(c, e, words[i], run.rows, codes[i], w);
      run.scales[first + i] = static_cast<std::uint8_t>(status);
      if constexpr ((kFacts & blocks::kReports) != 0) run.status[first + i] = status;
    }
    for (std::size_t row = 0; row < run.rows; ++row) {
      std::uint8_t* const to = run.codes + row * run.stride + first;
      for (std::size_t i = 0; i < some; ++i) to[i] = codes[i][row];
    }
  }
}

/// f(source, facts) with both as constants. Under ties_to_even the rows of both signs are the same.
template <Source kSource, class Function>
HWY_INLINE void with_facts(const Constants& c, bool reports, const Function& f) {
  using blocks::kDrops;
  using blocks::kReports;
  if (c.drops_signs()) {
    reports ? f.template operator()<kSource, kDrops | kReports>()
            : f.template operator()<kSource, kDrops>();
  } else {
    reports ? f.template operator()<kSource, kReports>() : f.template operator()<kSource, 0>();
  }
}

template <class Function>
HWY_INLINE void with_constants(const Constants& c, bool reports, const Function& f) {
  switch (c.source) {
    case Source::kFp32:
      return with_facts<Source::kFp32>(c, reports, f);
    case Source::kBf16:
      return with_facts<Source::kBf16>(c, reports, f);
    case Source::kFp16:
      return with_facts<Source::kFp16>(c, reports, f);
  }
}

void run_blocks(const Constants& c, const Errors& e, const cpu::BlockRun& run) {
  with_constants(c, run.status != nullptr,
                 [&]<Source kSource, unsigned kFacts>() { blocks_of<kSource, kFacts>(c, e, run); });
}

void run_columns(const Constants& c, const Errors& e, const cpu::ColumnRun& run) {
  with_constants(c, run.status != nullptr, [&]<Source kSource, unsigned kFacts>() {
    columns_of<kSource, kFacts>(c, e, run);
  });
}

}  // namespace mx::fast::candidates::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::candidates {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);

void quantize_blocks(const scaled::Constants& c, const Errors& e, const cpu::BlockRun& run) {
  const DefaultFloats floats;
  HWY_DYNAMIC_DISPATCH(run_blocks)(c, e, run);
}

void quantize_columns(const scaled::Constants& c, const Errors& e, const cpu::ColumnRun& run) {
  const DefaultFloats floats;
  HWY_DYNAMIC_DISPATCH(run_columns)(c, e, run);
}

}  // namespace mx::fast::candidates
#endif
