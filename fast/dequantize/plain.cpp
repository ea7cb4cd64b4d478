#include "fast/dequantize/plain.hpp"

#include <bit>

namespace mx::fast::dequantize {
namespace {

struct Code {
  std::uint32_t magnitude = 0;
  bool negative = false;
  bool is_nan = false;
  bool is_inf = false;
};

Code read(const CodeConstants& c, std::uint8_t word) {
  const std::uint32_t code = word & c.code_mask;
  Code x{.negative = (code << c.sign_shift & 0x8000) != 0};
  const std::uint32_t flip = x.negative ? c.twos_complement : 0;
  x.magnitude = ((code ^ flip) - flip) & c.magnitude_mask;
  x.is_nan = code == c.nan_code || x.magnitude >= c.nan_from;
  x.is_inf = !x.is_nan && x.magnitude == c.inf_magnitude;
  return x;
}

std::uint32_t sign_of(const WordConstants& c, bool negative) {
  return negative ? std::uint32_t{1} << (8 * cpu::word_bytes(c.format) - 1) : 0;
}

std::uint32_t zero_word(const WordConstants& c, bool negative, bool is_input) {
  const bool drops = c.drops_zero_sign != 0 || (is_input && c.drops_input_sign != 0);
  return sign_of(c, negative && !drops);
}

/// A magnitude code that is a number, not zero, times 2^exponent: rounded.
std::uint32_t finite_word(const DequantizeConstants& c, const Code& x, int exponent) {
  const CodeConstants& code = c.code;
  const int field = static_cast<int>(x.magnitude) >> code.man_bits;
  const std::uint32_t hidden = std::uint32_t{1} << code.man_bits;
  const std::uint32_t whole = field > 1 ? (x.magnitude & (hidden - 1)) | hidden : x.magnitude;
  return rounded_word(c.word, whole, code.unit + exponent + (field > 1 ? field - 1 : 0),
                      x.negative);
}

}  // namespace

std::uint32_t rounded_word(const WordConstants& c, std::uint32_t whole, int exponent,
                           bool negative) {
  const WordFormat format = word_format(c.format);
  // significand * 2^(top - 31), the leading one in bit 31.
  const int zeros = std::countl_zero(whole);
  const std::uint32_t significand = whole << zeros;
  const int top = 31 - zeros + exponent;
  const int emin = 1 - format.bias;
  const bool is_small = top < emin;
  const int grid = is_small ? emin : top;
  // A shift by 34 leaves less than half an ulp of a significand below 2^32.
  const int wanted = 31 - format.man_bits + (grid - top);
  const int shift = wanted > 34 ? 34 : wanted;
  const std::uint64_t base = static_cast<std::uint64_t>(grid - emin) << format.man_bits;
  const std::uint64_t lower = base + (std::uint64_t{significand} >> shift);
  const RoundingMasks& r = c.rounding;
  const bool odd = (lower & 1) != 0;
  const bool up = ((r.by_odd != 0 && odd) != (r.by_negative != 0 && negative)) != (r.always != 0);
  const std::uint64_t ones = (std::uint64_t{1} << shift) - 1;
  const std::uint64_t addend = r.nearest != 0 ? (ones >> 1) + (up ? 1 : 0) : (up ? ones : 0);
  std::uint64_t magnitude = base + ((significand + addend) >> shift);
  if (magnitude >> format.man_bits >= static_cast<std::uint64_t>(format.top_field())) {
    return c.overflow[negative ? 1 : 0];
  }
  const bool is_subnormal = magnitude >> format.man_bits == 0;
  if ((is_small && c.flushes_before != 0) || (is_subnormal && c.flushes_after != 0)) {
    magnitude = 0;
  }
  if (magnitude == 0) return zero_word(c, negative, false);
  return static_cast<std::uint32_t>(magnitude) | sign_of(c, negative);
}

std::uint32_t zero_word(const WordConstants& c, bool negative) {
  return zero_word(c, negative, true);
}

std::uint32_t plain_word(const DequantizeConstants& c, std::uint8_t code, int exponent) {
  const Code x = read(c.code, code);
  const int sign = x.negative ? 1 : 0;
  if (x.is_nan) return c.word.nan[sign];
  if (x.is_inf) return c.word.infinity[sign];
  if (x.magnitude == 0) return zero_word(c.word, x.negative, true);
  return finite_word(c, x, exponent);
}

std::uint32_t plain_word(const DequantizeConstants& c, std::uint8_t code, Scale scale) {
  if (scale.kind == ScaleKind::kFinite) return plain_word(c, code, int{scale.exponent});
  const Code x = read(c.code, code);
  if (scale.kind != ScaleKind::kZero || x.is_nan) return c.word.nan[x.negative ? 1 : 0];
  if (x.is_inf) return c.word.infinity[x.negative ? 1 : 0];
  return zero_word(c.word, x.negative, true);
}

}  // namespace mx::fast::dequantize
