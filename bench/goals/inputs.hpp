// What is converted: seeded values of every class that kernels treat apart, not normal numbers
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/measure/memory.hpp"
#include "reference/format/format.hpp"

namespace mx::goals {

inline constexpr std::size_t kBlock = 32;

/// For conversions of single values to e4m3fn: bell-shaped values below 440 in magnitude; among
/// every 16 of them a tie and two values among the format's subnormals and around its smallest; one
/// zero of either sign in 64, one fp32 subnormal in 1024. More of those would time the peers'
/// processor, which takes some 150 cycles for each operation on one.
[[nodiscard]] Array<float> single_values(std::size_t count);

/// One block in so many has a maximum near 2^-120, and one holds fp32 subnormals alone.
inline constexpr std::size_t kSmallBlocks = 4096;

/// For blocks of 32: the same classes at scales of 2^-4 .. 2^3, ties of two precisions; one block
/// in 64 of zeros, and small ones as above.
[[nodiscard]] Array<float> block_values(std::size_t count);

/// Codes of a format, all but infinities and NaNs, and scale codes of 120 .. 134.
[[nodiscard]] Array<std::uint8_t> finite_codes(const ElementFormat& format, std::size_t count);
[[nodiscard]] Array<std::uint8_t> middle_scales(std::size_t count);

}  // namespace mx::goals
