// What ModelOpt 0.47.0 and compressed-tensors 0.20.0 were seen to answer: spec F11.4, F11.6.
#include <gtest/gtest.h>

#include <bit>

#include "reference/arithmetic/fp32.hpp"
#include "tests/reference/profiles/profile_ask.hpp"

namespace mx::profile_checkpoints_test {
namespace {

constexpr std::uint64_t kInf = 0x7F800000, kNan = 0x7FC00000, kMinusZero = 0x80000000;
constexpr std::string_view kModelopt = "modelopt-0.47";
constexpr std::string_view kCompressed = "compressed-tensors-0.20";

struct Seen {
  TensorLevel tensor;
  std::vector<std::uint64_t> block;
  std::uint64_t scale;
  std::vector<std::uint64_t> codes;
  std::string_view source = "fp32";
};

void check(std::string_view profile, const std::vector<Seen>& rows) {
  ProfileDesk desk;
  for (const Seen& seen : rows) {
    std::vector<std::uint64_t> block = seen.block;
    block.resize(16, 0);
    const auto answer = desk.block(profile, "nvfp4", block, "", seen.source, seen.tensor);
    EXPECT_EQ(answer.scale, seen.scale) << std::hex << seen.block[0];
    for (std::size_t i = 0; i < seen.codes.size(); ++i) {
      EXPECT_EQ(answer.codes[i], seen.codes[i]) << std::hex << seen.block[0] << ", lane " << i;
    }
    EXPECT_FALSE(answer.masked.scale || answer.masked.codes);
  }
}

TensorLevel scale_of(std::uint32_t bits) { return {.scale = bits}; }
TensorLevel amax_of(std::uint32_t bits) { return {.amax = bits}; }

// A scale of 0 becomes 1, whatever else is at least 2^-9; -0 is +0, and what rounds to zero from
// below keeps its sign.
TEST(Modelopt, Blocks) {
  constexpr std::uint32_t kOne = 0x3F800000;
  check(kModelopt, {{scale_of(kOne),
                     {f32(6), f32(-0.25), kMinusZero, f32(2.5), f32(5), f32(-5.5)},
                     0x38,
                     {7, 8, 0, 4, 6, 15}},
                    {scale_of(kOne), {0}, 0x38, {0}},
                    {scale_of(kOne), {0x3C23D70A, 0xBA83126F}, 0x01, {7, 9}},
                    {scale_of(kOne), {0x3BA3D70A}, 0x01, {5}},
                    {scale_of(kOne), {0x00000007}, 0x01, {0}},
                    {scale_of(kOne), {0x501502F9, f32(3)}, 0x7E, {7, 0}},
                    {scale_of(kOne), {kInf, f32(1)}, 0x7E, {7, 0}},
                    // Quotients that underflow: the scale is 1, and -0 has lost its sign.
                    {scale_of(0x71800000), {0x1E3CE508, 0x9E3CE508}, 0x38, {0, 0}},
                    {scale_of(0x3D2ACD9F), {f32(1), 0xBE99999A, 0x3D23D70A}, 0x48, {7, 12, 0}}});
}

TEST(Modelopt, LeavesNanOpenAndComesBackInBinary32) {
  ProfileDesk desk;
  EXPECT_TRUE(desk.block(kModelopt, "nvfp4", {kNan}).masked.scale);
  EXPECT_TRUE(desk.masked(kModelopt, "e2m1fn", kNan));
  EXPECT_TRUE(desk.block(kModelopt, "mxfp8_e4m3", {kNan}).masked.scale);
  EXPECT_EQ(desk.block(kModelopt, "mxfp8_e4m3", {kInf}).scale, 0xFEU);
  // fl32(6 * fl32(0.75 * s)) for s = 3A83126F, where one rounding gives BD.
  const auto block = desk.block(kModelopt, "nvfp4", {0x3B93B457}, "", "fp32", scale_of(0x3A83126F));
  EXPECT_EQ(block.scale, 0x34U);
  EXPECT_EQ(block.codes[0], 7U);
  EXPECT_EQ(block.values[0], 0x3B9374BCU);
  EXPECT_THROW((void)desk.config(kModelopt, "mxfp4"), std::invalid_argument);
}

// The global scale of a bf16 tensor has 8 significant bits, a sixth of the maximum too.
TEST(CompressedTensors, Blocks) {
  check(
      kCompressed,
      {{amax_of(0x3F666666), {0x3F666666, 0xBE4CCCCD, kMinusZero, 0xBC23D70A}, 0x7E, {7, 11, 0, 8}},
       {amax_of(0x3F660000), {0x3F66, 0x3ED0, 0x8000, 0x3D90}, 0x7E, {7, 5, 0, 1}, "bf16"},
       {amax_of(0x3CA3E000), {0x251F, 0x1D1F}, 0x02, {7, 3}, "fp16"},
       {amax_of(0x43E00000), {0x43E0, 0x4295}, 0x7E, {7, 2}, "bf16"},
       {amax_of(0x43E00000), {0x43E00000, 0x42950000}, 0x7E, {7, 2}},
       {amax_of(0x45280000), {0x3A83126F}, 0x20, {0}},
       {amax_of(0x45280000), {0}, 0x20, {0}},
       {amax_of(0x3F800000), {kInf, f32(1)}, 0x7E, {7, 7}}});
}

TEST(CompressedTensors, GlobalScales) {
  const BlockFormat& nvfp4 = *find_block_format("nvfp4");
  const auto stored = [&](const ElementFormat& source, std::uint64_t amax) {
    QuantizerConfig config{source, nvfp4, {}, {.rule = ScaleRule::kNvfp4Ct}, {}};
    return tensor_level(config, decode(formats::fp32, amax)).scale;
  };
  EXPECT_EQ(stored(formats::fp32, 0x43E00000), 0x40C00001U);  // 6.0000005
  EXPECT_EQ(stored(formats::bf16, 0x43E00000), 0x40C00000U);  // 6
  EXPECT_EQ(stored(formats::fp16, 0x3CA3E000), 0x3F800000U);  // beyond binary16: 1
  EXPECT_EQ(stored(formats::fp32, 0), 0x3F800000U);
  EXPECT_EQ(stored(formats::fp32, 1), 0x3F800000U);
}

/// compressed_tensors/quantization/lifecycle/forward_helpers.py, _dequantize(): the scale divided
/// by the global scale, the code times that, each in binary32; by the host's own.
TEST(CompressedTensors, ComesBackByTheQuotientOfItsScales) {
  const BlockFormat& nvfp4 = *find_block_format("nvfp4");
  int by_reciprocal = 0;  // negative control: what products with fl32(1/G) get wrong
  for (const std::uint32_t global :
       {0x45600000U, 0x455FFFFFU, 0x45600001U, 0x45280000U, 0x3F800000U, 0x40C00001U, 0x33800001U,
        0x7F7FFFFFU, 0x2F800003U}) {
    const QuantizerConfig config{
        formats::fp32, nvfp4, {}, {.rule = ScaleRule::kNvfp4Ct}, {.scale = global}};
    const Quantizer quantizer = Quantizer::make(config).value();
    const auto g = std::bit_cast<float>(global);
    for (std::uint64_t scale = 0; scale < 0x7F; ++scale) {
      const auto local = std::bit_cast<float>(fp32::round(decode(nvfp4.scale, scale)));
      volatile float quotient = local / g, reciprocal = 1.0F / g;
      volatile float product = local * reciprocal;
      for (std::uint64_t code = 0; code < 16; ++code) {
        const auto element = std::bit_cast<float>(fp32::round(decode(nvfp4.element, code)));
        volatile float expected = element * quotient;
        volatile float other = element * product;
        std::uint64_t value = 0;
        quantizer.dequantize_block(scale, {&code, 1}, formats::fp32, {&value, 1});
        ASSERT_EQ(value, std::bit_cast<std::uint32_t>(float{expected}))
            << std::hex << global << " " << scale << " " << code;
        by_reciprocal += float{other} != float{expected} ? 1 : 0;
      }
    }
  }
  EXPECT_GT(by_reciprocal, 100);
}

TEST(CompressedTensors, LeavesOpen) {
  ProfileDesk desk;
  EXPECT_TRUE(desk.block(kCompressed, "nvfp4", {kNan}).masked.scale);
  EXPECT_TRUE(desk.block(kCompressed, "mxfp4", {kInf}).masked.scale);
  EXPECT_TRUE(desk.block(kCompressed, "mxfp6_e2m3", {0x7F7FFFFF}).masked.scale);
  EXPECT_FALSE(desk.block(kCompressed, "mxfp4", {0x7E7FFFFF}).masked.scale);
  EXPECT_EQ(desk.code(kCompressed, "e2m3fn", kMinusZero), 0U);
  EXPECT_THROW((void)desk.config(kCompressed, "mxfp8_e4m3"), std::invalid_argument);
}

// The same bf16 blocks at the same tensor maximum, by three systems.
TEST(Nvfp4, SystemsPart) {
  ProfileDesk desk;
  const auto scale = [&](std::string_view profile, std::uint32_t amax, std::uint64_t block) {
    QuantizerConfig config = desk.config(profile, "nvfp4", "", "bf16");
    const TensorLevel level = tensor_level(config, decode(formats::fp32, amax));
    return desk.block(profile, "nvfp4", {block}, "", "bf16", level).scale;
  };
  EXPECT_EQ(scale(kModelopt, 0x3F8C0000, 0x3C91), 0x4EU);
  EXPECT_EQ(scale(kCompressed, 0x3F8C0000, 0x3C91), 0x4FU);
  EXPECT_EQ(scale("te", 0x3F8C0000, 0x3C91), 0x4FU);
  EXPECT_EQ(scale("torchao-0.18", 0x45280000, 0x3C24), 0x08U);
  EXPECT_EQ(scale(kModelopt, 0x45280000, 0x3C24), 0x01U);
  EXPECT_EQ(scale(kModelopt, 0x45280000, 0), 0x38U);
  EXPECT_EQ(scale(kCompressed, 0x45280000, 0), 0x20U);
}

}  // namespace
}  // namespace mx::profile_checkpoints_test
