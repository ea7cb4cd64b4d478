#include "fast/cpu/plain.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mx::fast::cpu {
namespace {

/// significand * 2^(exponent - 31), the leading one in bit 31; 0 for zero.
struct Number {
  std::uint32_t significand = 0;
  int exponent = 0;
  bool negative = false;
};

struct Layout {
  int man_bits;
  int bias;
};

constexpr Layout layout_of(Source source) {
  switch (source) {
    case Source::kFp32:
      return {23, 127};
    case Source::kBf16:
      return {7, 127};
    case Source::kFp16:
      break;
  }
  return {10, 15};
}

std::uint32_t word_at(Source source, const std::byte* at) {
  if (source != Source::kFp32) {
    std::uint16_t half = 0;
    std::memcpy(&half, at, sizeof half);
    return half;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// A word without its sign.
std::uint32_t magnitude_of(Source source, std::uint32_t word) {
  return word & (source == Source::kFp32 ? 0x7FFFFFFFU : 0x7FFFU);
}

Number number_of(Source source, std::uint32_t word) {
  const Layout layout = layout_of(source);
  const std::uint32_t magnitude = magnitude_of(source, word);
  const std::uint32_t field = magnitude >> layout.man_bits;
  const std::uint32_t hidden = std::uint32_t{1} << layout.man_bits;
  const std::uint32_t significand = (magnitude & (hidden - 1)) | (field != 0 ? hidden : 0);
  Number x{.negative = magnitude != word};
  if (significand == 0) return x;
  const int shift = std::countl_zero(significand);
  x.significand = significand << shift;
  const int unit = static_cast<int>(field != 0 ? field : 1) - layout.bias - layout.man_bits;
  x.exponent = unit + 31 - shift;
  return x;
}

struct Rounded {
  std::uint32_t code;
  bool to_zero;
  bool overflows;
};

/// A drawn magnitude: the significand cut `shift` bits above its lowest, on `base`.
std::uint64_t draw_magnitude(const ElementConstants& c, std::uint32_t significand, int shift,
                             std::uint64_t base, std::uint32_t word) {
  const std::uint64_t lower = base + (shift < 32 ? significand >> shift : 0);
  if (shift <= 64) {
    const std::uint64_t fraction = std::uint64_t{significand} << (64 - shift);
    return lower + (drawn_up(c.draw, c.random_bits, fraction, false, word) ? 1 : 0);
  }
  const int deep = shift < 127 ? shift - 64 : 63;
  const std::uint64_t fraction = std::uint64_t{significand} >> deep;
  const bool below = fraction << deep != significand;
  return lower + (drawn_up(c.draw, c.random_bits, fraction, below, word) ? 1 : 0);
}

/// x * 2^-shift as an element code; `word` is drawn for it.
Rounded encode(const ElementConstants& c, const Number& x, int scale_exponent, std::uint32_t word) {
  std::uint64_t magnitude = 0;
  const bool is_zero = x.significand == 0;
  if (!is_zero) {
    const int exponent = x.exponent - scale_exponent;
    const int grid = exponent < c.emin ? c.emin : exponent;
    // A shift by 34 leaves less than half an ulp of a significand below 2^32.
    const int wanted = 31 - c.man_bits + (grid - exponent);
    const int shift = wanted > 34 ? 34 : wanted;
    const std::uint64_t base = static_cast<std::uint64_t>(grid - c.emin) << c.man_bits;
    const std::uint64_t lower = base + (std::uint64_t{x.significand} >> shift);
    const bool odd = (lower & 1) != 0;
    const RoundingMasks& r = c.rounding;
    const bool up =
        ((r.by_odd != 0 && odd) != (r.by_negative != 0 && x.negative)) != (r.always != 0);
    const std::uint64_t ones = (std::uint64_t{1} << shift) - 1;
    const std::uint64_t addend = r.nearest != 0 ? (ones >> 1) + (up ? 1 : 0) : (up ? ones : 0);
    magnitude = c.draw == Draw::kNone ? base + ((x.significand + addend) >> shift)
                                      : draw_magnitude(c, x.significand, wanted, base, word);
  }
  const unsigned sign = x.negative ? 1 : 0;
  if (magnitude > c.limit[sign]) return {c.overflow.of[sign], false, true};
  const auto code = static_cast<std::uint32_t>(magnitude);
  const bool to_zero = code == 0 && !is_zero;
  const bool drops = (code == 0 && c.drops_zero_sign != 0) || (is_zero && c.drops_input_sign != 0);
  if (!x.negative || drops) return {code, to_zero, false};
  return {c.twos_complement != 0 ? (0 - code) & c.code_mask : code | c.sign_bit, to_zero, false};
}

/// A magnitude as a pattern of binary32, which holds those of every source.
std::uint32_t pattern_of(Source source, std::uint32_t magnitude) {
  if (source == Source::kFp32) return magnitude;
  if (source == Source::kBf16) return magnitude << 16;
  return word32(value_in({10, 15}, magnitude));
}

/// The rule's scale code before the clamp.
int unclamped_scale(const BlockConstants& c, const Number& amax, std::uint32_t pattern) {
  if (c.rule.any()) {
    // A rule takes its e_max itself; a ratio has the largest element in it.
    return c.rule.of(pattern) + c.scale_bias;
  }
  const std::uint32_t fraction = amax.significand << 1;
  const std::uint32_t top = fraction >> 25 << 1;
  const int key =
      (amax.exponent + kKeyBias) * 256 + static_cast<int>(top) + ((fraction << 7) != 0 ? 1 : 0);
  return ((key + c.rule_addend) >> 8) + c.scale_offset;
}

std::uint32_t largest_magnitude(Source source, const PlainBlock& block) {
  const std::size_t step = word_bytes(source) * block.stride;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    most = std::max(most, magnitude_of(source, word_at(source, block.source + i * step)));
  }
  return most;
}

/// Is the block one of zeros because its maximum is below 2^-126?
bool is_flushed(const BlockConstants& c, std::uint32_t pattern) {
  if (!c.flushes || pattern >= 1U << 23) return false;
  return c.rule.step != ExponentStep::kFloorLog2f || floor_log2f(pattern) < -126;
}

}  // namespace

bool has_infinity(Source source, const PlainBlock& block) {
  const std::size_t step = word_bytes(source) * block.stride;
  const std::uint32_t inf = source == Source::kFp32   ? 0x7F800000
                            : source == Source::kBf16 ? 0x7F80
                                                      : 0x7C00;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (magnitude_of(source, word_at(source, block.source + i * step)) == inf) return true;
  }
  return false;
}

