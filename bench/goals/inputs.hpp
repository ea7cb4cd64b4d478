// What is converted: seeded values of every class that kernels treat apart, not normal numbers
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/goals/memory.hpp"
#include "reference/format/format.hpp"

namespace mx::goals {

inline constexpr std::size_t kBlock = 32;

/// For conversions of single values to e4m3fn: bell-shaped values below 440 in magnitude, and among
/// every 16 of them a tie, two values among the format's subnormals and around its smallest, an
/// fp32 subnormal and a zero of either sign.
[[nodiscard]] Array<float> single_values(std::size_t count);

/// For blocks of 32: the same classes at scales of 2^-4 .. 2^3, ties of two precisions; among every
/// 64 blocks one of fp32 subnormals alone, one whose maximum lies near 2^-120, one of zeros.
[[nodiscard]] Array<float> block_values(std::size_t count);

/// Codes of a format, all but infinities and NaNs, and scale codes of 120 .. 134.
[[nodiscard]] Array<std::uint8_t> finite_codes(const ElementFormat& format, std::size_t count);
[[nodiscard]] Array<std::uint8_t> middle_scales(std::size_t count);

}  // namespace mx::goals
