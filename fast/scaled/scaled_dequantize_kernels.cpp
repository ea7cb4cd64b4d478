#include <algorithm>
#include <cstring>

#include "fast/scaled/table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/scaled/scaled_dequantize_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::scaled::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sixteen bytes: as many codes, and a table of bytes for them.
using D = hn::CappedTag<std::uint8_t, kCodes>;

/// `count` codes under one scale, one at a time.
template <Source kWords>
HWY_INLINE unsigned decode_some(const Table& table, std::uint8_t scale, const std::uint8_t* codes,
                                std::size_t count, std::byte* words) {
  constexpr std::size_t kBytes = cpu::word_bytes(kWords);
  unsigned seen = 0;
  for (std::size_t i = 0; i < count; ++i) {
    seen |= codes[i];
    const std::uint32_t word = table.word(scale, codes[i]);
    std::memcpy(words + i * kBytes, &word, kBytes);
  }
  return seen;
}

#if HWY_TARGET != HWY_SCALAR
/// Sixteen codes under one scale: each byte of the words is a look-up in the scale's table of that
/// byte, and the bytes are brought together.
template <Source kWords>
HWY_INLINE hn::Vec<D> decode_sixteen(const Planes& planes, const std::uint8_t* codes,
                                     std::byte* words) {
  const D d;
  auto* const to = reinterpret_cast<std::uint8_t*>(words);
  const auto code = hn::LoadU(d, codes);
  const auto byte = [&](std::size_t plane) {
    return hn::TableLookupBytes(hn::Load(d, planes.of[plane]), code);
  };
  const auto low = byte(0);
  const auto second = byte(1);
  const auto first_half = hn::InterleaveLower(d, low, second);
  const auto second_half = hn::InterleaveUpper(d, low, second);
  if constexpr (kWords != Source::kFp32) {
    hn::StoreU(first_half, d, to);
    hn::StoreU(second_half, d, to + 16);
  } else {
    const hn::Repartition<std::uint16_t, D> d16;
    const auto third = byte(2);
    const auto top = byte(3);
    const auto join = [&](hn::Vec<D> lower, hn::Vec<D> upper, std::uint8_t* at) {
      const auto a = hn::BitCast(d16, lower);
      const auto b = hn::BitCast(d16, upper);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d16, a, b)), d, at);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d16, a, b)), d, at + 16);
    };
    join(first_half, hn::InterleaveLower(d, third, top), to);
    join(second_half, hn::InterleaveUpper(d, third, top), to + 32);
  }
  return code;
}
#endif

template <Source kWords>
bool blocks_of(const Table& table, const DequantizeRun& run) {
  const D d;
  constexpr std::size_t kBytes = cpu::word_bytes(kWords);
  const auto block = static_cast<std::size_t>(table.block_size);
  unsigned stray = 0;
  unsigned seen = 0;
  auto seen_codes = hn::Zero(d);
  for (std::size_t first = 0, b = 0; first < run.columns; first += block, ++b) {
    const std::size_t count = std::min(block, run.columns - first);
    const std::uint8_t scale = run.scales[b];
    stray |= table.is_stray[scale] ? 1U : 0U;
    std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; i + kCodes <= count; i += kCodes) {
      seen_codes =
          hn::Or(seen_codes, decode_sixteen<kWords>(table.planes[scale], run.codes + first + i,
                                                    run.words + (first + i) * kBytes));
    }
#endif
    seen |= decode_some<kWords>(table, scale, run.codes + first + i, count - i,
                                run.words + (first + i) * kBytes);
  }
  const auto beyond = hn::And(seen_codes, hn::Set(d, static_cast<std::uint8_t>(0xF0)));
  return stray == 0 && seen < kCodes && hn::AllFalse(d, hn::Ne(beyond, hn::Zero(d)));
}

template <Source kWords>
bool columns_of(const Table& table, const DequantizeRun& run) {
  constexpr std::size_t kBytes = cpu::word_bytes(kWords);
  unsigned seen = 0;
  unsigned stray = 0;
  for (std::size_t i = 0; i < run.columns; ++i) stray |= table.is_stray[run.scales[i]] ? 1U : 0U;
  for (std::size_t row = 0; row < run.rows; ++row) {
    const std::uint8_t* const codes = run.codes + row * run.columns;
    std::byte* const words = run.words + row * run.columns * kBytes;
    for (std::size_t i = 0; i < run.columns; ++i) {
      seen |= codes[i];
      const std::uint32_t word = table.word(run.scales[i], codes[i]);
      std::memcpy(words + i * kBytes, &word, kBytes);
    }
  }
  return stray == 0 && seen < kCodes;
}

bool run_blocks(const Table& table, const DequantizeRun& run) {
  // bf16 and fp16 differ in the table alone.
  return table.words == Source::kFp32 ? blocks_of<Source::kFp32>(table, run)
                                      : blocks_of<Source::kBf16>(table, run);
}

bool run_columns(const Table& table, const DequantizeRun& run) {
  return table.words == Source::kFp32 ? columns_of<Source::kFp32>(table, run)
                                      : columns_of<Source::kBf16>(table, run);
}

}  // namespace mx::fast::scaled::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::scaled {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);

bool dequantize_blocks(const Table& table, const DequantizeRun& run) {
  return HWY_DYNAMIC_DISPATCH(run_blocks)(table, run);
}

bool dequantize_columns(const Table& table, const DequantizeRun& run) {
  return HWY_DYNAMIC_DISPATCH(run_columns)(table, run);
}

}  // namespace mx::fast::scaled
#endif
