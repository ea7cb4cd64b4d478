// The float casts of QPyTorch and dmx, restated from their kernels in binary32 (spec S3.1, S3.2,
// S4.2, S5.4): their profiles answer as these do wherever they do not say that the answer is open.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

struct Kernel {
  const char* profile;
  const char* variant;
  bool even = false;
  bool stochastic = false;
  bool flush = false;
};

struct Shape {
  const char* format;
  int exp_bits;
  int man_bits;
};

constexpr Shape kShapes[] = {{"e4m3fin", 4, 3}, {"e5m2fin", 5, 2}, {"e2m3fn", 2, 3},
                             {"e3m2fn", 3, 2},  {"e2m1fn", 2, 1},  {"e5m10fin", 5, 10}};

/// Bit rounding of a pattern to `m` stored bits.
std::uint32_t round_bits(std::uint32_t u, int m, const Kernel& kernel, std::uint32_t random) {
  const int d = 23 - m;
  const std::uint32_t mask = (std::uint32_t{1} << d) - 1;
  const std::uint32_t half = std::uint32_t{1} << (d - 1);
  const bool stays = kernel.even && (u & mask) == half && (u >> d & 1) == 0;
  const std::uint32_t added = kernel.stochastic ? random & mask : stays ? 0 : half;
  return (u + added) & ~mask;
}

std::uint32_t cast(std::uint32_t u, const Shape& shape, const Kernel& kernel,
                   std::uint32_t random) {
  const int emin = 2 - (1 << (shape.exp_bits - 1));
  const int field = static_cast<int>(u >> 23 & 0xFF);
  if (field - 127 < emin) {
    if (kernel.flush) return 0;
    const float s = std::copysign(std::ldexp(1.0F, emin), std::bit_cast<float>(u));
    const float v = std::bit_cast<float>(u) + s;
    const std::uint32_t rounded =
        round_bits(std::bit_cast<std::uint32_t>(v), shape.man_bits, kernel, random);
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(rounded) - s);
  }
  const std::uint32_t y = round_bits(u, shape.man_bits, kernel, random);
  const int top = 127 + (1 << (shape.exp_bits - 1));
  if (y == 0 || static_cast<int>(y >> 23 & 0xFF) <= top) return y;
  const std::uint32_t significand = ((1U << shape.man_bits) - 1) << (23 - shape.man_bits);
  return (y & 0x80000000) | static_cast<std::uint32_t>(top) << 23 | significand;
}

/// All bfloat16 patterns, and each with one and with all of its lower bits.
std::vector<std::uint32_t> patterns() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0000U, 0x0001U, 0x8000U, 0xFFFFU}) {
      all.push_back(upper << 16 | lower);
    }
  }
  return all;
}

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t open = 0;
  std::uint64_t needed = 0;  ///< open, and answered otherwise
  std::uint64_t wrong = 0;
};

Tally compare(const Kernel& kernel, const Shape& shape, Masks ignored) {
  ProfileDesk desk;
  const ConversionConfig config =
      desk.conversion(kernel.profile, shape.format, "fp32", kernel.variant);
  const Conversion conversion = Conversion::make(config).value();
  const Masks masks = element_masks(desk.profile(kernel.profile), formats::fp32,
                                    desk.format(shape.format), kernel.variant) &
                      ~ignored;
  Tally tally;
  std::uint32_t random = 1;
  for (const std::uint32_t u : patterns()) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t r = (random >> 1) & ((std::uint32_t{1} << (23 - shape.man_bits)) - 1);
    const Unpacked ours = decode(config.destination, conversion(u, kernel.stochastic ? r : 0).code);
    const bool same = ours == decode(formats::fp32, cast(u, shape, kernel, r));
    if (is_masked(masks, config, u)) {
      ++tally.open;
      tally.needed += same ? 0U : 1U;
    } else {
      ++tally.compared;
      tally.wrong += same ? 0U : 1U;
    }
  }
  return tally;
}

constexpr Kernel kKernels[] = {
    {"qtorch-0.3.0/cpu", ""},
    {.profile = "qtorch-0.3.0/cpu", .variant = "stochastic", .stochastic = true},
    {.profile = "dmx-0.1.11/cpu", .variant = "", .even = true},
    {.profile = "dmx-0.1.11/cpu", .variant = "stochastic", .stochastic = true},
    {.profile = "dmx-0.1.11/cpu", .variant = "flush", .even = true, .flush = true}};

TEST(SeedFloats, AreAnsweredOrOpen) {
  for (const Kernel& kernel : kKernels) {
    for (const Shape& shape : kShapes) {
      const std::string what =
          std::string(kernel.profile) + ':' + kernel.variant + ' ' + shape.format;
      const Tally tally = compare(kernel, shape, 0);
      EXPECT_EQ(tally.wrong, 0U) << what;
      EXPECT_GT(tally.compared, 100000U) << what;
      EXPECT_GT(tally.open, 0U) << what;
    }
  }
}

// Control: without a mask some of what it covers is seen to be wrong, so none is idle.
TEST(SeedFloats, NeedTheirMasks) {
  for (const Kernel& kernel : kKernels) {
    if (kernel.flush || kernel.stochastic) continue;
    std::uint64_t without_fine = 0;
    std::uint64_t without_payload = 0;
    for (const Shape& shape : kShapes) {
      without_fine += compare(kernel, shape, kMaskFineBelowNormal).wrong;
      without_payload += compare(kernel, shape, kMaskNanPayload).wrong;
    }
    EXPECT_GT(without_fine, 0U) << kernel.profile;
    EXPECT_GT(without_payload, 0U) << kernel.profile;
  }
}

// dmx hands a binary16 tensor through where the format is binary16's own (spec S5.5).
TEST(SeedFloats, DmxPassesBinary16Through) {
  ProfileDesk desk;
  EXPECT_EQ(desk.code("dmx-0.1.11/cpu", "e5m10fin", 0x8000, "", "fp16"), 0x8000U);
  EXPECT_EQ(desk.code("dmx-0.1.11/cpu", "e5m10fin", 0x8000, "flush", "fp16"), 0x0000U);
  EXPECT_EQ(desk.code("dmx-0.1.11/cpu", "e5m10fin", f32(-0.0), "", "fp32"), 0x0000U);
  for (const std::uint64_t special : {0x7C00U, 0xFC00U, 0x7E00U, 0xFE00U}) {
    EXPECT_TRUE(desk.masked("dmx-0.1.11/cpu", "e5m10fin", special, "", "fp16")) << special;
  }
  EXPECT_FALSE(desk.masked("dmx-0.1.11/cpu", "e5m10fin", 0x3C00, "", "fp16"));
}

// torch widens a binary16 NaN to 7FC00000 or, near the end of a tensor, to 7FFFFFFF, which a carry
// makes -0; bfloat16 is widened by its bits.
TEST(SeedFloats, DmxLeavesBinary16NansOpen) {
  ProfileDesk desk;
  for (const char* const format : {"e4m3fin", "e5m2fin", "e2m3fn", "e3m2fn", "e2m1fn"}) {
    for (const std::uint64_t nan : {0x7E00U, 0xFE00U, 0x7C01U}) {
      EXPECT_TRUE(desk.masked("dmx-0.1.11/cpu", format, nan, "", "fp16")) << format;
    }
    EXPECT_FALSE(desk.masked("dmx-0.1.11/cpu", format, 0xFC00, "", "fp16")) << format;
    EXPECT_FALSE(desk.masked("dmx-0.1.11/cpu", format, 0xFFC0, "", "bf16")) << format;
  }
}

}  // namespace
}  // namespace mx
