// The rows of the format table: formats.md section 6.3. Facts only; everything else is derived.
#pragma once

#include "mx/format.hpp"

namespace mx::formats {

/// An IEEE 754 style binary format: Inf and NaN in the top binade, quiet NaN without payload.
[[nodiscard]] constexpr ElementFormat ieee_like(std::string_view name, int storage_bits,
                                                int exp_bits, int man_bits) {
  const std::uint64_t top = (std::uint64_t{1} << exp_bits) - 1;
  return {.name = name,
          .bits = 1 + exp_bits + man_bits,
          .storage_bits = storage_bits,
          .exp_bits = exp_bits,
          .man_bits = man_bits,
          .bias = (1 << (exp_bits - 1)) - 1,
          .inf = InfKind::kIeeeTop,
          .nan = NanKind::kIeeeAll,
          .max_code = (top << man_bits) - 1,
          .canonical_nan = (top << man_bits) | (std::uint64_t{1} << (man_bits - 1))};
}

inline constexpr ElementFormat fp64 = ieee_like("fp64", 64, 11, 52);
inline constexpr ElementFormat fp32 = ieee_like("fp32", 32, 8, 23);
inline constexpr ElementFormat tf32 = ieee_like("tf32", 32, 8, 10);
inline constexpr ElementFormat bf16 = ieee_like("bf16", 16, 8, 7);
inline constexpr ElementFormat fp16 = ieee_like("fp16", 16, 5, 10);

inline constexpr ElementFormat e4m3fn = {.name = "e4m3fn",
                                         .bits = 8,
                                         .storage_bits = 8,
                                         .exp_bits = 4,
                                         .man_bits = 3,
                                         .bias = 7,
                                         .nan = NanKind::kOuterOnePerSign,
                                         .max_code = 0x7E,
                                         .canonical_nan = 0x7F};
inline constexpr ElementFormat e5m2 = {.name = "e5m2",
                                       .bits = 8,
                                       .storage_bits = 8,
                                       .exp_bits = 5,
                                       .man_bits = 2,
                                       .bias = 15,
                                       .inf = InfKind::kIeeeTop,
                                       .nan = NanKind::kIeeeAll,
                                       .max_code = 0x7B,
                                       .canonical_nan = 0x7F};
inline constexpr ElementFormat e3m2fn = {.name = "e3m2fn",
                                         .bits = 6,
                                         .storage_bits = 8,
                                         .exp_bits = 3,
                                         .man_bits = 2,
                                         .bias = 3,
                                         .max_code = 0x1F};
inline constexpr ElementFormat e2m3fn = {.name = "e2m3fn",
                                         .bits = 6,
                                         .storage_bits = 8,
                                         .exp_bits = 2,
                                         .man_bits = 3,
                                         .bias = 1,
                                         .max_code = 0x1F};
inline constexpr ElementFormat e2m1fn = {.name = "e2m1fn",
                                         .bits = 4,
                                         .storage_bits = 8,
                                         .exp_bits = 2,
                                         .man_bits = 1,
                                         .bias = 1,
                                         .max_code = 0x7};
/// MXINT8: value i * 2^-6.
inline constexpr ElementFormat int8 = {.name = "int8",
                                       .bits = 8,
                                       .storage_bits = 8,
                                       .kind = FormatKind::kTwosComplement,
                                       .frac_bits = 6,
                                       .zero = ZeroKind::kPosOnly,
                                       .max_code = 0x7F};
/// The OCP scale: 2^(code - 127), NaN FF, no zero.
inline constexpr ElementFormat e8m0 = {.name = "e8m0",
                                       .bits = 8,
                                       .storage_bits = 8,
                                       .is_signed = false,
                                       .exp_bits = 8,
                                       .man_bits = 0,
                                       .bias = 127,
                                       .has_subnormal = false,
                                       .zero = ZeroKind::kNone,
                                       .nan = NanKind::kTopCode,
                                       .max_code = 0xFE,
                                       .canonical_nan = 0xFF};

}  // namespace mx::formats
