#include "fast/cpu/block_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "fast/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/cpu/block_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/cpu/tile-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

/// Block b of a tile that begins at `source`.
template <Source kSource>
HWY_INLINE PlainBlock block_at(const Blocks& shape, const std::byte* source, std::uint8_t* codes,
                               std::size_t b) {
  const std::size_t start = b * shape.block;
  return {.source = source + start * word_bytes(kSource),
          .count = shape.size_of(b),
          .stride = 1,
          .codes = codes + start};
}

/// Scales and status words of a tile's blocks, and the codes that the vector kernels cannot find.
template <Source kSource>
HWY_INLINE void finish(const BlockConstants& c, const Blocks& shape, bool any_care,
                       const Tile& tile, const BlockRun& run) {
  const GeneralEncoder general(c.element);
  const std::size_t blocks = shape.blocks;
  store_scales(tile, blocks, run.scales);
  for (std::size_t b = 0; (any_care || run.status != nullptr) && b < blocks; ++b) {
    const Care care = care_of(c, inf_key(kSource), tile.most[b], tile.grid[b]);
    unsigned status = 0;
    if (care != Care::kNone) {
      const PlainBlock plain = block_at<kSource>(shape, run.source, run.codes, b);
      status = take_care(c, kSource, care, plain, tile.most[b]);
      run.scales[b] = static_cast<std::uint8_t>(status);
    } else if (run.status != nullptr) {
      status = scale_status(c, tile, b) | elements_status<kSource>(general, shape, tile, b);
    }
    if (run.status != nullptr) run.status[b] = static_cast<std::uint16_t>(status);
  }
}

/// Elements of a tile. The steps between tiles cost less with large ones; what comes from memory
/// comes more evenly with small ones.
inline std::size_t room_for(std::size_t bytes) {
  constexpr std::size_t kCached = std::size_t{2} << 20;
  return bytes <= kCached ? kTile : kTile / 2;
}

template <Source kSource>
void blocks_of(const BlockConstants& c, const BlockRun& run, Tile& tile) {
  const auto block = static_cast<std::size_t>(c.block_size);
  constexpr std::size_t kBytes = word_bytes(kSource);
  const std::size_t at_once = elements_of_tile(block, room_for(run.elements * kBytes));
  const Blocks full(at_once, block);
  std::size_t b = 0;
  for (std::size_t first = 0; first < run.elements; first += at_once, b += full.blocks) {
    const BlockRun part{run.source + first * kBytes, std::min(at_once, run.elements - first),
                        run.codes + first, run.scales + b,
                        run.status == nullptr ? nullptr : run.status + b};
    const Blocks shape = part.elements == at_once ? full : Blocks(part.elements, block);
    find_keys<kSource>(part.source, shape, tile);
    settle_keys(c, kSource, shape.blocks, tile, [&](std::size_t i) {
      return block_at<kSource>(shape, part.source, part.codes, i);
    });
    const bool any_care = choose_scales(c, inf_key(kSource), shape.blocks, tile);
    spread_bases(shape, tile);
    const Ahead ahead{part.source + (part.elements + kLead) * kBytes,
                      part.codes + part.elements + kLead};
    with_encoder(c.element, [&](const auto& encode) {
      if constexpr (kHasPairs && kSource != Source::kFp32) {
        if (shape.in_pairs) {
          return encode_blocks<kSource, true>(encode, shape, tile, ahead, part.codes);
        }
      }
      encode_blocks<kSource, false>(encode, shape, tile, ahead, part.codes);
    });
    finish<kSource>(c, shape, any_care, tile, part);
  }
}

/// A vector of columns at a time: the maxima of its lanes are those of its blocks.
template <Source kSource>
void columns_of(const BlockConstants& c, const ColumnRun& run, Tile& tile) {
  const D d;
  const hn::Rebind<std::uint8_t, D> bytes;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = word_bytes(kSource);
  constexpr std::uint16_t kInfKey = inf_key(kSource);
  const GeneralEncoder general(c.element);
  alignas(64) std::uint8_t code[kSpare];
  for (std::size_t column = 0; column < run.columns; column += lanes) {
    const std::size_t count = std::min(lanes, run.columns - column);
    const std::byte* const source = run.source + column * kBytes;
    std::uint8_t* const codes = run.codes + column;
    V most = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      most = hn::Max(most, load_some<kSource>(source + row * run.stride * kBytes, count).key);
    }
    hn::Store(most, d, tile.most);
    const auto block_of = [&](std::size_t i) {
      return PlainBlock{.source = source + i * kBytes,
                        .count = run.rows,
                        .stride = run.stride,
                        .codes = codes + i};
    };
    settle_keys(c, kSource, count, tile, block_of);
    const bool any_care = choose_scales(c, kInfKey, count, tile);
    const V base = hn::ShiftLeft<kKeyBits>(hn::Add(hn::Load(d, tile.grid), hn::Set(d, 1)));
    with_encoder(c.element, [&](const auto& encode) {
      for (std::size_t row = 0; row < run.rows; ++row) {
        const Keys x = load_some<kSource>(source + row * run.stride * kBytes, count);
        hn::StoreU(hn::TruncateTo(bytes, encode(x, base)), bytes, code);
        std::memcpy(codes + row * run.stride, code, count);
      }
    });
    V reports = hn::Zero(d);
    for (std::size_t row = 0; run.status != nullptr && row < run.rows; ++row) {
      const Keys x = load_some<kSource>(source + row * run.stride * kBytes, count);
      const Encoded y = general.encode(x, base);
      reports = hn::OrAnd(reports, y.to_zero, hn::Set(d, kToZero));
      reports = hn::OrAnd(reports, y.overflows, hn::Set(d, kSaturated));
    }
    alignas(64) std::uint16_t reported[kSpare];
    hn::Store(reports, d, reported);
    for (std::size_t i = 0; i < count; ++i) {
      const Care care = any_care ? care_of(c, kInfKey, tile.most[i], tile.grid[i]) : Care::kNone;
      unsigned status = tile.scale[i];
      if (care != Care::kNone) {
        status = take_care(c, kSource, care, block_of(i), tile.most[i]);
      } else if (run.status != nullptr) {
        status = unsigned{scale_status(c, tile, i)} | reported[i];
      }
      run.scales[column + i] = static_cast<std::uint8_t>(status);
      if (run.status != nullptr) run.status[column + i] = static_cast<std::uint16_t>(status);
    }
  }
}

