// Floats of one to three significand bits to words where every result is a normal number or zero: a
// vector of bytes at a time. Included once for each target of Highway.
#if defined(MX_FAST_DEQUANTIZE_BYTES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_FAST_DEQUANTIZE_BYTES_INL
#undef MX_FAST_DEQUANTIZE_BYTES_INL
#else
#define MX_FAST_DEQUANTIZE_BYTES_INL
#endif

#include <algorithm>
#include <array>
#include <cstddef>

#include "fast/dequantize/constants.hpp"
#include "fast/dequantize/dequantize_kernels.hpp"
#include "fast/memory/ahead.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::dequantize::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// Single lanes cannot be interleaved.
template <Words kWords, int kManBits, class Otherwise>
HWY_INLINE bool blocks_by_bytes(const BlockConstants&, const BlockRun& run,
                                const Otherwise& otherwise) {
  return otherwise(run);
}
template <Words kWords, int kManBits, class Otherwise>
HWY_INLINE bool elements_by_bytes(const DequantizeConstants&, const std::uint8_t* codes,
                                  std::size_t elements, std::byte* words,
                                  const Otherwise& otherwise) {
  return otherwise(codes, elements, words);
}

#else

/// Steps of these formats are multiples of 2^(7 - man_bits), and so many of them fit a byte:
/// magnitude + normal_rise(), one more so that only zeros have none, for normal numbers.
constexpr int normal_rise(int man_bits) { return (man_bits - 1) * (1 << man_bits) + 1; }

/// What subnormal magnitudes add to that, by magnitude, modulo 256. Magnitudes from 8 on add
/// nothing.
constexpr std::array<std::uint8_t, 16> subnormal_rises(int man_bits) {
  std::array<std::uint8_t, 16> rises = {};
  rises[0] = static_cast<std::uint8_t>(-normal_rise(man_bits));
  for (int magnitude = 1; magnitude < 1 << man_bits; ++magnitude) {
    int binade = 0;
    while (magnitude >> (binade + 1) != 0) ++binade;
    const int below = (magnitude - (1 << binade)) << (man_bits - binade);
    const int steps = (binade << man_bits) + below + 1;
    rises[static_cast<std::size_t>(magnitude)] =
        static_cast<std::uint8_t>(steps - magnitude - normal_rise(man_bits));
  }
  return rises;
}

/// Vectors of one configuration, and the stray bits they saw.
template <Words kWords, int kManBits>
class ByteDecoder {
  using D = hn::ScalableTag<std::uint8_t>;
  using D16 = hn::Repartition<std::uint16_t, D>;
  using D32 = hn::Repartition<std::uint32_t, D>;
  using Bytes = hn::Vec<D>;
  static constexpr std::size_t kWidth = cpu::word_bytes(kWords);

 public:
  /// Codes a call takes.
  static constexpr std::size_t kLanes = hn::MaxLanes(D());

  explicit ByteDecoder(const CodeConstants& c)
      : code_mask_(set(c.code_mask)),
        magnitude_mask_(set(c.magnitude_mask)),
        below_special_(set(std::min(c.special_from() - 1, 0xFF))),
        nan_code_(set(c.nan_code)),
        has_nan_code_(set(c.nan_code == kNoCode ? 0 : 0xFF)),
        stray_bits_(set(c.stray_bits)),
        seen_(hn::Zero(D())),
        sign_shift_(c.sign_shift - 8) {
    const D d;
    constexpr std::array<std::uint8_t, 16> kRises = subnormal_rises(kManBits);
    rises_ = hn::LoadDup128(d, kRises.data());
  }

  /// What is added to steps under a scale (Scale::offset, not 0).
  using Offset = hn::Vec<D16>;
  static HWY_INLINE Offset offset_by(std::int16_t offset) {
    constexpr int kUnit = 1 << (kStepBits - kManBits);  // which zeros alone have not
    return hn::Set(D16(), static_cast<std::uint16_t>(offset - kUnit));
  }

