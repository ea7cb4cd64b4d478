// What the state of the calling thread and the choice of instructions may not change.
#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <iostream>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

TEST(CpuMachine, CallsUseTheTargetTheyAreHeldTo) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::string_view> targets = cpu_targets();
  for (const std::string_view target : targets) {
    const OnlyCpuTarget only(target);
    EXPECT_EQ(cpu_target(), target);
  }
  EXPECT_EQ(cpu_target(), targets.front());
}

// What the other tests go through: a machine's best set may be missing in a plain build, but never
// all.
TEST(CpuMachine, TheFallbackAndASetOfVectorsAreBuilt) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::string_view> targets = cpu_targets();
  const std::vector<std::string_view> left_out = cpu_targets_left_out();
  for (const std::string_view target : targets) std::cout << "compared: " << target << '\n';
  for (const std::string_view target : left_out) {
    std::cout << "NOT BUILT, NOT COMPARED: " << target << " (-DMXGOLD_EVERY_VECTOR=ON)\n";
    EXPECT_TRUE(target != "AVX2" && target != "NEON") << target << " is in every build";
  }
#if defined(MXGOLD_EVERY_VECTOR)
  EXPECT_TRUE(left_out.empty()) << left_out.front();
#endif
  const bool has_avx2 = std::ranges::find(targets, "AVX2") != targets.end();
  const bool has_neon = std::ranges::find(targets, "NEON") != targets.end();
  EXPECT_GE(targets.size(), has_avx2 || has_neon ? 2u : 1u) << "the fallback beside vectors";
#if defined(__x86_64__)
  EXPECT_EQ(has_avx2, __builtin_cpu_supports("avx2") != 0);
#endif
}

#if defined(__x86_64__)
// Flush-to-zero, denormals-are-zero and every rounding mode of the machine's floating point.
TEST(CpuMachine, FloatingPointStateChangesNoBit) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> words;
  random_blocks(formats::fp32, 9, 4096, [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  });
  const unsigned saved = _mm_getcsr();
  for (const unsigned state : {0x8000u, 0x0040u, 0x8040u, 0xE040u, 0xA000u, 0xC000u}) {
    CpuTally tally;
    _mm_setcsr((saved & ~0xE040u) | state);
    for (const ElementFormat* element : {&formats::e4m3fn, &formats::int8}) {
      compare_line(default_job(formats::fp32, *element), words, tally);
      compare_elements({formats::fp32, *element, {}}, words, tally);
    }
    _mm_setcsr(saved);
    EXPECT_EQ(tally.mismatches, 0u) << tally.first;
    EXPECT_GT(tally[Class::kSubnormalInput], 1000u);
  }
}
#endif

}  // namespace
}  // namespace mx::fast::test
