// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoints/weight_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cli/files/tensor_header.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

constexpr std::uint32_t kNan = 0x7FC00000;

float float_of(const Unpacked& value) { return std::bit_cast<float>(fp32::round(value)); }

/// A byte as an element: a code of the weight's format, or a whole number.
float element_value(const StoredWeight& weight, std::uint64_t byte) {
  const ElementFormat* const format = weight.element();
  if (format == nullptr) return static_cast<float>(static_cast<std::int8_t>(byte));
  return float_of(decode(*format, byte & format->code_mask()));
}

CodeLayout layout_of(const StoredWeight& weight) {
  return {weight.packing.empty() ? Packing::kBytePadded : *parse_packing(weight.packing), 0};
}

/// The one rounding of each operation; a NaN without payload, as spec F1.2 has it.
std::uint32_t bits_of(float value) {
  return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(value);
}

}  // namespace

WeightValues::WeightValues(const StoredWeight& weight)
    : weight_(weight), packer_(layout_of(weight)) {
  const ElementFormat& scale = *weight.scale();
  scale_bytes_ = storage_bytes(scale);
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    elements_[byte] = element_value(weight, byte);
    // A scale with a sign is what its bits say; no writer has one.
    if (scale_bytes_ == 1) {
      const ElementFormat& held = scale == formats::ue4m3 ? formats::e4m3fn : scale;
      byte_scales_[byte] = float_of(decode(held, byte & held.code_mask()));
    }
  }
  for (std::uint64_t i = 0; weight.level != nullptr && i < weight.level->elements; ++i) {
    float level = 0;
    std::memcpy(&level, weight.level->data.data() + 4 * i, 4);
    levels_.push_back(level);
  }
  if (!weight.shape.empty()) {
    const std::uint64_t tile = std::max<std::uint64_t>(weight.tile.back(), 1);
    line_scales_ = (weight.shape.back() + tile - 1) / tile;
  }
}

/// The row of scales for a row of elements.
std::uint64_t WeightValues::scale_row(std::uint64_t row) const {
  std::uint64_t scales = 0;
  std::uint64_t factor = 1;
  for (std::size_t i = weight_.shape.size() - 1; i-- > 0;) {
    const std::uint64_t length = weight_.shape[i];
    const std::uint64_t tile = weight_.tile[i];
    scales += row % length / tile * factor;
    factor *= (length + tile - 1) / tile;
    row /= length;
  }
  return scales;
}

float WeightValues::scale_at(std::uint64_t index) const {
  const std::byte* const at = weight_.scale_bytes.data() + index * scale_bytes_;
  if (scale_bytes_ == 1) return byte_scales_[std::to_integer<std::size_t>(*at)];
  return float_of(decode(*weight_.scale(), load_word(at, scale_bytes_)));
}

float WeightValues::level_of(std::uint64_t row) const {
  if (levels_.size() == 1) return levels_.front();
  std::uint64_t rows = 1;  // of one of the leading axis
  for (std::size_t i = 1; i + 1 < weight_.shape.size(); ++i) rows *= weight_.shape[i];
  return levels_[row / rows];
}

void WeightValues::one_row(std::uint64_t row, std::span<const std::byte> codes,
                           std::span<std::uint32_t> values) const {
  const std::uint64_t first_scale = scale_row(row) * line_scales_;
  const std::uint64_t tile = std::max<std::uint64_t>(weight_.tile.back(), 1);
  const LevelNumber number = levels_.empty() ? LevelNumber::kNone : weight_.layout->number;
  for (std::uint64_t i = 0; i < line_scales_; ++i) {
    float scale = scale_at(first_scale + i);
    if (number == LevelNumber::kFactor) scale *= level_of(row);
    if (number == LevelNumber::kDivisor) scale /= level_of(row);
    const std::uint64_t end = std::min<std::uint64_t>((i + 1) * tile, codes.size());
    for (std::uint64_t at = i * tile; at < end; ++at) {
      values[at] = bits_of(elements_[std::to_integer<std::size_t>(codes[at])] * scale);
    }
  }
}

void WeightValues::rows(std::uint64_t first, std::uint64_t last,
                        std::span<std::uint32_t> values) const {
  const std::uint64_t length = weight_.row_length();
  const std::uint64_t count = (last - first) * length;
  if (count == 0) return;
  std::span<const std::byte> codes = weight_.codes->data;
  std::vector<std::byte> unpacked;
  if (weight_.packing.empty()) {
    codes = codes.subspan(first * length, count);
  } else {
    const std::uint64_t row_bytes = codes.size() / (weight_.elements() / length);
    unpacked.resize(count);
    packer_.unpack(codes.subspan(first * row_bytes, (last - first) * row_bytes), unpacked);
    codes = unpacked;
  }
  for (std::uint64_t row = first; row < last; ++row) {
    const std::uint64_t at = (row - first) * length;
    one_row(row, codes.subspan(at, length), values.subspan(at, length));
  }
}

}  // namespace mx::cli
