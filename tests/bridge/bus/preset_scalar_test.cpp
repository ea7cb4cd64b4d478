// Presets of machines for minima, comparisons and conversions to and from integers: x86 against
// this machine's own instructions; RISC-V and ARM against what their manuals say.
#include <gmock/gmock.h>

#include "tests/bridge/bus/preset_kit.hpp"

namespace mx::bridge::preset_scalar_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kOne = 0x3F800000, kMinusZero = 0x80000000;

// The RISC-V Instruction Set Manual, volume I, "F": FMIN.S and FMAX.S are minimumNumber and
// maximumNumber, both NaN give the canonical one; FEQ.S is quiet, FLT.S and FLE.S signal; the table
// of what conversions give beyond their range.
TEST(PresetOfScalars, RiscvAsItsManualSays) {
  for (const Case& one : std::vector<Case>{
           {"op=arith operation=minimum_number preset=riscv", {kQuiet, kOne}, kOne, 0},
           {"op=arith operation=minimum_number preset=riscv", {kOne, kSignaling}, kOne, 0x10},
           {"op=arith operation=maximum_number preset=riscv", {kQuiet, kQuiet}, 0x7FC00000, 0},
           {"op=arith operation=minimum_number preset=riscv", {0, kMinusZero}, kMinusZero, 0},
           {"op=arith operation=maximum_number preset=riscv", {kMinusZero, 0}, 0, 0},
           {"op=arith operation=compare_quiet_equal preset=riscv", {kOne, kQuiet}, 0, 0},
           {"op=arith operation=compare_quiet_equal preset=riscv", {kSignaling, kOne}, 0, 0x10},
           {"op=arith operation=compare_signaling_less preset=riscv", {kOne, kQuiet}, 0, 0x10},
           {"op=arith operation=to_integer preset=riscv", {kQuiet}, 0x7FFFFFFF, 0x10},
           {"op=arith operation=to_integer preset=riscv", {0xFF800000}, 0x80000000, 0x10},
           {"op=arith operation=to_integer integer=u32 preset=riscv", {0xBF800000}, 0, 0x10},
           {"op=arith operation=to_integer integer=u32 rounding=toward_zero preset=riscv",
            {0xBF000000},
            0,
            0x01},
           {"op=arith operation=to_integer integer=u64 preset=riscv",
            {kSignaling},
            0xFFFFFFFFFFFFFFFF,
            0x10},
           {"op=arith operation=round_to_integral preset=riscv", {0x3FC00000}, 0x40000000, 0x01},
           {"op=arith operation=from_integer integer=u32 preset=riscv",
            {0xFFFFFFFF},
            0x4F800000,
            0x01}}) {
    expect_case(one);
  }
}

// Arm Architecture Reference Manual (DDI 0487), shared pseudocode: FPMin, FPMinNum (a quiet NaN
// beside a number is passed over, a signalling one is not), FPCompareEQ, FPCompareGT, FPToFixed.
TEST(PresetOfScalars, ArmAsItsPseudocodeSays) {
  for (const Case& one : std::vector<Case>{
           {"op=arith operation=minimum preset=arm", {kOne, kQuiet}, 0x7FC00123, 0},
           {"op=arith operation=minimum preset=arm", {kQuiet, kSignaling}, 0xFFC00456, 0x01},
           {"op=arith operation=minimum preset=arm", {0, kMinusZero}, kMinusZero, 0},
           {"op=arith operation=min_num preset=arm", {kOne, kQuiet}, kOne, 0},
           {"op=arith operation=max_num preset=arm", {kSignaling, kOne}, 0xFFC00456, 0x01},
           {"op=arith operation=max_num preset=arm", {0xFFC00001, kQuiet}, 0xFFC00001, 0},
           {"op=arith operation=max_num preset=arm-dn", {0xFFC00001, kQuiet}, 0x7FC00000, 0},
           {"op=arith operation=compare_quiet_equal preset=arm", {kQuiet, kQuiet}, 0, 0},
           {"op=arith operation=compare_signaling_less_equal preset=arm", {kQuiet, 0}, 0, 0x01},
           {"op=arith operation=to_integer preset=arm", {kQuiet}, 0, 0x01},
           {"op=arith operation=to_integer preset=arm", {kInf}, 0x7FFFFFFF, 0x01},
           {"op=arith operation=to_integer integer=u64 preset=arm", {0xC0000000}, 0, 0x01},
           {"op=arith operation=round_to_integral preset=arm", {0xBE800000}, kMinusZero, 0x10}}) {
    expect_case(one);
  }
}

