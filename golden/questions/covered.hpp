// SPDX-License-Identifier: Apache-2.0
// Which bins of spec V10 a stimulus hits, of arrays in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/names/asking.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::golden {

/// Single values that are looked at one after the other.
class ValueCoverage {
 public:
  /// What the masks leave open covers nothing.
  ValueCoverage(const ConversionConfig& config, Masks masks);
  ~ValueCoverage();
  ValueCoverage(ValueCoverage&&) noexcept;
  ValueCoverage& operator=(ValueCoverage&&) = delete;

  void sample(std::uint64_t source, std::uint32_t random);
  [[nodiscard]] Covergroup group() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same of blocks of at most `lanes` elements.
class BlockCoverage {
 public:
  BlockCoverage(const QuantizerConfig& config, Masks masks, std::size_t lanes);
  ~BlockCoverage();
  BlockCoverage(BlockCoverage&&) noexcept;
  BlockCoverage& operator=(BlockCoverage&&) = delete;

  void sample(std::span<const std::uint64_t> source, std::span<const std::uint32_t> random);
  [[nodiscard]] Covergroup group() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "points": each with its name, meaning and bins, and which of these nothing hit; the verdict
/// holds where none is missing.
[[nodiscard]] Answer covered(std::string_view source, std::string_view format,
                             const Covergroup& group);

}  // namespace mx::golden
