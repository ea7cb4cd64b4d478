// The rows of the format table: spec F6.3. Facts only; everything else is derived.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "reference/format/format.hpp"

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

/// An 8-bit FNUZ format: one NaN at the code of -0, no infinities, every other code finite.
[[nodiscard]] constexpr ElementFormat fnuz(std::string_view name, int exp_bits, int man_bits,
                                           int bias) {
  return {.name = name,
          .bits = 8,
          .storage_bits = 8,
          .exp_bits = exp_bits,
          .man_bits = man_bits,
          .bias = bias,
          .zero = ZeroKind::kPosOnly,
          .nan = NanKind::kNegZeroSlot,
          .max_code = 0x7F,
          .canonical_nan = 0x80};
}

/// An unsigned scale format in a byte whose top code is NaN.
[[nodiscard]] constexpr ElementFormat unsigned_scale(std::string_view name, int exp_bits,
                                                     int man_bits, int bias, ZeroKind zero) {
  const int bits = exp_bits + man_bits;
  const std::uint64_t top = (std::uint64_t{1} << bits) - 1;
  return {.name = name,
          .bits = bits,
          .storage_bits = 8,
          .is_signed = false,
          .exp_bits = exp_bits,
          .man_bits = man_bits,
          .bias = bias,
          .has_subnormal = zero != ZeroKind::kNone,
          .zero = zero,
          .nan = NanKind::kTopCode,
          .max_code = top - 1,
          .canonical_nan = top};
}

/// An exponent shared by integers: 2^(code - bias), every code a value.
[[nodiscard]] constexpr ElementFormat bare_exponent(std::string_view name, int bits) {
  const std::uint64_t top = (std::uint64_t{1} << bits) - 1;
  return {.name = name,
          .bits = bits,
          .storage_bits = 8,
          .is_signed = false,
          .exp_bits = bits,
          .man_bits = 0,
          .bias = (1 << (bits - 1)) - 1,
          .has_subnormal = false,
          .zero = ZeroKind::kNone,
          .max_code = top};
}

/// Every element and scale format, in the order of listings.
inline constexpr std::array kRows = {
    ieee_like("fp64", 64, 11, 52), ieee_like("fp32", 32, 8, 23), ieee_like("tf32", 32, 8, 10),
    ieee_like("bf16", 16, 8, 7), ieee_like("fp16", 16, 5, 10),
    ElementFormat{.name = "e4m3fn",
                  .bits = 8,
                  .storage_bits = 8,
                  .exp_bits = 4,
                  .man_bits = 3,
                  .bias = 7,
                  .nan = NanKind::kOuterOnePerSign,
                  .max_code = 0x7E,
                  .canonical_nan = 0x7F},
    ElementFormat{.name = "e5m2",
                  .bits = 8,
                  .storage_bits = 8,
                  .exp_bits = 5,
                  .man_bits = 2,
                  .bias = 15,
                  .inf = InfKind::kIeeeTop,
                  .nan = NanKind::kIeeeAll,
                  .max_code = 0x7B,
                  .canonical_nan = 0x7F},
    ElementFormat{.name = "e3m2fn",
                  .bits = 6,
                  .storage_bits = 8,
                  .exp_bits = 3,
                  .man_bits = 2,
                  .bias = 3,
                  .max_code = 0x1F},
    ElementFormat{.name = "e2m3fn",
                  .bits = 6,
                  .storage_bits = 8,
                  .exp_bits = 2,
                  .man_bits = 3,
                  .bias = 1,
                  .max_code = 0x1F},
    ElementFormat{.name = "e2m1fn",
                  .bits = 4,
                  .storage_bits = 8,
                  .exp_bits = 2,
                  .man_bits = 1,
                  .bias = 1,
                  .max_code = 0x7},
    // MXINT8: value i * 2^-6.
    ElementFormat{.name = "int8",
                  .bits = 8,
                  .storage_bits = 8,
                  .kind = FormatKind::kTwosComplement,
                  .frac_bits = 6,
                  .zero = ZeroKind::kPosOnly,
                  .max_code = 0x7F},
    // spec F3.1: the other 8-bit and 4-bit floats.
    fnuz("e4m3fnuz", 4, 3, 8), fnuz("e5m2fnuz", 5, 2, 16), fnuz("e4m3b11fnuz", 4, 3, 11),
    ieee_like("e4m3", 8, 4, 3), ieee_like("e3m4", 8, 3, 4),
    // Intel's E3M4: finite up to 30, one NaN a sign; the same name as e3m4, another top binade.
    ElementFormat{.name = "e3m4fn_intel",
                  .bits = 8,
                  .storage_bits = 8,
                  .exp_bits = 3,
                  .man_bits = 4,
                  .bias = 3,
                  .nan = NanKind::kOuterOnePerSign,
                  .max_code = 0x7E,
                  .canonical_nan = 0x7F},
    // FBGEMM's FP4 variant: powers of two only.
    ElementFormat{.name = "e3m0",
                  .bits = 4,
                  .storage_bits = 8,
                  .exp_bits = 3,
                  .man_bits = 0,
                  .bias = 3,
                  .has_subnormal = false,
                  .max_code = 0x7},
    // HiF8, spec F3.3: exponent and significand share the bits; codes are not ordered by value.
    ElementFormat{.name = "hif8",
                  .bits = 8,
                  .storage_bits = 8,
                  .kind = FormatKind::kTapered,
                  .has_subnormal = false,
                  .zero = ZeroKind::kPosOnly,
                  .inf = InfKind::kIeeeTop,
                  .nan = NanKind::kNegZeroSlot,
                  .max_code = 0x6E,
                  .canonical_nan = 0x80},
    // The OCP scale: 2^(code - 127), NaN FF, no zero.
    ElementFormat{.name = "e8m0",
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
                  .canonical_nan = 0xFF},
    // spec F4: the other scale formats.
    // Huawei CANN's reading of E8M0: code 00 is zero.
    ElementFormat{.name = "e8m0_cann",
                  .bits = 8,
                  .storage_bits = 8,
                  .is_signed = false,
                  .exp_bits = 8,
                  .man_bits = 0,
                  .bias = 127,
                  .has_subnormal = false,
                  .zero = ZeroKind::kPosOnly,
                  .nan = NanKind::kTopCode,
                  .max_code = 0xFE,
                  .canonical_nan = 0xFF},
    unsigned_scale("ue4m3", 4, 3, 7, ZeroKind::kPosOnly),
    unsigned_scale("ue5m3", 5, 3, 15, ZeroKind::kPosOnly),
    unsigned_scale("ue6m2", 6, 2, 48, ZeroKind::kNone), bare_exponent("bfp_exp8", 8),
    bare_exponent("bfp_exp5", 5)};