TEST(PresetOfScalars, WordsBesideThePresetHold) {
  const auto handle =
      Handle::open("op=arith operation=to_integer out_of_range=indefinite preset=arm");
  ASSERT_TRUE(handle->is_open()) << handle->error();
  EXPECT_THAT(handle->text(), HasSubstr("out_of_range=indefinite"));
  EXPECT_THAT(Handle::open("op=arith operation=to_integer format=e4m3fn preset=arm")->error(),
              HasSubstr("e4m3fn"));
  EXPECT_THAT(Handle::open("op=arith operation=from_integer format=fp16 preset=arm")->error(), "");
}

#if defined(__x86_64__)

#define MX_MACHINE_CODE(name, instruction)                                                  \
  ScalarAnswer name(std::span<const std::uint64_t> x, std::uint32_t control) {              \
    std::uint32_t csr = control;                                                            \
    const std::uint32_t usual = 0x1F80;                                                     \
    std::uint64_t a = x[0], b = x[x.size() > 1 ? 1 : 0];                                    \
    asm volatile("ldmxcsr %[csr]\n\tmovq %[a], %%xmm0\n\tmovq %[b], %%xmm1\n\t" instruction \
                 "\n\tmovq %%xmm0, %[a]\n\tstmxcsr %[csr]\n\tldmxcsr %[usual]"              \
                 : [a] "+r"(a), [csr] "+m"(csr)                                             \
                 : [b] "r"(b), [usual] "m"(usual)                                           \
                 : "rax", "rcx", "xmm0", "xmm1", "cc");                                     \
    return {a, csr & 0x3F};                                                                 \
  }
#define MX_TRUTH "\n\tmovzbl %%al, %%eax\n\tmovq %%rax, %%xmm0"
#define MX_EQUAL "\n\tsete %%al\n\tsetnp %%cl\n\tandb %%cl, %%al" MX_TRUTH
// The operands stand in xmm1 and xmm0: b above a.
#define MX_LESS "\n\tseta %%al" MX_TRUTH
#define MX_LESS_EQUAL "\n\tsetae %%al" MX_TRUTH
#define MX_TO_XMM "\n\tmovq %%rax, %%xmm0"
#define MX_TO_RAX "movq %%xmm0, %%rax\n\t"
MX_MACHINE_CODE(min_s, "minss %%xmm1, %%xmm0")
MX_MACHINE_CODE(max_s, "maxss %%xmm1, %%xmm0")
MX_MACHINE_CODE(min_d, "minsd %%xmm1, %%xmm0")
MX_MACHINE_CODE(max_d, "maxsd %%xmm1, %%xmm0")
MX_MACHINE_CODE(equal_s, "ucomiss %%xmm1, %%xmm0" MX_EQUAL)
MX_MACHINE_CODE(less_s, "ucomiss %%xmm0, %%xmm1" MX_LESS)
MX_MACHINE_CODE(less_equal_s, "ucomiss %%xmm0, %%xmm1" MX_LESS_EQUAL)
MX_MACHINE_CODE(signaling_equal_s, "comiss %%xmm1, %%xmm0" MX_EQUAL)
MX_MACHINE_CODE(signaling_less_s, "comiss %%xmm0, %%xmm1" MX_LESS)
MX_MACHINE_CODE(signaling_less_equal_s, "comiss %%xmm0, %%xmm1" MX_LESS_EQUAL)
MX_MACHINE_CODE(signaling_less_d, "comisd %%xmm0, %%xmm1" MX_LESS)
MX_MACHINE_CODE(mask_less_s, "cmpltss %%xmm1, %%xmm0")
MX_MACHINE_CODE(mask_less_equal_s, "cmpless %%xmm1, %%xmm0")
MX_MACHINE_CODE(mask_equal_s, "cmpeqss %%xmm1, %%xmm0")
MX_MACHINE_CODE(round_s, "roundss $4, %%xmm0, %%xmm0")
MX_MACHINE_CODE(round_d, "roundsd $4, %%xmm0, %%xmm0")
MX_MACHINE_CODE(s_to_i32, "cvtss2si %%xmm0, %%eax" MX_TO_XMM)
MX_MACHINE_CODE(s_to_i64, "cvtss2si %%xmm0, %%rax" MX_TO_XMM)
MX_MACHINE_CODE(d_to_i32, "cvtsd2si %%xmm0, %%eax" MX_TO_XMM)
MX_MACHINE_CODE(d_to_i64, "cvtsd2si %%xmm0, %%rax" MX_TO_XMM)
MX_MACHINE_CODE(s_to_i32_cut, "cvttss2si %%xmm0, %%eax" MX_TO_XMM)
MX_MACHINE_CODE(d_to_i64_cut, "cvttsd2si %%xmm0, %%rax" MX_TO_XMM)
MX_MACHINE_CODE(i32_to_s, MX_TO_RAX "cvtsi2ssl %%eax, %%xmm0")
MX_MACHINE_CODE(i64_to_s, MX_TO_RAX "cvtsi2ssq %%rax, %%xmm0")
MX_MACHINE_CODE(i32_to_d, MX_TO_RAX "cvtsi2sdl %%eax, %%xmm0")
MX_MACHINE_CODE(i64_to_d, MX_TO_RAX "cvtsi2sdq %%rax, %%xmm0")
MX_MACHINE_CODE(s_to_u32, "vcvtss2usi %%xmm0, %%eax" MX_TO_XMM)
MX_MACHINE_CODE(d_to_u64, "vcvtsd2usi %%xmm0, %%rax" MX_TO_XMM)
MX_MACHINE_CODE(u32_to_s, MX_TO_RAX "vcvtusi2ssl %%eax, %%xmm0, %%xmm0")
MX_MACHINE_CODE(u64_to_d, MX_TO_RAX "vcvtusi2sdq %%rax, %%xmm0, %%xmm0")

