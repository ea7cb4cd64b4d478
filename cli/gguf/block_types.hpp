// SPDX-License-Identifier: Apache-2.0
// The block types of ggml as data: where a block of bytes holds its codes, scales and minima. They
// are those of ggml-org/ggml:src/ggml-common.h @d99724f2, in the order of its type numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cli/files/stored_type.hpp"

namespace mx::cli {

/// Small numbers in bytes. `group` bytes lie side by side and hold 8 / bits planes of `group`
/// numbers each, the first plane in the low bits; then comes the next group. Of 8 bits, they are
/// signed. No bits: no field, numbers of 0.
struct GgmlField {
  int at = 0;
  int bits = 0;
  int group = 1;
  int first_plane = 0;
};

/// The number of the whole block that everything is multiplied by.
enum class GgmlFactor : std::uint8_t { kFp16, kFp32, kE8m0, kNone };

/// What multiplies it for each part of the block.
enum class GgmlScale : std::uint8_t {
  kNone,
  kField,    ///< an integer of a field
  kSixBits,  ///< of twelve bytes with eight scales and eight minima of six bits: Q4_K, Q5_K
  kUe4m3     ///< a code of that format, in place of the factor: NVFP4
};

/// What is added at the end.
enum class GgmlMinimum : std::uint8_t {
  kNone,
  kAdded,      ///< an fp16 number
  kSubtracted  ///< an fp16 number by an integer of each part
};

struct GgmlType {
  std::string_view name;
  std::uint32_t number = 0;  ///< ggml_type
  int elements = 0;          ///< of a block
  int bytes = 0;             ///< of a block
  GgmlField low = {};        ///< the low bits of codes
  GgmlField high = {};       ///< and those above them
  int zero = 0;              ///< the code of 0
  const std::array<std::int8_t, 16>* datums =
      nullptr;              ///< what codes mean, where they are no integers
  bool is_ternary = false;  ///< five codes a byte: TQ1_0
  GgmlFactor factor = GgmlFactor::kFp16;
  int factor_at = 0;
  GgmlScale scale = GgmlScale::kNone;
  GgmlField scale_low = {};
  GgmlField scale_high = {};
  int scale_zero = 0;
  int part = 32;  ///< elements that share a scale or a minimum
  GgmlMinimum minimum = GgmlMinimum::kNone;
  int minimum_at = 0;
  GgmlField minima = {};
};

[[nodiscard]] std::span<const GgmlType> ggml_types();

/// The same as types whose bytes are values, row by row.
[[nodiscard]] std::span<const StoredType> stored_ggml_types();

/// The patterns of a block's values, as dequantize_row_*() of ggml-quants.c has them: in binary32,
/// every product, sum and difference rounded to nearest, ties to even. A NaN is 7FC00000.
void ggml_values(const GgmlType& type, const std::byte* block, std::span<std::uint32_t> fp32);

}  // namespace mx::cli
