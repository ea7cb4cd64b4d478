// SPDX-License-Identifier: Apache-2.0
// What the kernel of wide conversions reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/constants.hpp"

namespace mx::fast::wide {

/// A conversion from one of fp64, fp32, tf32, bf16, fp16. Exponent fields are those of the source,
/// `kFieldOffset` higher, so that none is negative.
inline constexpr int kFieldOffset = 1024;
struct Constants {
  int source_bytes = 4;
  int bytes = 2;            ///< of a code
  int lane_bytes = 4;       ///< of the lanes that compute: 8 where a word or a code has them
  int source_man = 0;       ///< fraction bits of the source
  int man = 0;              ///< of the destination
  int least_field = 0;      ///< of the destination's 2^emin
  bool normalizes = false;  ///< subnormal numbers of the source are normal ones
  bool same_range = false;  ///< the same emin and the same exponent bits
  std::uint64_t source_sign = 0;
  std::uint64_t infinity = 0;  ///< magnitude of the source's
  cpu::RoundingMasks rounding;
  std::uint64_t limit = 0;  ///< the largest magnitude
  std::uint64_t sign_bit = 0;
  bool drops_zero_sign = false;   ///< a zero code has no sign
  bool drops_input_sign = false;  ///< a zero input has no sign
  /// Codes of what has none of its own, by sign.
  std::uint64_t overflow_code[2] = {0, 0};
  std::uint64_t infinity_code[2] = {0, 0};
  std::uint64_t nan_code[2] = {0, 0};
};

/// Of a job that has a plan.
[[nodiscard]] Constants constants_of(const ElementJob& job);

/// Source words to codes, each in its storage width.
void convert(const Constants& c, const std::byte* words, std::size_t elements, std::byte* codes);

}  // namespace mx::fast::wide