constexpr Format kS{8, 23}, kD{11, 52}, kI32{0, 32}, kI64{0, 64};
constexpr std::uint64_t kBit = 1, k32 = 0xFFFFFFFF, k64 = ~std::uint64_t{0};

struct Instruction {
  const char* text;
  ScalarAnswer (*run)(std::span<const std::uint64_t>, std::uint32_t);
  Format operand;  ///< without an exponent: an integer
  std::size_t operands;
  std::uint64_t mask;
  bool cuts = false;  ///< toward zero, whatever MXCSR says
};

std::vector<Instruction> instructions() {
  std::vector<Instruction> list = {
      {"operation=select_minimum", min_s, kS, 2, k32},
      {"operation=select_maximum", max_s, kS, 2, k32},
      {"operation=select_minimum format=fp64", min_d, kD, 2, k64},
      {"operation=select_maximum format=fp64", max_d, kD, 2, k64},
      {"operation=compare_quiet_equal", equal_s, kS, 2, kBit},
      {"operation=compare_quiet_equal", mask_equal_s, kS, 2, kBit},
      {"operation=compare_quiet_less", less_s, kS, 2, kBit},
      {"operation=compare_quiet_less_equal", less_equal_s, kS, 2, kBit},
      {"operation=compare_signaling_equal", signaling_equal_s, kS, 2, kBit},
      {"operation=compare_signaling_less", signaling_less_s, kS, 2, kBit},
      {"operation=compare_signaling_less", mask_less_s, kS, 2, kBit},
      {"operation=compare_signaling_less format=fp64", signaling_less_d, kD, 2, kBit},
      {"operation=compare_signaling_less_equal", signaling_less_equal_s, kS, 2, kBit},
      {"operation=compare_signaling_less_equal", mask_less_equal_s, kS, 2, kBit},
      {"operation=to_integer", s_to_i32, kS, 1, k32},
      {"operation=to_integer integer=i64", s_to_i64, kS, 1, k64},
      {"operation=to_integer format=fp64", d_to_i32, kD, 1, k32},
      {"operation=to_integer format=fp64 integer=i64", d_to_i64, kD, 1, k64},
      {"operation=to_integer", s_to_i32_cut, kS, 1, k32, true},
      {"operation=to_integer format=fp64 integer=i64", d_to_i64_cut, kD, 1, k64, true},
      {"operation=from_integer", i32_to_s, kI32, 1, k32},
      {"operation=from_integer integer=i64", i64_to_s, kI64, 1, k32},
      {"operation=from_integer format=fp64", i32_to_d, kI32, 1, k64},
      {"operation=from_integer format=fp64 integer=i64", i64_to_d, kI64, 1, k64}};
  if (__builtin_cpu_supports("sse4.1")) {
    list.push_back({"operation=round_to_integral", round_s, kS, 1, k32});
    list.push_back({"operation=round_to_integral format=fp64", round_d, kD, 1, k64});
  }
  if (__builtin_cpu_supports("avx512f")) {
    list.push_back({"operation=to_integer integer=u32", s_to_u32, kS, 1, k32});
    list.push_back({"operation=to_integer format=fp64 integer=u64", d_to_u64, kD, 1, k64});
    list.push_back({"operation=from_integer integer=u32", u32_to_s, kI32, 1, k32});
    list.push_back({"operation=from_integer format=fp64 integer=u64", u64_to_d, kI64, 1, k64});
  }
  return list;
}

