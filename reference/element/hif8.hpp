// HiF8: the one format whose exponent field has a variable length. spec F3.3.
//
// A prefix of the seven magnitude bits chooses how many of them are exponent and how many
// significand:
//   11 seee m   |exponent| 8..15, 1 bit      001 s mmm   |exponent| 1, 3 bits
//   10 see mm   |exponent| 4..7, 2 bits      0001 mmm    exponent 0, 3 bits
//   01 se mmm   |exponent| 2..3, 3 bits      0000 mmm    2^(m - 23), and zero for m = 0
// with s the exponent's sign and its leading magnitude bit implied.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "reference/number/unpacked.hpp"

namespace mx::kernel {

inline constexpr int kHif8Smallest = -22;  ///< exponent of the smallest positive value

/// Stored significand bits of a binade.
[[nodiscard]] constexpr int hif8_man_bits(int exponent) {
  const int magnitude = exponent < 0 ? -exponent : exponent;
  return magnitude <= 3 ? 3 : magnitude <= 7 ? 2 : magnitude <= 15 ? 1 : 0;
}

/// The weight of the last significand bit around a magnitude of a given exponent.
[[nodiscard]] constexpr int hif8_quantum(int exponent) {
  return exponent < kHif8Smallest ? kHif8Smallest : exponent - hif8_man_bits(exponent);
}

/// The magnitude code of significand * 2^quantum, a value of the format.
[[nodiscard]] constexpr std::uint64_t hif8_magnitude_code(std::uint64_t significand, int quantum) {
  if (significand == 0) return 0;
  const int exponent = quantum + static_cast<int>(std::bit_width(significand)) - 1;
  const int man_bits = hif8_man_bits(exponent);
  // Without significand bits the code is the exponent's distance from the smallest, plus one.
  const int step = exponent - kHif8Smallest + 1;
  if (man_bits == 0) return static_cast<std::uint64_t>(step);
  const int shift = exponent - man_bits - quantum;  // a carry may have changed the binade's quantum
  const std::uint64_t aligned = shift >= 0 ? significand >> shift : significand << -shift;
  const std::uint64_t trailing = aligned & ((std::uint64_t{1} << man_bits) - 1);
  if (exponent == 0) return 0b0001000 | trailing;
  const auto magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  const int stored =
      static_cast<int>(std::bit_width(magnitude)) - 1;  // exponent bits behind the sign
  const std::uint64_t sign = exponent < 0 ? std::uint64_t{1} << stored : 0;
  const std::uint64_t field = sign | (magnitude & ((1U << stored) - 1));
  const std::uint64_t prefix = stored == 0 ? 0b0010000 : static_cast<std::uint64_t>(stored) << 5;
  return prefix | (field << man_bits) | trailing;
}

[[nodiscard]] inline Unpacked decode_hif8(std::uint64_t code) {
  if (code == 0x80) return {.cls = ValueClass::kNan};
  const bool negative = (code & 0x80) != 0;
  const std::uint64_t m = code & 0x7F;
  if (m == 0x6F) return {.cls = ValueClass::kInf, .negative = negative};
  if (m < 8) return unpack_integer(negative, m == 0 ? 0 : 1, static_cast<int>(m) - 23);
  if (m < 16)
    return unpack_integer(negative, m, -3);  // the prefix bit 3 stands where the hidden bit would
  const int stored = m < 32 ? 0 : static_cast<int>(m >> 5);  // exponent bits behind its sign
  const int man_bits = stored <= 1 ? 3 : 4 - stored;
  const std::uint64_t trailing = m & ((std::uint64_t{1} << man_bits) - 1);
  const std::uint64_t field = m >> man_bits;
  const bool negative_exponent = ((field >> stored) & 1) != 0;
  const int magnitude =
      static_cast<int>((std::uint64_t{1} << stored) | (field & ((std::uint64_t{1} << stored) - 1)));
  const int exponent = negative_exponent ? -magnitude : magnitude;
  return unpack_integer(negative, (std::uint64_t{1} << man_bits) | trailing, exponent - man_bits);
}

}  // namespace mx::kernel
