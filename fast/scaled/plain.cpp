#include "fast/scaled/plain.hpp"

#include <algorithm>
#include <cstring>

#include "fast/rules/binary32.hpp"

namespace mx::fast::scaled {
namespace {

/// What the elements of a block say together.
struct Scan {
  std::uint32_t finite = 0;  ///< the largest
  bool has_nan = false;
  bool has_infinity = false;
};

Scan scan_of(const Constants& c, const PlainBlock& block) {
  const std::size_t width = cpu::word_bytes(c.source);
  Scan scan;
  for (std::size_t i = 0; i < block.count; ++i) {
    const std::uint32_t magnitude =
        read_word(c.source, block.source + block.place(i) * width).magnitude;
    if (magnitude < c.infinity) scan.finite = std::max(scan.finite, magnitude);
    scan.has_infinity = scan.has_infinity || magnitude == c.infinity;
    scan.has_nan = scan.has_nan || magnitude > c.infinity;
  }
  return scan;
}

struct Code {
  unsigned code;
  unsigned status = 0;
};

/// |fl32(code * scale - x)| in units of 2^-10, x from 2^32 on. Scales are multiples of 2^-9 and at
/// most 448, so that nothing is left of them beside an x of 2^45 or more.
std::uint64_t search_error(Real x, std::uint64_t value) {
  if (x.exponent > 21) return 0;
  std::uint64_t error = (x.significand << (x.exponent + 10)) - value;
  int shift = 0;
  while (error >> shift >= std::uint64_t{1} << 24) ++shift;
  if (shift == 0) return error;
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = error & (2 * half - 1);
  const std::uint64_t kept = error >> shift;
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return (kept + (up ? 1 : 0)) << shift;
}

/// ggml's search among the codes of one sign, for magnitudes from 2^32 on: the first of least
/// error.
Code search(Real x, std::uint32_t sign, std::uint8_t scale) {
  constexpr std::uint64_t kDoubled[] = {0, 1, 2, 3, 4, 6, 8, 12};
  const unsigned field = scale >> 3;
  const std::uint64_t unit = field == 0 ? scale : (8U | (scale & 7U)) << (field - 1);  // 2^-9
  unsigned best = 0;
  for (unsigned code = 1; code < kSteps; ++code) {
    const std::uint64_t error = search_error(x, kDoubled[code] * unit);
    if (error < search_error(x, kDoubled[best] * unit)) best = code;
  }
  return {best | (best != 0 ? sign << 3 : 0), best == 0 ? unsigned{cpu::kToZero} : 0};
}

Code encode(const Constants& c, const Word& x, std::uint8_t scale) {
  if (x.magnitude > c.infinity) return {c.nan[x.sign]};
  const bool is_infinite = x.magnitude == c.infinity;
  if (is_infinite && !c.zeroes[scale]) {
    return {c.infinity_code[x.sign], c.searches ? 0 : unsigned{cpu::kSaturated}};
  }
  if (c.searches && x.magnitude >= c.plain_from) {
    // fp16 has no such numbers; bf16 is the upper half of binary32.
    const std::uint32_t word = c.source == Source::kBf16 ? x.magnitude << 16 : x.magnitude;
    return search(value32(word), x.sign, scale);
  }
  const Row& row = c.rows[x.sign][scale];
  unsigned code = 0;
  while (code < kSteps - 1 && x.magnitude > row[code]) ++code;
  const bool vanishes = x.magnitude <= c.vanishes[scale];
  const bool drops = (code == 0 && c.drops_zero_sign) || (vanishes && c.drops_input_sign);
  unsigned status = x.magnitude > row[kSteps - 1] ? unsigned{cpu::kSaturated} : 0;
  if (code == 0 && !vanishes) status |= cpu::kToZero;
  return {code | (drops ? 0 : x.sign << 3), status};
}

}  // namespace

Word read_word(Source source, const std::byte* at) {
  std::uint32_t word = 0;
  const std::size_t width = cpu::word_bytes(source);
  std::memcpy(&word, at, width);
  const auto top = static_cast<unsigned>(8 * width - 1);
  const std::uint32_t sign = word >> top;
  return {word ^ sign << top, sign};
}

std::uint32_t word32_of(Source source, std::uint32_t magnitude) {
  if (source == Source::kFp32) return magnitude;
  if (source == Source::kBf16) return magnitude << 16;
  const std::uint32_t field = magnitude >> 10;
  const std::uint32_t fraction = magnitude & 0x3FF;
  const Real value =
      field == 0 ? Real{fraction, -24} : Real{fraction | 0x400, static_cast<int>(field) - 25};
  return value.significand == 0 ? 0 : least_word(kBinary32, {.least = value});
}

BlockScale choose_scale(const Constants& c, const PlainBlock& block) {
  const ScaleConstants& s = c.scale;
  const Scan scan = scan_of(c, block);
  const bool counts_infinity = scan.has_infinity && !s.skips_infinities;
  unsigned status = 0;
  if (scan.has_infinity) status |= cpu::kInf;
  if (scan.has_nan) status |= cpu::kNan;
  if ((scan.has_nan && !s.skips_nan) || (counts_infinity && s.infinity_is_nan)) {
    return {status | s.of_nan, true};
  }
  if (!counts_infinity) return {status | scale_status(s, scan.finite), false};
  return {status | s.of_infinity | (s.infinity_clamps ? unsigned{cpu::kClamped} : 0), false};
}

std::uint16_t scale_status(const ScaleConstants& c, std::uint32_t maximum) {
  const bool is_zero = maximum == 0;
  unsigned status = is_zero ? c.of_zero | unsigned{cpu::kZero} : c.code_of(maximum);
  const bool clamps = maximum < c.clamped_below || maximum >= c.clamped_from;
  if (clamps && (!is_zero || c.zero_by_rule)) status |= cpu::kClamped;
  return static_cast<std::uint16_t>(status);
}

std::uint16_t quantize_plain(const Constants& c, const PlainBlock& block) {
  const std::size_t width = cpu::word_bytes(c.source);
  const BlockScale chosen = choose_scale(c, block);
  const auto scale = static_cast<std::uint8_t>(chosen.status);
  unsigned status = chosen.status;
  for (std::size_t i = 0; i < block.count; ++i) {
    Code code{0};
    if (!chosen.is_nan)
      code = encode(c, read_word(c.source, block.source + block.place(i) * width), scale);
    block.codes[block.place(i)] = static_cast<std::uint8_t>(code.code);
    status |= code.status;
  }
  return static_cast<std::uint16_t>(status);
}

}  // namespace mx::fast::scaled
