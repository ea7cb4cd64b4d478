// Judges the way back of the CPU path against the reference on every set of vector instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fast/dequantize/dequantize_plan.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::fast::test {

/// Kinds of results. One that stays empty proves nothing.
enum class WordClass : std::uint8_t {
  kZero,
  kNegativeZero,
  kSubnormal,
  kInfinity,
  kNan,
  kLargest,
  kCount
};
[[nodiscard]] std::string_view name_of(WordClass one);

struct DequantizeTally {
  std::uint64_t elements = 0;    ///< of the reference; each was compared for every target
  std::uint64_t mismatches = 0;  ///< words, over the targets
  std::array<std::uint64_t, static_cast<std::size_t>(WordClass::kCount)> classes{};
  std::string first;
};

/// Blocks of 32 under e8m0, all policies the defaults.
[[nodiscard]] DequantizeJob default_decoding(const ElementFormat& element,
                                             const ElementFormat& output);

/// The configuration of the reference that a job is.
[[nodiscard]] QuantizerConfig config_of(const DequantizeJob& job);

/// A tensor's words by the reference, block by block.
[[nodiscard]] std::vector<std::byte> reference_words(const DequantizeJob& job,
                                                     const BlockLayout& layout,
                                                     std::span<const std::byte> codes,
                                                     std::span<const std::byte> scales);

void compare_decoding(const DequantizeJob& job, const BlockLayout& layout,
                      std::span<const std::byte> codes, std::span<const std::byte> scales,
                      DequantizeTally& tally, int threads = 1);

/// Single codes.
void compare_widening(const WidenJob& job, std::span<const std::byte> codes,
                      DequantizeTally& tally);

}  // namespace mx::fast::test
