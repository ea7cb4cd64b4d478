// SPDX-License-Identifier: Apache-2.0
// A block of ggml as values: one procedure for all types, by their rows.
//
// ggml defines values by binary32 arithmetic, and this is it: the host's, compiled without
// contraction of products and sums (the project's -ffp-contract=off). Tests hold it against the
// reference's integer arithmetic.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "cli/files/byte_order.hpp"
#include "cli/gguf/block_types.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/format/rows.hpp"

static_assert(std::numeric_limits<float>::is_iec559);

namespace mx::cli {
namespace {

constexpr fp32::Bits kGgmlNan = 0x7FC00000;

int ggml_byte(const std::byte* block, int at) { return std::to_integer<int>(block[at]); }

int ggml_number(const GgmlField& field, const std::byte* block, int index) {
  if (field.bits == 0) return 0;
  const int planes = 8 / field.bits;
  const int run = index / field.group;
  const int byte = ggml_byte(block, field.at + run / planes * field.group + index % field.group);
  if (field.bits == 8) return static_cast<std::int8_t>(byte);
  const int plane = run % planes + field.first_plane;
  return byte >> (plane * field.bits) & ((1 << field.bits) - 1);
}

/// TQ1_0: a byte is a fraction of 256 in base 3, its digit n that after n multiplications. Bytes
/// lie in runs of 32, 16 and 4, whose numbers lie digit by digit; the last run has four digits.
int ternary_code(const std::byte* block, int index) {
  constexpr std::array kPowers = {1, 3, 9, 27, 81};
  const int first = index < 160 ? 0 : index < 240 ? 160 : 240;
  const int at = index < 160 ? 0 : index < 240 ? 32 : 48;
  const int length = index < 160 ? 32 : index < 240 ? 16 : 4;
  const auto digit = static_cast<std::size_t>((index - first) / length);
  const int rest = ggml_byte(block, at + (index - first) % length) * kPowers.at(digit) & 0xFF;
  return rest * 3 >> 8;
}

int datum_of(const GgmlType& type, const std::byte* block, int index) {
  if (type.is_ternary) return ternary_code(block, index) - type.zero;
  const int code = ggml_number(type.low, block, index) | ggml_number(type.high, block, index)
                                                             << type.low.bits;
  return type.datums == nullptr ? code - type.zero
                                : type.datums->at(static_cast<std::size_t>(code));
}

/// Scale (or, after the eight scales, minimum) `index` of eight.
int six_bits(const std::byte* table, int index, bool is_minimum) {
  const int side = is_minimum ? 4 : 0;
  if (index < 4) return ggml_byte(table, index + side) & 0x3F;
  const int low = ggml_byte(table, index + 4) >> side & 0xF;
  const int high = ggml_byte(table, index - 4 + side) >> 2 & 0x30;
  return low | high;
}

float float_of_bits(fp32::Bits bits) { return std::bit_cast<float>(bits); }

float fp16_at(const std::byte* block, int at) {
  return float_of_bits(fp32::round(decode(formats::fp16, little_endian({block + at, 2}))));
}

/// Half of a UE4M3 scale; 7F counts as 0, and bit 7 for nothing but beside it.
float half_ue4m3(int code) {
  if (code == 0x7F) return 0;
  const int exponent = code >> 3 & 0xF;
  const auto fraction = static_cast<std::uint64_t>(code & 7);
  const Unpacked value = exponent == 0 ? unpack_integer(false, fraction, -10)
                                       : unpack_integer(false, 8 + fraction, exponent - 11);
  return float_of_bits(fp32::round(value));
}

float factor_of(const GgmlType& type, const std::byte* block) {
  switch (type.factor) {
    case GgmlFactor::kFp16:
      return fp16_at(block, type.factor_at);
    case GgmlFactor::kFp32:
      return float_of_bits(static_cast<fp32::Bits>(little_endian({block + type.factor_at, 4})));
    case GgmlFactor::kE8m0:  // half of it, FF included
      return float_of_bits(
          fp32::round(unpack_integer(false, 1, ggml_byte(block, type.factor_at) - 128)));
    case GgmlFactor::kNone:
      break;
  }
  return 1.0F;
}

/// What a code of a part is multiplied by.
float step_of(const GgmlType& type, const std::byte* block, float factor, int part) {
  switch (type.scale) {
    case GgmlScale::kField: {
      const int scale = (ggml_number(type.scale_low, block, part) |
                         ggml_number(type.scale_high, block, part) << type.scale_low.bits) -
                        type.scale_zero;
      return factor * static_cast<float>(scale);
    }
    case GgmlScale::kSixBits:
      return factor * static_cast<float>(six_bits(block + type.scale_low.at, part, false));
    case GgmlScale::kUe4m3:
      return half_ue4m3(ggml_byte(block, part));
    case GgmlScale::kNone:
      break;
  }
  return factor;
}

/// What is added to the products of a part.
float addend_of(const GgmlType& type, const std::byte* block, int part) {
  const float minimum = fp16_at(block, type.minimum_at);
  if (type.minimum == GgmlMinimum::kAdded) return minimum;
  const int number = type.scale == GgmlScale::kSixBits
                         ? six_bits(block + type.scale_low.at, part, true)
                         : ggml_number(type.minima, block, part);
  return -(minimum * static_cast<float>(number));
}

}  // namespace

void ggml_values(const GgmlType& type, const std::byte* block, std::span<std::uint32_t> fp32) {
  const float factor = factor_of(type, block);
  const bool has_addend = type.minimum != GgmlMinimum::kNone;
  const int last = std::min(type.elements, static_cast<int>(fp32.size()));
  for (int first = 0; first < last; first += type.part) {
    const int part = first / type.part;
    const float step = step_of(type, block, factor, part);
    const float addend = has_addend ? addend_of(type, block, part) : 0;
    for (int i = first; i < std::min(first + type.part, last); ++i) {
      float value = step * static_cast<float>(datum_of(type, block, i));
      if (has_addend) value += addend;
      const auto bits = std::bit_cast<fp32::Bits>(value);
      // Whose NaN comes out of an operation is the processor's choice.
      fp32[static_cast<std::size_t>(i)] = fp32::is_nan(bits) ? kGgmlNan : bits;
    }
  }
}

}  // namespace mx::cli
