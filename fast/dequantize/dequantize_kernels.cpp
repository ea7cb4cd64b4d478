#include "fast/dequantize/dequantize_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "fast/dequantize/plain.hpp"
#include "fast/memory/ahead.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/dequantize/dequantize_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "fast/dequantize/bytes-inl.hpp"
#include "fast/dequantize/words-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::dequantize::HWY_NAMESPACE {

/// Room for the lanes of any vector.
constexpr std::size_t kMostLanes = 128;

/// A word at a place that may be unaligned.
HWY_INLINE void put(Words format, std::uint32_t word, std::byte* to) {
  std::memcpy(to, &word, cpu::word_bytes(format));
}

/// Stores words of 16 bits, or the upper halves of words of 32.
template <Words kWords, class D>
HWY_INLINE void store_words(D, hn::Vec<D> words, std::byte* to) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    const std::uint32_t word = hn::GetLane(words);
    put(kWords, kWords == Words::kFp32 ? word << 16 : word, to);
  } else if constexpr (kWords != Words::kFp32) {
    const hn::Repartition<std::uint8_t, D> bytes;
    hn::StoreU(hn::BitCast(bytes, words), bytes, reinterpret_cast<std::uint8_t*>(to));
  } else {
    // Found by their arguments: HWY_SCALAR has no UpperHalf.
    auto* const at = reinterpret_cast<std::uint8_t*>(to);
    const hn::Half<D> half;
    const hn::Rebind<std::uint32_t, hn::Half<D>> wide;
    const hn::Repartition<std::uint8_t, decltype(wide)> bytes;
    const auto lower = hn::ShiftLeft<16>(hn::PromoteTo(wide, LowerHalf(half, words)));
    const auto upper = hn::ShiftLeft<16>(hn::PromoteTo(wide, UpperHalf(half, words)));
    hn::StoreU(hn::BitCast(bytes, lower), bytes, at);
    hn::StoreU(hn::BitCast(bytes, upper), bytes, at + 4 * hn::Lanes(half));
  }
}

/// Vectors of one configuration, and the stray bits they saw.
template <Words kWords, int kManBits, class D>
class Decoder {
 public:
  explicit Decoder(const DequantizeConstants& c) : c_(c), seen_(hn::Zero(D())) {}

  /// A vector of codes under the steps of their scales.
  HWY_INLINE void operator()(const std::uint8_t* codes, Steps<D> offset, std::byte* to) {
    const D d;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<std::uint8_t, D> bytes;
    constexpr std::size_t kAhead = 2048;  // elements
    constexpr std::size_t kWidth = cpu::word_bytes(kWords);
    fetch_ahead(codes, kAhead, 1);
    fetch_ahead(to, kAhead * kWidth, hn::Lanes(d) * kWidth);
    const hn::Vec<D> word = hn::PromoteTo(d, hn::LoadU(bytes, codes));
    seen_ = hn::Or(seen_, word);
    const Codes<D> x = read_codes<kManBits>(d, c_.code, word);
    const Steps<D> steps = steps_of<kManBits>(di, c_.code.man_bits, hn::BitCast(di, x.magnitude));
    const Steps<D> sum = hn::SaturatedAdd(steps, offset);
    const Easy<D> easy = easy_words<kWords>(d, c_, x, steps, sum);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Ne(easy.hard, hn::Zero(d))))) {
      store_words<kWords>(d, easy.word, to);
    } else if constexpr (kWords == Words::kFp32) {
      one_by_one(codes, offset, to);
    } else {
      store_words<kWords>(d, all_words<kWords>(d, c_, x, steps, sum), to);
    }
  }

  /// The first `count` lanes of a vector.
  HWY_INLINE void some(const std::uint8_t* codes, std::size_t count, Steps<D> offset,
                       std::byte* to) {
    if (HWY_LIKELY(count == hn::Lanes(D()))) return (*this)(codes, offset, to);
    alignas(64) std::uint8_t in[kMostLanes] = {};
    alignas(64) std::byte out[4 * kMostLanes];
    std::memcpy(in, codes, count);
    (*this)(in, offset, out);
    std::memcpy(to, out, count * cpu::word_bytes(kWords));
  }

  [[nodiscard]] bool is_clean() const {
    const D d;
    const hn::Vec<D> strays = hn::And(seen_, hn::Set(d, c_.code.stray_bits));
    return hn::AllFalse(d, hn::Ne(strays, hn::Zero(d)));
  }

 private:
  /// Binary32 results that are not normal need more than 16 bits.
  HWY_NOINLINE void one_by_one(const std::uint8_t* codes, Steps<D> offset, std::byte* to) const {
    const hn::RebindToSigned<D> di;
    alignas(64) std::int16_t steps[kMostLanes];
    hn::Store(offset, di, steps);
    const int of_scale_one = c_.code.unit + word_format(kWords).bias;
    for (std::size_t i = 0; i < hn::Lanes(D()); ++i) {
      const int exponent = steps[i] / (1 << kStepBits) - of_scale_one;
      put(kWords, plain_word(c_, codes[i], exponent), to + 4 * i);
    }
  }

  const DequantizeConstants& c_;
  hn::Vec<D> seen_;
};

