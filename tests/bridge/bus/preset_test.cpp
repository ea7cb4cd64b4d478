// Presets of machines: x86 against this machine's own SSE, F16C and FMA instructions; RISC-V and
// ARM against what their manuals say.
#include "bridge/bus/preset.hpp"

#include <gmock/gmock.h>

#include <array>
#include <optional>
#include <random>
#include <vector>

#include "tests/bridge/bus/preset_kit.hpp"

namespace mx::bridge {
namespace {

using golden::Field;
using ::testing::HasSubstr;

// The RISC-V Instruction Set Manual, volume I, "F": canonical NaN, fflags NV DZ OF UF NX from bit 4
// down, tininess after rounding, and fma of infinity, zero and a quiet NaN.
TEST(Preset, RiscvAsItsManualSays) {
  for (const Case& one : std::vector<Case>{
           {"op=arith operation=add preset=riscv", {kQuiet, 0}, 0x7FC00000, 0},
           {"op=arith operation=add preset=riscv", {0, kSignaling}, 0x7FC00000, 0x10},
           {"op=arith operation=subtract preset=riscv", {kInf, kInf}, 0x7FC00000, 0x10},
           {"op=arith operation=fma preset=riscv", {kInf, 0, kQuiet}, 0x7FC00000, 0x10},
           {"op=arith operation=divide preset=riscv", {0x3F800000, 0x80000000}, 0xFF800000, 0x08},
           {"op=arith operation=multiply preset=riscv", {0x7F7FFFFF, 0x7F7FFFFF}, kInf, 0x05},
           // 2^-126 (1 - 2^-46) rounds to 2^-126 with any exponent: not tiny.
           {"op=arith operation=multiply preset=riscv", {0x3F7FFFFE, 0x00800001}, 0x00800000, 0x01},
           {"op=arith operation=multiply preset=riscv", {0x00000001, 0x3F000001}, 1, 0x03},
           {"op=arith operation=sqrt preset=riscv", {0xBF800000}, 0x7FC00000, 0x10},
           {"op=cvt source=fp64 destination=fp32 preset=riscv",
            {0xFFF8000000000001},
            0x7FC00000,
            0},
           {"op=cvt source=fp32 destination=fp64 preset=riscv",
            {kSignaling},
            0x7FF8000000000000,
            0x10}}) {
    expect_case(one);
  }
}

// Arm Architecture Reference Manual (DDI 0487), shared pseudocode: FPProcessNaNs, FPProcessNaNs3,
// FPMulAdd, FPRound (underflow before rounding), FPConvertNaN; FPSR IOC DZC OFC UFC IXC from bit 0.
TEST(Preset, ArmAsItsPseudocodeSays) {
  for (const Case& one : std::vector<Case>{
           {"op=arith operation=add preset=arm", {kQuiet, 0}, 0x7FC00123, 0},
           {"op=arith operation=add preset=arm", {kQuiet, kSignaling}, 0xFFC00456, 0x01},
           {"op=arith operation=add preset=arm-dn", {kQuiet, kSignaling}, 0x7FC00000, 0x01},
           {"op=arith operation=subtract preset=arm", {kInf, kInf}, 0x7FC00000, 0x01},
           {"op=arith operation=fma preset=arm", {kInf, 0, kQuiet}, 0x7FC00000, 0x01},
           {"op=arith operation=fma preset=arm", {kInf, 0, kSignaling}, 0xFFC00456, 0x01},
           // The addend comes first.
           {"op=arith operation=fma preset=arm", {0xFFC00001, 0, kQuiet}, 0x7FC00123, 0},
           {"op=arith operation=divide preset=arm", {0x3F800000, 0}, kInf, 0x02},
           {"op=arith operation=multiply preset=arm", {0x7F7FFFFF, 0x7F7FFFFF}, kInf, 0x14},
           {"op=arith operation=multiply preset=arm", {0x3F7FFFFE, 0x00800001}, 0x00800000, 0x18},
           {"op=cvt source=fp64 destination=fp32 preset=arm",
            {0xFFF0000020000001},
            0xFFC00001,
            0x01}}) {
    expect_case(one);
  }
}

TEST(Preset, RefusesWhatHasNoMachine) {
  EXPECT_THAT(Handle::open("format=mxfp4 preset=riscv")->error(), HasSubstr("op=block"));
  EXPECT_THAT(Handle::open("op=cvt destination=e4m3fn preset=x86")->error(), HasSubstr("e4m3fn"));
  EXPECT_THAT(Handle::open("op=arith operation=add preset=mips")->error(),
              HasSubstr("preset=mips: one of mxgold, riscv, x86, arm, arm-dn"));
  EXPECT_THAT(Handle::open("op=arith operation=add flags=ppc")->error(), HasSubstr("flags=ppc"));
}

TEST(Preset, TextOpensTheSameHandle) {
  for (const char* text : {"op=arith operation=add preset=x86", "op=arith operation=add flags=arm",
                           "preset=riscv op=cvt source=fp64 destination=fp16 flags=mxgold"}) {
    const auto handle = Handle::open(text);
    ASSERT_TRUE(handle->is_open()) << handle->error();
    const auto again = Handle::open(handle->text());
    ASSERT_TRUE(again->is_open()) << handle->text() << ": " << again->error();
    EXPECT_EQ(again->text(), handle->text());
  }
  EXPECT_THAT(Handle::open("op=arith operation=add preset=x86")->text(), HasSubstr("preset=x86"));
}

#if defined(__x86_64__)

#define MX_BINARY(name, instruction, type)                                                  \
  ScalarAnswer name(std::span<const std::uint64_t> x, std::uint32_t control) {              \
    std::uint32_t csr = control;                                                            \
    const std::uint32_t usual = 0x1F80;                                                     \
    type a = static_cast<type>(x[0]), b = static_cast<type>(x[x.size() > 1 ? 1 : 0]);       \
    asm volatile("ldmxcsr %[csr]\n\tmovq %[a], %%xmm0\n\tmovq %[b], %%xmm1\n\t" instruction \
                 "\n\tmovq %%xmm0, %[a]\n\tstmxcsr %[csr]\n\tldmxcsr %[usual]"              \
                 : [a] "+r"(a), [csr] "+m"(csr)                                             \
                 : [b] "r"(b), [usual] "m"(usual)                                           \
                 : "xmm0", "xmm1");                                                         \
    return {a, csr & 0x3F};                                                                 \
  }
MX_BINARY(add_s, "addss %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(sub_s, "subss %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(mul_s, "mulss %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(div_s, "divss %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(sqrt_s, "sqrtss %%xmm0, %%xmm0", std::uint64_t)
MX_BINARY(add_d, "addsd %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(sub_d, "subsd %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(mul_d, "mulsd %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(div_d, "divsd %%xmm1, %%xmm0", std::uint64_t)
MX_BINARY(sqrt_d, "sqrtsd %%xmm0, %%xmm0", std::uint64_t)
MX_BINARY(s_to_d, "cvtss2sd %%xmm0, %%xmm0", std::uint64_t)
MX_BINARY(d_to_s, "cvtsd2ss %%xmm0, %%xmm0", std::uint64_t)
MX_BINARY(h_to_s, "vcvtph2ps %%xmm0, %%xmm0", std::uint64_t)
MX_BINARY(s_to_h, "vcvtps2ph $4, %%xmm0, %%xmm0", std::uint64_t)
#undef MX_BINARY

/// a * b + c: the operands as the instruction's description multiplies and adds them.
#define MX_FMA(name, instruction, first, second, third)                           \
  ScalarAnswer name(std::span<const std::uint64_t> x, std::uint32_t control) {    \
    std::uint32_t csr = control;                                                  \
    const std::uint32_t usual = 0x1F80;                                           \
    const std::uint64_t xmm0 = x[first], xmm1 = x[second], xmm2 = x[third];       \
    std::uint64_t result = 0;                                                     \
    asm volatile(                                                                 \
        "ldmxcsr %[csr]\n\tmovq %[a], %%xmm0\n\tmovq %[b], %%xmm1\n\tmovq %[c], " \
        "%%xmm2\n\t" instruction                                                  \
        " %%xmm2, %%xmm1, %%xmm0\n\tmovq %%xmm0, %[result]\n\tstmxcsr %[csr]\n\t" \
        "ldmxcsr %[usual]"                                                        \
        : [result] "=r"(result), [csr] "+m"(csr)                                  \
        : [a] "r"(xmm0), [b] "r"(xmm1), [c] "r"(xmm2), [usual] "m"(usual)         \
        : "xmm0", "xmm1", "xmm2");                                                \
    return {result, csr & 0x3F};                                                  \
  }
MX_FMA(fma_132, "vfmadd132ss", 0, 2, 1)  // xmm0 * xmm2 + xmm1
MX_FMA(fma_213, "vfmadd213ss", 1, 0, 2)  // xmm1 * xmm0 + xmm2
MX_FMA(fma_231, "vfmadd231ss", 2, 0, 1)  // xmm1 * xmm2 + xmm0
#undef MX_FMA

struct Machines {
  const char* text;
  ScalarAnswer (*run)(std::span<const std::uint64_t>, std::uint32_t);
  Format operand;
  std::size_t operands;
  std::uint64_t mask;
};

// Property: the preset x86 gives this machine's bits and flags (DE excepted, which is open).
TEST(Preset, X86AsThisMachineDoes) {
  constexpr Format kS{8, 23}, kD{11, 52}, kH{5, 10};
  constexpr std::uint64_t k32 = 0xFFFFFFFF, k64 = ~std::uint64_t{0}, k16 = 0xFFFF;
  std::vector<Machines> machines = {{"op=arith operation=add", add_s, kS, 2, k32},
                                    {"op=arith operation=subtract", sub_s, kS, 2, k32},
                                    {"op=arith operation=multiply", mul_s, kS, 2, k32},
                                    {"op=arith operation=divide", div_s, kS, 2, k32},
                                    {"op=arith operation=sqrt", sqrt_s, kS, 1, k32},
                                    {"op=arith operation=add format=fp64", add_d, kD, 2, k64},
                                    {"op=arith operation=subtract format=fp64", sub_d, kD, 2, k64},
                                    {"op=arith operation=multiply format=fp64", mul_d, kD, 2, k64},
                                    {"op=arith operation=divide format=fp64", div_d, kD, 2, k64},
                                    {"op=arith operation=sqrt format=fp64", sqrt_d, kD, 1, k64},
                                    {"op=cvt source=fp32 destination=fp64", s_to_d, kS, 1, k64},
                                    {"op=cvt source=fp64 destination=fp32", d_to_s, kD, 1, k32}};
  if (__builtin_cpu_supports("fma")) {
    machines.push_back({"op=arith operation=fma", fma_132, kS, 3, k32});
    machines.push_back({"op=arith operation=fma", fma_213, kS, 3, k32});
    machines.push_back({"op=arith operation=fma", fma_231, kS, 3, k32});
  }
  // Every processor with AVX2 has F16C, which clang 14 does not ask for by name.
  if (__builtin_cpu_supports("avx2")) {
    machines.push_back({"op=cvt source=fp16 destination=fp32", h_to_s, kH, 1, k32});
    machines.push_back({"op=cvt source=fp32 destination=fp16", s_to_h, kS, 1, k16});
  }
  std::mt19937_64 draw(11);
  std::size_t asked = 0, nans = 0, tiny = 0;
  for (const Machines& machine : machines) {
    for (std::size_t mode = 0; mode < kRoundings.size(); ++mode) {
      const auto handle =
          Handle::open(std::string(machine.text) + " preset=x86 rounding=" + kRoundings[mode]);
      ASSERT_TRUE(handle->is_open()) << handle->error();
      const auto list = operands_of(machine.operand, draw, machine.operands == 1 ? 3000 : 10);
      std::array<std::size_t, 3> at{};
      const std::size_t n = list.size();
      const std::size_t tuples = machine.operands == 1   ? n
                                 : machine.operands == 2 ? n * n
                                                         : n * n * n;
      for (std::size_t t = 0; t < tuples; ++t) {
        at = {t % n, t / n % n, t / n / n};
        const std::array<std::uint64_t, 3> x = {list[at[0]], list[at[1]], list[at[2]]};
        const auto operands = std::span(x).first(machine.operands);
        const ScalarAnswer wanted = machine.run(operands, kControl[mode]);
        const ScalarAnswer got = ask(*handle, operands);
        ASSERT_EQ(got.code, wanted.code & machine.mask)
            << machine.text << " " << kRoundings[mode] << std::hex << " " << x[0] << " " << x[1]
            << " " << x[2];
        ASSERT_EQ(got.flags, wanted.flags & kCompared)
            << machine.text << " " << kRoundings[mode] << std::hex << " " << x[0] << " " << x[1]
            << " " << x[2];
        EXPECT_EQ(handle->open_bits(Field::kFlags, 0), 0x02U);
        ++asked;
        nans += (wanted.flags & 1) != 0 ? 1U : 0U;
        tiny += (wanted.flags & 0x10) != 0 ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(asked, 100'000U);
  EXPECT_GT(nans, 10'000U);
  EXPECT_GT(tiny, 1'000U);
}

#else
TEST(Preset, X86AsThisMachineDoes) { GTEST_SKIP() << "this machine is no x86"; }
#endif

}  // namespace
}  // namespace mx::bridge
