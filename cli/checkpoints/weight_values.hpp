// SPDX-License-Identifier: Apache-2.0
// The values of a stored weight in binary32.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/layout/packing.hpp"
#include "cli/checkpoints/stored_weights.hpp"

namespace mx::cli {

/// Values as the libraries compute them in binary32: the scale times the number of the tensor, or
/// divided by it, rounded; then element times scale, rounded. Without a number, and with a scale
/// that is a power of two, values are exact.
class WeightValues {
 public:
  /// The weight must outlive it.
  explicit WeightValues(const StoredWeight& weight);

  /// The binary32 patterns of rows `first` to `last` - 1 along the last axis. Two threads may call
  /// it at once. Codes with bits above their format are taken without them.
  void rows(std::uint64_t first, std::uint64_t last, std::span<std::uint32_t> values) const;

 private:
  [[nodiscard]] std::uint64_t scale_row(std::uint64_t row) const;
  [[nodiscard]] float scale_at(std::uint64_t index) const;
  [[nodiscard]] float level_of(std::uint64_t row) const;
  void one_row(std::uint64_t row, std::span<const std::byte> codes,
               std::span<std::uint32_t> values) const;

  const StoredWeight& weight_;
  backend::CodePacker packer_;
  std::array<float, 256> elements_ = {};
  std::array<float, 256> byte_scales_ = {};
  std::vector<float> levels_;
  std::size_t scale_bytes_ = 1;
  std::uint64_t line_scales_ = 1;  ///< scales along a row
};

}  // namespace mx::cli