template <class DecoderOf, class D>
HWY_INLINE void decode_line(DecoderOf& decoder, D, const std::uint8_t* codes, std::size_t count,
                            Steps<D> offset, std::size_t width, std::byte* words) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) decoder(codes + i, offset, words + i * width);
  if (i < count) decoder.some(codes + i, count - i, offset, words + i * width);
}

/// A block under a scale that is no power of two. False where the scale is stray.
bool decode_special(const DequantizeConstants& c, const std::uint8_t* codes, std::size_t count,
                    std::size_t stride, Scale scale, std::byte* words) {
  const std::size_t width = cpu::word_bytes(c.word.format);
  for (std::size_t i = 0; i < count; ++i) {
    put(c.word.format, plain_word(c, codes[i * stride], scale), words + i * stride * width);
  }
  return scale.kind != ScaleKind::kStray;
}

/// Stray bits of codes that no vector saw.
bool is_clean(const CodeConstants& c, const std::uint8_t* codes, std::size_t count) {
  unsigned seen = 0;
  for (std::size_t i = 0; i < count; ++i) seen |= codes[i];
  return (seen & c.stray_bits) == 0;
}

template <Words kWords, int kManBits, class D>
bool blocks_by(D d, const BlockConstants& c, const BlockRun& run) {
  const hn::RebindToSigned<D> di;
  const auto block = static_cast<std::size_t>(c.block_size);
  const std::size_t width = cpu::word_bytes(kWords);
  Decoder<kWords, kManBits, D> decoder(c.decode);
  bool clean = true;
  for (std::size_t first = 0, b = 0; first < run.elements; first += block, ++b) {
    const std::size_t count = std::min(block, run.elements - first);
    const Scale scale = c.scales[run.scales[b]];
    const std::uint8_t* const codes = run.codes + first;
    std::byte* const words = run.words + first * width;
    if (HWY_UNLIKELY(scale.kind != ScaleKind::kFinite)) {
      clean = decode_special(c.decode, codes, count, 1, scale, words) && clean;
      clean = is_clean(c.decode.code, codes, count) && clean;
      continue;
    }
    const Steps<D> offset = hn::Set(di, offset_of(c.decode, scale.exponent));
    decode_line(decoder, d, codes, count, offset, width, words);
  }
  return clean && decoder.is_clean();
}

/// Vectors as long as the blocks let them be.
template <Words kWords, int kManBits>
bool blocks_by_words(const BlockConstants& c, const BlockRun& run) {
  const hn::ScalableTag<std::uint16_t> whole;
  const hn::CappedTag<std::uint16_t, 8> short_ones;
  const auto block = static_cast<std::size_t>(c.block_size);
  return block % hn::Lanes(whole) == 0 ? blocks_by<kWords, kManBits>(whole, c, run)
                                       : blocks_by<kWords, kManBits>(short_ones, c, run);
}

template <Words kWords, int kManBits>
bool blocks_of(const BlockConstants& c, const BlockRun& run) {
  const auto by_words = [&](const BlockRun& part) {
    return blocks_by_words<kWords, kManBits>(c, part);
  };
  if constexpr (kManBits == kAnyPrecision) {
    return by_words(run);
  } else {
    return blocks_by_bytes<kWords, kManBits>(c, run, by_words);
  }
}

