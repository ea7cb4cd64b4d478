// Helpers on the fields of patterns, as torchmx.mx_quantization_utils has them: spec S6.2.
#pragma once

#include <cstdint>

namespace mx::emulators::torchmx {

struct Fields {
  std::uint8_t sign = 0;
  std::uint16_t exponent = 0;  ///< the stored field
  std::uint64_t mantissa = 0;  ///< without the hidden bit
  constexpr bool operator==(const Fields&) const = default;
};

[[nodiscard]] constexpr Fields unpack_bfloat16(std::uint16_t x) {
  return {static_cast<std::uint8_t>(x >> 15), static_cast<std::uint16_t>(x >> 7 & 0xFF),
          static_cast<std::uint64_t>(x & 0x7F)};
}

[[nodiscard]] constexpr Fields unpack_fp32(std::uint32_t x) {
  return {static_cast<std::uint8_t>(x >> 31), static_cast<std::uint16_t>(x >> 23 & 0xFF),
          x & 0x7FFFFF};
}

[[nodiscard]] constexpr Fields unpack_fp64(std::uint64_t x) {
  return {static_cast<std::uint8_t>(x >> 63), static_cast<std::uint16_t>(x >> 52 & 0x7FF),
          x & 0xFFFFFFFFFFFFF};
}

/// A number of `n` ones, 0 <= n < 63.
[[nodiscard]] constexpr std::int64_t n_ones(int n) { return (std::int64_t{1} << n) - 1; }

/// mantissa / 2^shift, ties to even; mantissa >= 0, 0 <= shift < 63.
[[nodiscard]] constexpr std::int64_t round_to_even(std::int64_t mantissa, int shift) {
  const std::int64_t kept = mantissa >> shift;
  if (shift == 0) return kept;
  const std::int64_t remainder = mantissa & n_ones(shift);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  const bool up = remainder > half || (remainder == half && (kept & 1) != 0);
  return kept + (up ? 1 : 0);
}

/// The position of the leading one among the low `mantissa_size` bits, -1 where there is none.
[[nodiscard]] constexpr int leading_one_position(std::int64_t mantissa, int mantissa_size = 7) {
  for (int i = mantissa_size - 1; i >= 0; --i) {
    if ((mantissa >> i & 1) != 0) return i;
  }
  return -1;
}

}  // namespace mx::emulators::torchmx
