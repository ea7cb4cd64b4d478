// The matrix instructions that the probe runs, and the formats of their operands.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mx::probe {

/// Codes of a format stand in the low bits of a word. tf32 is stored as fp32: its 13 low bits are
/// there for the unit to drop (spec U1 item 6).
struct Format {
  std::string_view name;
  int exponent_bits;
  int fraction_bits;  // stored ones
  int kept_bits;      // fraction bits that belong to the format
  int bytes;
  bool has_inf;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int emin() const { return 1 - bias(); }
  /// Exponent of the largest finite values; e4m3 has finite values under the all-ones field.
  constexpr int emax() const { return has_inf ? bias() : bias() + 1; }
  /// Exponent of the smallest subnormal value.
  constexpr int lowest() const { return emin() - kept_bits; }
};

inline constexpr Format kFp32{"f32", 8, 23, 23, 4, true};
inline constexpr Format kTf32{"tf32", 8, 23, 10, 4, true};
inline constexpr Format kBf16{"bf16", 8, 7, 7, 2, true};
inline constexpr Format kFp16{"f16", 5, 10, 10, 2, true};
inline constexpr Format kE4m3{"e4m3", 4, 3, 3, 1, false};
inline constexpr Format kE5m2{"e5m2", 5, 2, 2, 1, true};

/// `name` is also what the judge looks the rule up by: unit.shape.a.b.output.
struct Instruction {
  std::string_view name;
  std::string_view file;
  Format a;
  Format b;
  Format output;  // of C too
  int k;

  constexpr int row_words() const { return k * a.bytes / 4; }
};

inline constexpr std::array kInstructions{
    Instruction{"mma.m16n8k16.f16.f16.f32", "mma_f16", kFp16, kFp16, kFp32, 16},
    Instruction{"mma.m16n8k16.f16.f16.f16", "mma_f16", kFp16, kFp16, kFp16, 16},
    Instruction{"mma.m16n8k8.f16.f16.f32", "mma_f16", kFp16, kFp16, kFp32, 8},
    Instruction{"mma.m16n8k8.f16.f16.f16", "mma_f16", kFp16, kFp16, kFp16, 8},
    Instruction{"mma.m16n8k16.bf16.bf16.f32", "mma_bf16_tf32", kBf16, kBf16, kFp32, 16},
    Instruction{"mma.m16n8k8.bf16.bf16.f32", "mma_bf16_tf32", kBf16, kBf16, kFp32, 8},
    Instruction{"mma.m16n8k4.tf32.tf32.f32", "mma_bf16_tf32", kTf32, kTf32, kFp32, 4},
    Instruction{"mma.m16n8k8.tf32.tf32.f32", "mma_bf16_tf32", kTf32, kTf32, kFp32, 8},
    Instruction{"mma.m16n8k32.e4m3.e4m3.f32", "mma_fp8_f32", kE4m3, kE4m3, kFp32, 32},
    Instruction{"mma.m16n8k32.e4m3.e5m2.f32", "mma_fp8_f32", kE4m3, kE5m2, kFp32, 32},
    Instruction{"mma.m16n8k32.e5m2.e4m3.f32", "mma_fp8_f32", kE5m2, kE4m3, kFp32, 32},
    Instruction{"mma.m16n8k32.e5m2.e5m2.f32", "mma_fp8_f32", kE5m2, kE5m2, kFp32, 32},
    Instruction{"mma.m16n8k16.e4m3.e5m2.f32", "mma_fp8_f32", kE4m3, kE5m2, kFp32, 16},
    Instruction{"mma.m16n8k32.e4m3.e4m3.f16", "mma_fp8_f16", kE4m3, kE4m3, kFp16, 32},
    Instruction{"mma.m16n8k32.e4m3.e5m2.f16", "mma_fp8_f16", kE4m3, kE5m2, kFp16, 32},
    Instruction{"mma.m16n8k32.e5m2.e4m3.f16", "mma_fp8_f16", kE5m2, kE4m3, kFp16, 32},
    Instruction{"mma.m16n8k32.e5m2.e5m2.f16", "mma_fp8_f16", kE5m2, kE5m2, kFp16, 32},
    Instruction{"mma.m16n8k16.e4m3.e5m2.f16", "mma_fp8_f16", kE4m3, kE5m2, kFp16, 16},
    Instruction{"wgmma.m64n8k16.f16.f16.f32", "wgmma_f16", kFp16, kFp16, kFp32, 16},
    Instruction{"wgmma.m64n8k16.f16.f16.f16", "wgmma_f16", kFp16, kFp16, kFp16, 16},
    Instruction{"wgmma.m64n8k16.bf16.bf16.f32", "wgmma_bf16_tf32", kBf16, kBf16, kFp32, 16},
    Instruction{"wgmma.m64n8k8.tf32.tf32.f32", "wgmma_bf16_tf32", kTf32, kTf32, kFp32, 8},
    Instruction{"wgmma.m64n8k32.e4m3.e4m3.f32", "wgmma_fp8_f32", kE4m3, kE4m3, kFp32, 32},
    Instruction{"wgmma.m64n8k32.e4m3.e5m2.f32", "wgmma_fp8_f32", kE4m3, kE5m2, kFp32, 32},
    Instruction{"wgmma.m64n8k32.e5m2.e4m3.f32", "wgmma_fp8_f32", kE5m2, kE4m3, kFp32, 32},
    Instruction{"wgmma.m64n8k32.e5m2.e5m2.f32", "wgmma_fp8_f32", kE5m2, kE5m2, kFp32, 32},
    Instruction{"wgmma.m64n8k32.e4m3.e4m3.f16", "wgmma_fp8_f16", kE4m3, kE4m3, kFp16, 32},
    Instruction{"wgmma.m64n8k32.e4m3.e5m2.f16", "wgmma_fp8_f16", kE4m3, kE5m2, kFp16, 32},
    Instruction{"wgmma.m64n8k32.e5m2.e4m3.f16", "wgmma_fp8_f16", kE5m2, kE4m3, kFp16, 32},
    Instruction{"wgmma.m64n8k32.e5m2.e5m2.f16", "wgmma_fp8_f16", kE5m2, kE5m2, kFp16, 32},
};

}  // namespace mx::probe