/// A vector of columns at a time, each lane under its own scale.
template <Words kWords, int kManBits>
bool columns_of(const BlockConstants& c, const ColumnRun& run) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::RebindToSigned<hn::ScalableTag<std::uint16_t>> di;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = cpu::word_bytes(kWords);
  Decoder<kWords, kManBits, hn::ScalableTag<std::uint16_t>> decoder(c.decode);
  bool clean = true;
  for (std::size_t column = 0; column < run.columns; column += lanes) {
    const std::size_t count = std::min(lanes, run.columns - column);
    alignas(64) std::int16_t steps[kMostLanes] = {};
    for (std::size_t i = 0; i < count; ++i) {
      steps[i] = offset_of(c.decode, c.scales[run.scales[column + i]].exponent);
    }
    const auto offset = hn::Load(di, steps);
    const std::uint8_t* const codes = run.codes + column;
    std::byte* const words = run.words + column * width;
    for (std::size_t row = 0; row < run.rows; ++row) {
      const std::size_t at = row * run.stride;
      decoder.some(codes + at, count, offset, words + at * width);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Scale scale = c.scales[run.scales[column + i]];
      if (HWY_LIKELY(scale.kind == ScaleKind::kFinite)) continue;
      clean = decode_special(c.decode, codes + i, run.rows, run.stride, scale, words + i * width) &&
              clean;
    }
  }
  return clean && decoder.is_clean();
}

template <Words kWords, int kManBits>
bool elements_by_words(const DequantizeConstants& c, const std::uint8_t* codes,
                       std::size_t elements, std::byte* words) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::RebindToSigned<hn::ScalableTag<std::uint16_t>> di;
  Decoder<kWords, kManBits, hn::ScalableTag<std::uint16_t>> decoder(c);
  decode_line(decoder, d, codes, elements, hn::Set(di, offset_of(c, 0)), cpu::word_bytes(kWords),
              words);
  return decoder.is_clean();
}

template <Words kWords, int kManBits>
bool elements_of(const DequantizeConstants& c, const std::uint8_t* codes, std::size_t elements,
                 std::byte* words) {
  const auto by_words = [&](const std::uint8_t* from, std::size_t count, std::byte* to) {
    return elements_by_words<kWords, kManBits>(c, from, count, to);
  };
  if constexpr (kManBits == kAnyPrecision) {
    return by_words(codes, elements, words);
  } else {
    return elements_by_bytes<kWords, kManBits>(c, codes, elements, words, by_words);
  }
}

/// f(words, precision) with both as constants: the precisions of the common formats have kernels of
/// their own.
template <Words kWords, class Function>
HWY_INLINE bool with_precision(const CodeConstants& c, const Function& f) {
  const bool is_float = c.twos_complement == 0;
  if (is_float && c.man_bits == 1) return f.template operator()<kWords, 1>();
  if (is_float && c.man_bits == 2) return f.template operator()<kWords, 2>();
  if (is_float && c.man_bits == 3) return f.template operator()<kWords, 3>();
  return f.template operator()<kWords, kAnyPrecision>();
}

template <class Function>
HWY_INLINE bool with_formats(const DequantizeConstants& c, const Function& f) {
  switch (c.word.format) {
    case Words::kFp32:
      return with_precision<Words::kFp32>(c.code, f);
    case Words::kBf16:
      return with_precision<Words::kBf16>(c.code, f);
    case Words::kFp16:
      break;
  }
  return with_precision<Words::kFp16>(c.code, f);
}

bool run_blocks(const BlockConstants& c, const BlockRun& run) {
  return with_formats(
      c.decode, [&]<Words kWords, int kManBits>() { return blocks_of<kWords, kManBits>(c, run); });
}

bool run_columns(const BlockConstants& c, const ColumnRun& run) {
  return with_formats(
      c.decode, [&]<Words kWords, int kManBits>() { return columns_of<kWords, kManBits>(c, run); });
}

bool run_elements(const DequantizeConstants& c, const std::uint8_t* codes, std::size_t elements,
                  std::byte* words) {
  return with_formats(c, [&]<Words kWords, int kManBits>() {
    return elements_of<kWords, kManBits>(c, codes, elements, words);
  });
}

}  // namespace mx::fast::dequantize::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::dequantize {

HWY_EXPORT(run_blocks);
HWY_EXPORT(run_columns);
HWY_EXPORT(run_elements);

bool dequantize_blocks(const BlockConstants& c, const BlockRun& run) {
  return HWY_DYNAMIC_DISPATCH(run_blocks)(c, run);
}

bool dequantize_columns(const BlockConstants& c, const ColumnRun& run) {
  return HWY_DYNAMIC_DISPATCH(run_columns)(c, run);
}

bool decode_elements(const DequantizeConstants& c, const std::uint8_t* codes, std::size_t elements,
                     std::byte* words) {
  return HWY_DYNAMIC_DISPATCH(run_elements)(c, codes, elements, words);
}

}  // namespace mx::fast::dequantize
#endif