  /// The lower half of a vector of codes under one offset, the upper under another. False where a
  /// code is NaN or infinity: nothing is written then.
  HWY_INLINE bool operator()(const std::uint8_t* from, Offset lower, Offset upper, std::byte* to) {
    const D d;
    constexpr std::size_t kAhead = 2048;  // elements
    fetch_ahead(from, kAhead, kLanes);
    fetch_ahead(to, kAhead * kWidth, kLanes * kWidth);
    const Bytes codes = ordered(hn::LoadU(d, from));
    seen_ = hn::Or(seen_, codes);
    const Bytes magnitude = hn::And(codes, magnitude_mask_);
    if (HWY_UNLIKELY(has_special(codes, magnitude))) return false;
    // Bit 7 where the table of 16 does not reach.
    const Bytes place = hn::And(hn::SaturatedAdd(magnitude, set(0x70)), set(0x8F));
    const Bytes steps = hn::Add(hn::Add(magnitude, set(normal_rise(kManBits))),
                                hn::TableLookupBytesOr0(rises_, place));
    const Bytes sign = hn::And(to_bit_7(codes), set(0x80));
    const Bytes zero = hn::Zero(d);
    store_half(hn::InterleaveLower(d, zero, steps), hn::InterleaveLower(d, zero, sign), lower, to);
    store_half(hn::InterleaveUpper(d, zero, steps), hn::InterleaveUpper(d, zero, sign), upper,
               to + kLanes / 2 * kWidth);
    return true;
  }

  [[nodiscard]] bool is_clean() const {
    const D d;
    return hn::AllFalse(d, hn::Ne(hn::And(seen_, stray_bits_), hn::Zero(d)));
  }

 private:
  template <class Int>
  static HWY_INLINE Bytes set(Int bits) {
    return hn::Set(D(), static_cast<std::uint8_t>(bits));
  }

  /// Instructions interleave inside 16 bytes: the groups of codes that become 16 bytes of words in
  /// the order that leaves words ascending.
  static HWY_INLINE Bytes ordered(Bytes codes) {
    constexpr std::size_t kBlocks = kLanes / 16;
    if constexpr (kBlocks > 1) {
      constexpr std::size_t kGroup = 16 / kWidth / 4;  // codes of a block, in units of 4
      alignas(64) static constexpr auto kOrder = [] {
        std::array<std::uint32_t, kLanes / 4> order = {};
        for (std::size_t i = 0; i < order.size(); ++i) {
          const std::size_t group = i % 4 / kGroup * kBlocks + i / 4;
          order[i] = static_cast<std::uint32_t>(group * kGroup + i % kGroup);
        }
        return order;
      }();
      const D32 d32;
      const auto words = hn::BitCast(d32, codes);
      const auto order = hn::SetTableIndices(d32, kOrder.data());
      return hn::BitCast(D(), hn::TableLookupLanes(words, order));
    } else {
      return codes;
    }
  }

  HWY_INLINE bool has_special(Bytes codes, Bytes magnitude) const {
    const D d;
    const Bytes above = hn::SaturatedSub(magnitude, below_special_);
    const Bytes slot = hn::VecFromMask(d, hn::Eq(hn::And(codes, code_mask_), nan_code_));
    const Bytes special = hn::Or(above, hn::And(slot, has_nan_code_));
    return !hn::AllFalse(d, hn::Ne(special, hn::Zero(d)));
  }

  HWY_INLINE Bytes to_bit_7(Bytes codes) const {
    if (sign_shift_ == 0) return codes;
    return hn::BitCast(D(), hn::ShiftLeftSame(hn::BitCast(D16(), codes), sign_shift_));
  }

  /// Steps and signs in the upper bytes of 16-bit lanes.
  HWY_INLINE void store_half(Bytes steps, Bytes sign, Offset offset, std::byte* to) const {
    const D d;
    const D16 d16;
    const auto high = hn::BitCast(d16, steps);
    const auto sum = hn::Add(hn::ShiftRight<1 + kManBits>(high), offset);
    const auto magnitude = hn::IfThenZeroElse(hn::Eq(high, hn::Zero(d16)), sum);
    const auto shifted = kWords == Words::kFp16 ? hn::ShiftLeft<3>(magnitude) : magnitude;
    const auto word = hn::Or(shifted, hn::BitCast(d16, sign));
    auto* const at = reinterpret_cast<std::uint8_t*>(to);
    if constexpr (kWords == Words::kFp32) {
      const auto zero = hn::Zero(d16);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d16, zero, word)), d, at);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d16, zero, word)), d, at + kLanes);
    } else {
      hn::StoreU(hn::BitCast(d, word), d, at);
    }
  }

  Bytes code_mask_;
  Bytes magnitude_mask_;
  Bytes below_special_;
  Bytes nan_code_;
  Bytes has_nan_code_;
  Bytes stray_bits_;
  Bytes rises_;
  Bytes seen_;
  int sign_shift_;
};