std::uint16_t settled_key(const BlockConstants& c, Source source, const PlainBlock& block,
                          std::uint16_t key) {
  const std::uint32_t pattern = pattern_of(source, largest_magnitude(source, block));
  const int lower = (key >> kKeyBits) + c.scale_offset;
  if (c.rule.of(pattern) + c.scale_bias <= lower) return static_cast<std::uint16_t>(key - 1);
  // The largest number is no infinity: it keeps its key.
  return key + 1 == inf_key(source) ? key : static_cast<std::uint16_t>(key + 1);
}

std::uint16_t quantize_plain(const BlockConstants& c, Source source, const PlainBlock& block) {
  const std::size_t step = word_bytes(source) * block.stride;
  const std::uint32_t most = largest_magnitude(source, block);
  const std::uint32_t pattern = pattern_of(source, most);
  const bool flushed = is_flushed(c, pattern);
  const int wanted = flushed ? c.zero_scale : unclamped_scale(c, number_of(source, most), pattern);
  if (!flushed && wanted - c.scale_offset >= c.nan_field) {
    for (std::size_t i = 0; i < block.count; ++i) block.codes[i * block.stride] = c.nan_fill;
    return static_cast<std::uint16_t>(unsigned(c.nan_scale) | kClamped);
  }
  const int scale = std::clamp(wanted, c.lowest_scale, c.highest_scale);
  auto status = static_cast<unsigned>(flushed ? c.zero_scale : scale) |
                (flushed           ? unsigned{c.zero_status}
                 : scale != wanted ? unsigned{kClamped}
                                   : 0u);
  // scale + element_offset is the key exponent field of emin, less one.
  const int scale_exponent = scale + c.element_offset - (c.element.emin + kKeyBias - 1);
  for (std::size_t i = 0; i < block.count; ++i) {
    const std::uint64_t index = block.index + i * block.stride;
    const std::uint32_t word =
        c.element.draw == Draw::kNone ? 0 : random_word(block.draws, c.element.random_bits, index);
    Number x = number_of(source, word_at(source, block.source + i * step));
    if (flushed) x.significand = 0;
    const Rounded rounded = encode(c.element, x, scale_exponent, word);
    block.codes[i * block.stride] = static_cast<std::uint8_t>(rounded.code);
    status |= (rounded.to_zero ? unsigned{kToZero} : 0u) |
              (rounded.overflows ? unsigned{kSaturated} : 0u);
  }
  return static_cast<std::uint16_t>(status);
}

}  // namespace mx::fast::cpu