template <Source kSource>
void elements_of(const ElementConstants& c, const std::byte* words, std::size_t elements,
                 std::uint8_t* codes) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = word_bytes(kSource);
  const V base = hn::Set(d, static_cast<std::uint16_t>((c.emin + kKeyBias) << kKeyBits));
  const GeneralEncoder general(c);
  const Order<kSource == Source::kFp32> order;
  with_encoder(c, [&](const auto& encode) {
    const auto convert = [&](const std::byte* from, std::uint8_t* to) {
      const Keys x = load_keys<kSource, true>(from);
      const Keys y = load_keys<kSource, true>(from + lanes * kBytes);
      // Infinities and NaNs are rare; a test of the vectors is cheaper than two choices.
      const V beyond = hn::SaturatedSub(
          hn::Max(x.key, y.key), hn::Set(d, static_cast<std::uint16_t>(inf_key(kSource) - 1)));
      if (HWY_LIKELY(hn::AllFalse(d, hn::Ne(beyond, hn::Zero(d))))) {
        return encode_two(encode, x, base, y, base, order, to);
      }
      order.store(general.with_specials(x, encode(x, base), inf_key(kSource)),
                  general.with_specials(y, encode(y, base), inf_key(kSource)), to);
    };
    std::size_t i = 0;
    constexpr std::size_t kAhead = 2048;  // elements
    for (; i + 2 * lanes <= elements; i += 2 * lanes) {
      fetch_ahead(words, (i + kAhead) * kBytes, 2 * lanes * kBytes);
      fetch_ahead(codes, i + kAhead, 1);
      convert(words + i * kBytes, codes + i);
    }
    if (i == elements) return;
    alignas(64) std::byte rest[4 * kSpare] = {};
    alignas(64) std::uint8_t out[kSpare];
    std::memcpy(rest, words + i * kBytes, (elements - i) * kBytes);
    convert(rest, out);
    std::memcpy(codes + i, out, elements - i);
  });
}

void run_blocks(const BlockConstants& c, Source source, const BlockRun& run) {
  Tile tile;
  switch (source) {
    case Source::kFp32:
      return blocks_of<Source::kFp32>(c, run, tile);
    case Source::kBf16:
      return blocks_of<Source::kBf16>(c, run, tile);
    case Source::kFp16:
      return blocks_of<Source::kFp16>(c, run, tile);
  }
}

void run_columns(const BlockConstants& c, Source source, const ColumnRun& run) {
  Tile tile;
  switch (source) {
    case Source::kFp32:
      return columns_of<Source::kFp32>(c, run, tile);
    case Source::kBf16:
      return columns_of<Source::kBf16>(c, run, tile);
    case Source::kFp16:
      return columns_of<Source::kFp16>(c, run, tile);
  }
}

void run_elements(const ElementConstants& c, Source source, const std::byte* words,
                  std::size_t elements, std::uint8_t* codes) {
  switch (source) {
    case Source::kFp32:
      return elements_of<Source::kFp32>(c, words, elements, codes);
    case Source::kBf16:
      return elements_of<Source::kBf16>(c, words, elements, codes);
    case Source::kFp16:
      return elements_of<Source::kFp16>(c, words, elements, codes);
  }
}

std::int64_t this_target() { return HWY_TARGET; }

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::cpu {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);
HWY_EXPORT(run_elements);
HWY_EXPORT(this_target);

void quantize_blocks(const BlockConstants& c, Source source, const BlockRun& run) {
  HWY_DYNAMIC_DISPATCH(run_blocks)(c, source, run);
}

void quantize_columns(const BlockConstants& c, Source source, const ColumnRun& run) {
  HWY_DYNAMIC_DISPATCH(run_columns)(c, source, run);
}

void convert_elements(const ElementConstants& c, Source source, const std::byte* words,
                      std::size_t elements, std::uint8_t* codes) {
  HWY_DYNAMIC_DISPATCH(run_elements)(c, source, words, elements, codes);
}

std::string_view target_name() { return hwy::TargetName(HWY_DYNAMIC_DISPATCH(this_target)()); }

}  // namespace mx::fast::cpu

namespace mx::fast {

std::vector<std::string_view> cpu_targets() {
  std::vector<std::string_view> names;
  for (const std::int64_t each : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(each));
  }
  return names;
}

std::vector<std::string_view> cpu_targets_left_out() {
  std::vector<std::string_view> names;
  // Fallbacks are no machine's instructions.
  const std::int64_t candidates = HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL | HWY_NEON;
  std::int64_t rest = hwy::SupportedTargets() & candidates & ~HWY_TARGETS;
  for (; rest != 0; rest &= rest - 1) names.emplace_back(hwy::TargetName(rest & -rest));
  return names;
}

OnlyCpuTarget::OnlyCpuTarget(std::string_view name) {
  for (const std::int64_t each : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(each)) {
      hwy::SetSupportedTargetsForTest(each);
      return;
    }
  }
}

OnlyCpuTarget::~OnlyCpuTarget() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace mx::fast
#endif