/// Do blocks fill halves of the vectors, and zeros keep their signs?
template <std::size_t kLanes>
HWY_INLINE bool takes_bytes(const BlockConstants& c) {
  const auto block = static_cast<std::size_t>(c.block_size);
  const bool fits = block % kLanes == 0 || block * 2 == kLanes;
  return fits && c.decode.word.drops_input_sign == 0;
}

/// Blocks by whole vectors; otherwise(part of the run) decodes what they cannot. False where a code
/// or scale was stray.
template <Words kWords, int kManBits, class Otherwise>
HWY_INLINE bool blocks_by_bytes(const BlockConstants& c, const BlockRun& run,
                                const Otherwise& otherwise) {
  using Decoders = ByteDecoder<kWords, kManBits>;
  constexpr std::size_t kLanes = Decoders::kLanes;
  constexpr std::size_t kWidth = cpu::word_bytes(kWords);
  if (!takes_bytes<kLanes>(c)) return otherwise(run);
  const auto block = static_cast<std::size_t>(c.block_size);
  const std::size_t unit = std::max(block, kLanes);
  const std::size_t blocks = unit / block;  // 1 or 2
  Decoders decoder(c.decode.code);
  const auto part = [&](std::size_t first, std::size_t count, std::size_t b) {
    return BlockRun{run.codes + first, count, run.scales + b, run.words + first * kWidth};
  };
  const auto offset = [&](std::size_t b) { return c.scales[run.scales[b]].offset; };
  const auto is_easy = [&](std::size_t b) { return offset(b) != 0 && offset(b + blocks - 1) != 0; };
  bool clean = true;
  std::size_t first = 0;
  std::size_t b = 0;
  for (; first + unit <= run.elements; first += unit, b += blocks) {
    if (HWY_UNLIKELY(!is_easy(b))) {
      const std::size_t from = first;
      const std::size_t from_b = b;
      for (; first + 2 * unit <= run.elements && !is_easy(b + blocks); first += unit) b += blocks;
      clean = otherwise(part(from, first + unit - from, from_b)) && clean;
      continue;
    }
    const auto below = Decoders::offset_by(offset(b));
    const auto above = blocks == 1 ? below : Decoders::offset_by(offset(b + 1));
    for (std::size_t i = first; i < first + unit; i += kLanes) {
      if (HWY_LIKELY(decoder(run.codes + i, below, above, run.words + i * kWidth))) continue;
      clean = otherwise(part(i, kLanes, b)) && clean;
    }
  }
  if (first < run.elements) clean = otherwise(part(first, run.elements - first, b)) && clean;
  return clean && decoder.is_clean();
}

/// The same of single values: otherwise(codes, count, words).
template <Words kWords, int kManBits, class Otherwise>
HWY_INLINE bool elements_by_bytes(const DequantizeConstants& c, const std::uint8_t* codes,
                                  std::size_t elements, std::byte* words,
                                  const Otherwise& otherwise) {
  using Decoders = ByteDecoder<kWords, kManBits>;
  constexpr std::size_t kLanes = Decoders::kLanes;
  constexpr std::size_t kWidth = cpu::word_bytes(kWords);
  const std::int16_t of_one = easy_offset(c, 0);
  if (of_one == 0 || c.word.drops_input_sign != 0) return otherwise(codes, elements, words);
  const auto offset = Decoders::offset_by(of_one);
  Decoders decoder(c.code);
  bool clean = true;
  std::size_t i = 0;
  for (; i + kLanes <= elements; i += kLanes) {
    if (HWY_LIKELY(decoder(codes + i, offset, offset, words + i * kWidth))) continue;
    clean = otherwise(codes + i, kLanes, words + i * kWidth) && clean;
  }
  if (i < elements) clean = otherwise(codes + i, elements - i, words + i * kWidth) && clean;
  return clean && decoder.is_clean();
}

#endif

}  // namespace mx::fast::dequantize::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
