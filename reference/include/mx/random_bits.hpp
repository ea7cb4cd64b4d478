// Which random bits of a device reach which element: the contracts of formats.md section 9.4 that
// share one word among several elements. All of them feed stochastic variant A.
#pragma once

#include <array>
#include <cstdint>

namespace mx {

/// The low `bits` bits of a word in reverse order.
[[nodiscard]] constexpr std::uint32_t reverse_bits(std::uint32_t word, int bits) {
  std::uint32_t reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= (word >> i & 1U) << (bits - 1 - i);
  return reversed;
}

/// PTX cvt.rs to e4m3x4, e5m2x4, e2m3x4, e3m2x4: R (N = 16) of the operands a, b, e, f. Each half
/// of rbits serves a pair, its first element bit-reversed.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> ptx_rs_x4(std::uint32_t rbits) {
  const std::uint32_t high = rbits >> 16, low = rbits & 0xFFFF;
  return {reverse_bits(high, 16), high, reverse_bits(low, 16), low};
}

/// PTX cvt.rs to e2m1x4: the pairs take bytes 3 and 1, and bytes 2 and 0.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> ptx_rs_e2m1x4(std::uint32_t rbits) {
  const std::uint32_t first = (rbits >> 16 & 0xFF00) | (rbits >> 8 & 0xFF);
  const std::uint32_t second = (rbits >> 8 & 0xFF00) | (rbits & 0xFF);
  return {reverse_bits(first, 16), first, reverse_bits(second, 16), second};
}

/// PTX cvt.rs to bf16x2 (N = 16): R of a and b.
[[nodiscard]] constexpr std::array<std::uint32_t, 2> ptx_rs_bf16x2(std::uint32_t rbits) {
  return {rbits >> 16, rbits & 0xFFFF};
}

/// PTX cvt.rs to f16x2 (N = 13): the low 13 bits of each half.
[[nodiscard]] constexpr std::array<std::uint32_t, 2> ptx_rs_f16x2(std::uint32_t rbits) {
  return {rbits >> 16 & 0x1FFF, rbits & 0x1FFF};
}

/// AMD v_cvt_scalef32_sr_*: N = the significand bits the destination lacks, R the top N of the
/// seed.
struct AmdRandom {
  int bits = 0;
  std::uint32_t word = 0;
  constexpr bool operator==(const AmdRandom&) const = default;
};
[[nodiscard]] constexpr AmdRandom amd_top_bits(std::uint32_t seed, int source_man_bits,
                                               int destination_man_bits) {
  const int bits = source_man_bits - destination_man_bits;
  return {bits, seed >> (32 - bits)};
}

}  // namespace mx