/// The row of a name that is known when the program is built.
[[nodiscard]] consteval ElementFormat row_of(std::string_view name) {
  for (const ElementFormat& row : kRows) {
    if (row.name == name) return row;
  }
  throw "no such row";
}

// The rows that sources name.
inline constexpr ElementFormat fp64 = row_of("fp64");
inline constexpr ElementFormat fp32 = row_of("fp32");
inline constexpr ElementFormat tf32 = row_of("tf32");
inline constexpr ElementFormat bf16 = row_of("bf16");
inline constexpr ElementFormat fp16 = row_of("fp16");
inline constexpr ElementFormat e4m3fn = row_of("e4m3fn");
inline constexpr ElementFormat e5m2 = row_of("e5m2");
inline constexpr ElementFormat e3m2fn = row_of("e3m2fn");
inline constexpr ElementFormat e2m3fn = row_of("e2m3fn");
inline constexpr ElementFormat e2m1fn = row_of("e2m1fn");
inline constexpr ElementFormat int8 = row_of("int8");
inline constexpr ElementFormat e4m3fnuz = row_of("e4m3fnuz");
inline constexpr ElementFormat e5m2fnuz = row_of("e5m2fnuz");
inline constexpr ElementFormat e4m3b11fnuz = row_of("e4m3b11fnuz");
inline constexpr ElementFormat e4m3 = row_of("e4m3");
inline constexpr ElementFormat e3m4 = row_of("e3m4");
inline constexpr ElementFormat e3m4fn_intel = row_of("e3m4fn_intel");
inline constexpr ElementFormat e3m0 = row_of("e3m0");
inline constexpr ElementFormat hif8 = row_of("hif8");
inline constexpr ElementFormat e8m0 = row_of("e8m0");
inline constexpr ElementFormat e8m0_cann = row_of("e8m0_cann");
inline constexpr ElementFormat ue4m3 = row_of("ue4m3");
inline constexpr ElementFormat ue5m3 = row_of("ue5m3");
inline constexpr ElementFormat ue6m2 = row_of("ue6m2");
inline constexpr ElementFormat bfp_exp8 = row_of("bfp_exp8");
inline constexpr ElementFormat bfp_exp5 = row_of("bfp_exp5");

}  // namespace mx::formats
