#include "fast/cpu/lanes.hpp"

#include <algorithm>
#include <cstring>

#include "fast/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/cpu/quantize_lanes.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/cpu/tile-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

template <Source kSource>
void blocks_of(const BlockConstants& c, const BlockRun& run, Tile& tile) {
  const auto block = static_cast<std::size_t>(c.block_size);
  constexpr std::uint16_t kInfKey = inf_key(kSource);
  constexpr std::size_t kBytes = word_bytes(kSource);
  const std::size_t lanes = hn::Lanes(D());
  const std::size_t at_once = std::min(kTile / block, kMostBlocks);
  std::size_t done = 0;
  for (std::size_t first = 0; first < run.elements; first += at_once * block) {
    const std::size_t count = std::min(at_once * block, run.elements - first);
    const std::size_t blocks = (count + block - 1) / block;
    load_tile<kSource>(run.source + first * kBytes, count, tile);
    find_maxima(count, block, tile);
    const bool any_care = choose_scales(c, kInfKey, blocks, tile);
    // The last vector of codes may reach beyond the caller's.
    const bool is_whole = count % lanes == 0;
    std::uint8_t* const codes = run.codes + first;
    const Ahead ahead{run.source + (first + count) * kBytes, kBytes, run.codes + first + count};
    encode_tile(c.element, count, block, tile, ahead, is_whole ? codes : tile.code);
    if (!is_whole) std::memcpy(codes, tile.code, count);
    for (std::size_t b = 0; b < blocks; ++b) {
      run.scales[done + b] = static_cast<std::uint8_t>(tile.scale[b]);
    }
    if (run.status != nullptr) report_tile(c.element, count, block, tile);
    for (std::size_t b = 0; (any_care || run.status != nullptr) && b < blocks; ++b) {
      const std::size_t start = b * block;
      const std::size_t size = std::min(block, count - start);
      const Care care = care_of(c, kInfKey, tile.most[b], tile.grid[b]);
      std::uint16_t status = 0;
      if (care != Care::kNone) {
        const PlainBlock words{.source = run.source + (first + start) * kBytes,
                               .count = size,
                               .stride = 1,
                               .codes = codes + start};
        status = take_care(c, kSource, care, words, tile.most[b]);
        run.scales[done + b] = static_cast<std::uint8_t>(status);
      } else if (run.status != nullptr) {
        status = scale_status(c, tile, b);
        for (std::size_t i = 0; i < size; ++i) {
          status = static_cast<std::uint16_t>(status | tile.report[start + i]);
        }
      }
      if (run.status != nullptr) run.status[done + b] = status;
    }
    done += blocks;
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
  for (std::size_t column = 0; column < run.columns; column += lanes) {
    const std::size_t count = std::min(lanes, run.columns - column);
    const std::byte* const source = run.source + column * kBytes;
    std::uint8_t* const codes = run.codes + column;
    V most = hn::Zero(d);
    for (std::size_t row = 0; row < run.rows; ++row) {
      most = hn::Max(most, load_some<kSource>(source + row * run.stride * kBytes, count).key);
    }
    hn::Store(most, d, tile.most);
    const bool any_care = choose_scales(c, kInfKey, count, tile);
    const V grid = hn::Load(d, tile.grid);
    with_encoder(c.element, [&](const auto& encode) {
      for (std::size_t row = 0; row < run.rows; ++row) {
        const Keys x = load_some<kSource>(source + row * run.stride * kBytes, count);
        hn::StoreU(hn::TruncateTo(bytes, encode(x, grid)), bytes, tile.code);
        std::memcpy(codes + row * run.stride, tile.code, count);
      }
    });
    V reports = hn::Zero(d);
    for (std::size_t row = 0; run.status != nullptr && row < run.rows; ++row) {
      const Keys x = load_some<kSource>(source + row * run.stride * kBytes, count);
      report(general.encode(x, grid), tile.report);
      reports = hn::Or(reports, hn::Load(d, tile.report));
    }
    hn::Store(reports, d, tile.report);
    for (std::size_t i = 0; i < count; ++i) {
      const Care care = any_care ? care_of(c, kInfKey, tile.most[i], tile.grid[i]) : Care::kNone;
      unsigned status = tile.scale[i];
      if (care != Care::kNone) {
        const PlainBlock words{.source = source + i * kBytes,
                               .count = run.rows,
                               .stride = run.stride,
                               .codes = codes + i};
        status = take_care(c, kSource, care, words, tile.most[i]);
      } else if (run.status != nullptr) {
        status = unsigned{scale_status(c, tile, i)} | tile.report[i];
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
  const hn::Rebind<std::uint8_t, D> bytes;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBytes = word_bytes(kSource);
  const V grid = hn::Set(d, static_cast<std::uint16_t>(c.emin + kKeyBias - 1));
  const GeneralEncoder general(c);
  with_encoder(c, [&](const auto& encode) {
    const auto code_of = [&](const std::byte* from) {
      const Keys x = load_keys<kSource>(from);
      V code = encode(x, grid);
      // Infinities and NaNs are rare; a test of the vector is cheaper than two choices.
      const V beyond =
          hn::SaturatedSub(x.key, hn::Set(d, static_cast<std::uint16_t>(inf_key(kSource) - 1)));
      if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Ne(beyond, hn::Zero(d))))) {
        code = general.with_specials(x, code, inf_key(kSource));
      }
      return hn::TruncateTo(bytes, code);
    };
    std::size_t i = 0;
    constexpr std::size_t kAhead = 2048;  // elements
    for (; i + lanes <= elements; i += lanes) {
      fetch_ahead(words, (i + kAhead) * kBytes, lanes * kBytes);
      fetch_ahead(codes, i + kAhead, 1);
      hn::StoreU(code_of(words + i * kBytes), bytes, codes + i);
    }
    if (i == elements) return;
    alignas(64) std::byte rest[4 * kSpare] = {};
    alignas(64) std::uint8_t out[kSpare];
    std::memcpy(rest, words + i * kBytes, (elements - i) * kBytes);
    hn::StoreU(code_of(rest), bytes, out);
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