/// Drawn words, of integers with leading zeros or ones; of floats also those whose exponents are
/// near 1's and near the ends of the integers.
std::vector<std::uint64_t> drawn_operands(const Instruction& one, std::mt19937_64& draw) {
  std::vector<std::uint64_t> list;
  if (one.operand.exp_bits == 0) {
    const std::uint64_t mask = one.operand.man_bits == 32 ? k32 : k64;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t x =
          (draw() & mask) >> draw() % static_cast<unsigned>(one.operand.man_bits);
      list.push_back(i % 2 == 0 ? x : ~x & mask);
    }
    return list;
  }
  list = operands_of(one.operand, draw, one.operands == 1 ? 1000 : 10);
  if (one.operands != 1) return list;
  const Format& f = one.operand;
  const std::uint64_t sign = std::uint64_t{1} << (f.exp_bits + f.man_bits);
  const std::uint64_t bias = (std::uint64_t{1} << (f.exp_bits - 1)) - 1;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t exponent = bias - 2 + draw() % 68;
    const std::uint64_t rest = draw() & ((std::uint64_t{1} << f.man_bits) - 1);
    list.push_back((draw() & sign) | exponent << f.man_bits |
                   (i % 3 == 0 ? rest >> 20 << 20 : rest));
  }
  return list;
}

// Property: the preset x86 gives this machine's bits and flags (DE excepted, which is open).
TEST(PresetOfScalars, X86AsThisMachineDoes) {
  std::mt19937_64 draw(12);
  std::size_t asked = 0, invalid = 0, inexact = 0;
  for (const Instruction& one : instructions()) {
    for (std::size_t mode = 0; mode < kRoundings.size(); ++mode) {
      const char* const rounding = one.cuts ? "toward_zero" : kRoundings[mode];
      const auto handle =
          Handle::open(std::string("op=arith preset=x86 ") + one.text + " rounding=" + rounding);
      ASSERT_TRUE(handle->is_open()) << handle->error();
      const auto list = drawn_operands(one, draw);
      const std::size_t n = list.size(), tuples = one.operands == 1 ? n : n * n;
      for (std::size_t t = 0; t < tuples; ++t) {
        const std::array<std::uint64_t, 2> x = {list[t % n], list[t / n]};
        const auto operands = std::span(x).first(one.operands);
        const ScalarAnswer wanted = one.run(operands, kControl[mode]);
        const ScalarAnswer got = ask(*handle, operands);
        ASSERT_EQ(got.code, wanted.code & one.mask)
            << one.text << " " << rounding << std::hex << " " << x[0] << " " << x[1];
        ASSERT_EQ(got.flags, wanted.flags & kCompared)
            << one.text << " " << rounding << std::hex << " " << x[0] << " " << x[1];
        ++asked;
        invalid += wanted.flags & 1;
        inexact += wanted.flags >> 5 & 1;
      }
    }
  }
  EXPECT_GT(asked, 200'000U);
  EXPECT_GT(invalid, 10'000U);
  EXPECT_GT(inexact, 20'000U);
}

#else
TEST(PresetOfScalars, X86AsThisMachineDoes) { GTEST_SKIP() << "this machine is no x86"; }
#endif

}  // namespace
}  // namespace mx::bridge::preset_scalar_test
