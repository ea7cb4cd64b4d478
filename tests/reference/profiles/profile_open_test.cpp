// What profiles leave open, of single values and of blocks: the two agree. spec F23.1.
#include <gtest/gtest.h>

#include <vector>

#include "reference/policy/fields.hpp"
#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

/// Every finite pattern of a 16-bit source; of a wider one those with 16 upper bits, and one below
/// and above each.
std::vector<std::uint64_t> patterns(const ElementFormat& source) {
  const int shift = std::max(source.bits - 16, 0);
  std::vector<std::uint64_t> all;
  for (std::uint64_t upper = 0; upper < 0x10000; ++upper) {
    const std::uint64_t code = upper << shift;
    all.push_back(code);
    if (shift == 0) continue;
    all.push_back(code + 1);
    all.push_back((code - 1) & source.code_mask());
  }
  return all;
}

struct Counts {
  std::uint64_t lanes = 0;
  std::uint64_t open = 0;
  std::uint64_t wrong = 0;
};

/// The elements of blocks of scale 1 under `masks`, against the same inputs as single values.
Counts compare_at_scale_one(Masks masks, const QuantizerConfig& config,
                            const ConversionConfig& alone, Masks masks_alone) {
  Counts counts;
  ElementPolicy policy;
  const std::uint64_t one =
      encode(unpack_integer(false, 1, 0), config.format.scale, policy, 0).code;
  for (const std::uint64_t code : patterns(config.source)) {
    const std::uint64_t block[] = {code};
    const MaskedBlock masked = masked_block(masks, config, block, {.scale_code = one});
    const bool expected = is_masked(masks_alone, alone, code);
    ++counts.lanes;
    if (expected) ++counts.open;
    if (is_lane_masked(masked, config, code) != expected) ++counts.wrong;
  }
  return counts;
}

constexpr const char* kMixture = "blocks-as=mxgold-default";

template <typename Visit>
void for_each_borrowed_block(Visit&& visit) {
  for (const Profile& profile : all_profiles()) {
    if (!profile.blocks.empty() || profile.elements.empty()) continue;
    for (const BlockFormat& format : all_block_formats()) {
      for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
        const auto config = block_config(profile, format, source, kMixture);
        if (config) visit(profile, format, *config);
      }
    }
  }
}

// A mixture brings its profile's elements to blocks, so what of them is open stays open.
TEST(OpenLanes, AreThoseOpenAsSingleValues) {
  std::uint64_t open = 0;
  std::size_t configurations = 0;
  std::size_t noticed = 0;
  for_each_borrowed_block([&](const Profile& profile, const BlockFormat& format,
                              const QuantizerConfig& config) {
    const ConversionConfig alone = *element_conversion(profile, config.source, format.element);
    const Masks masks_alone = element_masks(profile, config.source, format.element);
    const Masks masks = block_masks(profile, format, config.source, kMixture);
    EXPECT_EQ(masks & kElementMasks, masks_alone) << profile.name << ' ' << format.name;
    if (masks_alone == 0) return;
    const Counts counts = compare_at_scale_one(masks, config, alone, masks_alone);
    EXPECT_EQ(counts.wrong, 0U) << profile.name << ' ' << format.name << ' ' << config.source.name;
    EXPECT_LT(counts.open, counts.lanes) << profile.name << ' ' << format.name;
    open += counts.open;
    ++configurations;
    // Control: masks that are lost are noticed.
    const Counts lost = compare_at_scale_one(masks & ~kElementMasks, config, alone, masks_alone);
    EXPECT_EQ(lost.wrong, counts.open) << profile.name << ' ' << format.name;
    noticed += lost.wrong > 0 ? 1 : 0;
  });
  EXPECT_GT(configurations, 10U);
  EXPECT_EQ(noticed, configurations);
  EXPECT_GT(open, 1000U);
}

// Not the element itself is looked at, but what its scale makes of it.
TEST(OpenLanes, FollowTheScale) {
  ProfileDesk desk;
  // 0x1.2p-8 is open as e4m3fn; with 448 in the block the scale is 1, with 2^-8 it is 2^-16.
  EXPECT_TRUE(desk.masked("intel-fp8et", "e4m3fn", f32(0x1.2p-8)));
  const QuantizerConfig config = desk.config("intel-fp8et", "mxfp8_e4m3", kMixture);
  const auto at = [&](std::uint64_t largest) {
    const auto block = desk.block("intel-fp8et", "mxfp8_e4m3", {largest, f32(0x1.2p-8)}, kMixture);
    return is_lane_masked(block.masked, config, f32(0x1.2p-8));
  };
  EXPECT_TRUE(at(f32(448)));
  EXPECT_FALSE(at(f32(0x1p-8)));
  EXPECT_FALSE(is_lane_masked(desk.block("intel-fp8et", "mxfp8_e4m3", {f32(448)}, kMixture).masked,
                              config, f32(448)));
}

// The scale and the lanes that no mask speaks of stay closed.
TEST(OpenLanes, LeaveTheScaleClosed) {
  ProfileDesk desk;
  const auto block = desk.block("intel-fp8et", "mxfp8_e4m3", {f32(448), f32(0x1.2p-8)}, kMixture);
  EXPECT_FALSE(block.masked.scale);
  EXPECT_FALSE(block.masked.codes);
}

// torchmx casts blocks only, so of single values it says nothing (spec S6.2).
TEST(Unmodelled, TorchmxHasNoSingleValues) {
  ProfileDesk desk;
  for (const char* const name : {"torchmx-0.1.0/sim", "torchmx-0.1.0/hw"}) {
    for (const char* const to : {"e4m3fn", "e5m2", "e2m1fn", "int8", "e8m0", "bf16"}) {
      for (const char* const from : {"fp32", "bf16", "fp16", "fp64"}) {
        const auto found =
            element_conversion(desk.profile(name), desk.format(from), desk.format(to));
        EXPECT_EQ(found, std::nullopt) << name << ' ' << from << ' ' << to;
      }
    }
    EXPECT_TRUE(block_config(desk.profile(name), *find_block_format("mxfp4"), formats::bf16));
  }
}

// A BFP or MXINT block of one element is a float with eight exponent bits there (spec S5.5).
TEST(Unmodelled, DmxBlocksOfOneElementAreFloats) {
  ProfileDesk desk;
  std::size_t integers = 0;
  for (BlockFormat format : all_block_formats()) {
    const auto listed = block_config(desk.profile("dmx-0.1.11/cpu"), format, formats::fp32);
    if (!listed) continue;
    format.block_size = 2;
    EXPECT_TRUE(block_config(desk.profile("dmx-0.1.11/cpu"), format, formats::fp32)) << format.name;
    format.block_size = 1;
    const auto single = block_config(desk.profile("dmx-0.1.11/cpu"), format, formats::fp32);
    const bool is_float = listed->format.element.kind == FormatKind::kFloat;
    EXPECT_EQ(single.has_value(), is_float) << format.name;
    integers += is_float ? 0U : 1U;
  }
  EXPECT_GE(integers, 18U);
}

}  // namespace
}  // namespace mx
