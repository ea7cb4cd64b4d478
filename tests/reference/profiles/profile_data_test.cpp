// The rows of the profiles are sound: every name means a format, every setting a policy, every
// configuration can be used and agrees with the oracle; and one changed policy is noticed.
#include <gtest/gtest.h>

#include <set>

#include "reference/policy/fields.hpp"
#include "tests/reference/judgement/rules_sweep.hpp"
#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

bool is_pattern(const std::string& name) { return name == "*" || name == "binary*"; }

TEST(ProfileData, NamesMeanFormats) {
  ProfileDesk desk;
  for (const Profile& profile : all_profiles()) {
    EXPECT_FALSE(profile.system.empty() || profile.version.empty() || profile.source.empty() ||
                 profile.description.empty())
        << profile.name;
    for (const ElementRow& row : profile.elements) {
      for (const std::string& name : words(row.destinations)) {
        if (is_pattern(name)) continue;
        EXPECT_NO_THROW((void)desk.format(name)) << profile.name;
      }
      for (const std::string& name : words(row.sources)) {
        if (is_pattern(name)) continue;
        EXPECT_NE(find_format(name), nullptr) << profile.name << ' ' << name;
      }
    }
    for (const BlockRow& row : profile.blocks) {
      for (const std::string& name : words(row.formats)) {
        if (is_pattern(name)) continue;
        EXPECT_NE(find_block_format(name), nullptr) << name;
      }
      for (const std::string& name : words(row.sources)) {
        if (is_pattern(name)) continue;
        EXPECT_NE(find_format(name), nullptr) << profile.name << ' ' << name;
      }
    }
  }
}

TEST(ProfileData, NamesAreUniqueAndVariantsDistinct) {
  std::set<std::string_view> names;
  for (const Profile& profile : all_profiles()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    const auto check = [&](std::span<const ProfileVariant> variants) {
      std::set<std::string_view> seen;
      for (const ProfileVariant& variant : variants) {
        EXPECT_TRUE(seen.insert(variant.name).second) << profile.name << ' ' << variant.name;
        EXPECT_EQ(variant.name.find_first_of("+:, "), std::string_view::npos);
        EXPECT_FALSE(variant.name.empty());
        EXPECT_FALSE(variant.settings.empty());
      }
    };
    for (const ElementRow& row : profile.elements) check(row.variants);
    for (const BlockRow& row : profile.blocks) check(row.variants);
  }
}

// Every variant of every row gives a policy that differs from the default.
TEST(ProfileData, VariantsChangeSomething) {
  ProfileDesk desk;
  std::size_t count = 0;
  for (const Profile& profile : all_profiles()) {
    for (const ElementRow& row : profile.elements) {
      if ((row.masks & kMaskAll) != 0 || row.destinations == "*") continue;
      const std::string first = words(row.destinations).front();
      const ElementFormat& to = desk.format(first == "binary*" ? "binary8p4se" : first);
      const ElementFormat& from = desk.format(words(row.sources).front());
      const auto plain = element_conversion(profile, from, to);
      ASSERT_TRUE(plain) << profile.name;
      for (const ProfileVariant& variant : row.variants) {
        const auto other = element_conversion(profile, from, to, variant.name);
        ASSERT_TRUE(other) << profile.name << ' ' << variant.name;
        EXPECT_TRUE(other->policy != plain->policy);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 50U);
}

template <typename Visit>
void for_each_block_config(Visit&& visit) {
  for (const Profile& profile : all_profiles()) {
    for (const BlockFormat& format : all_block_formats()) {
      for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
        for (const std::string_view variant : block_variants(profile, format, source)) {
          const auto config = block_config(profile, format, source, variant);
          ASSERT_TRUE(config) << profile.name << ' ' << format.name << ' ' << variant;
          visit(profile, *config, variant);
        }
      }
    }
  }
}

TEST(ProfileData, EveryBlockConfigurationCanBeUsed) {
  std::set<std::string> seen;
  std::set<std::string> rules;
  for_each_block_config(
      [&](const Profile& profile, const QuantizerConfig& config, std::string_view variant) {
        EXPECT_EQ(Quantizer::problem(config), "");
        seen.insert(std::string(profile.name) + '/' + std::string(variant));
        rules.insert(std::string(token_of(config.block.rule)));
      });
  for (const char* each :
       {"torchao-0.18/rceil", "torchao-0.19dev/even_up", "te/half_rcp_mul", "te/4over6_mse_256",
        "fbgemm/stoch_exp", "microxcaling-1.1.0/py-f32/flush_fp32_subnorms", "dmx-0.1.11/cpu/down",
        "p3109-4.0/scale_toward_positive", "torchmx-0.1.0/hw/", "hif4/", "gfloat/", "ggml/",
        "tt-metal/", "tensix/"}) {
    EXPECT_TRUE(seen.contains(each)) << each;
  }
  EXPECT_GE(rules.size(), 17U);
}

// A row whose variant no source can use would be an option nobody has.
TEST(ProfileData, EveryBlockVariantIsUsableSomewhere) {
  for (const Profile& profile : all_profiles()) {
    for (const BlockRow& row : profile.blocks) {
      for (const ProfileVariant& variant : row.variants) {
        bool usable = false;
        for (const std::string& name : words(row.formats)) {
          for (const std::string& source : words(row.sources)) {
            for (const BlockFormat& format : all_block_formats()) {
              const bool fits =
                  format.name == name || (name == "binary*" && format.name.starts_with("binary"));
              usable |= fits && block_config(profile, format, *find_format(source), variant.name);
            }
          }
        }
        EXPECT_TRUE(usable) << profile.name << ' ' << variant.name;
      }
    }
  }
}

// The oracle agrees with the reference under every profile: its configurations combine policies in
// ways that the sweeps of single policies may not.
TEST(ProfileData, OracleAgrees) {
  oracle::Stream stream(20);
  oracle::Report report;
  for_each_block_config([&](const Profile&, const QuantizerConfig& config, std::string_view) {
    const oracle::BlockCase block{config.source, config.format, config.element, config.block};
    const oracle::RulesCase what = oracle::rules_case(block);
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t top = config.source.inf_code();
      const std::uint64_t amax = i == 0 ? 0 : stream.below(top);
      std::vector<std::uint64_t> source = oracle::random_block(config.source, amax, 4, stream);
      if (i == 4) source[1] = config.source.canonical_nan;
      if (i == 5) source[2] = top | config.source.sign_bit();
      std::vector<std::uint32_t> random;
      for (std::size_t lane = 0; lane < source.size(); ++lane) {
        random.push_back(static_cast<std::uint32_t>(
            stream.below(std::uint64_t{1} << config.element.random_bits)));
      }
      check_rules(what, source, random, oracle::reference_rules(), report);
    }
  });
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// Negative control: each named policy, changed, makes a fact of the tables false.
TEST(ProfileControl, OneChangedPolicyIsNoticed) {
  struct Change {
    const char* profile;
    const char* destination;
    const char* field;
    const char* value;
    std::uint64_t bits, right;
  };
  const Change changes[] = {
      {"ggml", "e2m1fn", "rounding", "ties_to_even", f32(1.75), 3},
      {"cuda-13.0-host", "e4m3fn", "nan", "keep_sign", 0xFFC00000, 0x7F},
      {"ml_dtypes-0.6", "e2m1fn", "nan", "to_positive_max", 0x7FC00000, 0x8},
      {"onnx-ref", "e8m0", "overflow", "sat_finite", 0x7F800000, 0xFF},
      {"intel-fp8et", "e4m3fn", "staging", "none", f32(1.0625 + 0x1p-13), 0x38},
      {"p3109-4.0", "binary8p4sf", "overflow", "none_p3109_20260714", f32(1000), 0x7F},
      {"qtorch-0.3.0/cpu", "e2m1fn", "rounding", "ties_to_even", f32(0.25), 0x1}};
  for (const Change& c : changes) {
    ProfileDesk desk;
    EXPECT_EQ(desk.code(c.profile, c.destination, c.bits), c.right);
    Profile& profile = desk.profile(c.profile);
    std::vector<ElementRow> rows(profile.elements.begin(), profile.elements.end());
    for (ElementRow& row : rows) {
      Policies policies{row.policy, {}};
      ASSERT_EQ(set_policy(policies, c.field, c.value), FieldError::kNone);
      row.policy = policies.element;
    }
    profile.elements = rows;
    EXPECT_NE(desk.code(c.profile, c.destination, c.bits), c.right) << c.profile;
  }
}

TEST(ProfileControl, OneChangedBlockPolicyIsNoticed) {
  struct Change {
    const char* profile;
    const char* format;
    const char* field;
    const char* value;
    std::uint64_t bits, right;
  };
  const Change changes[] = {
      {"torchao-0.18", "mxfp8_e4m3", "inf_block", "scale_nan", 0x7F800000, 0xF7},
      {"torchao-0.19dev", "mxfp8_e4m3", "inf_block", "as_e255", 0x7F800000, 0xFF},
      {"te", "mxfp8_e4m3", "inf_block", "scale_nan", 0x7F800000, 0xFE},
      {"te", "mxfp8_e4m3", "rule", "floor", 0x43E00001, 0x80},
      {"microxcaling-1.1.0/py-f32", "mxfp4", "rule", "floor", 0x40FFFFFF, 0x80},
      {"microxcaling-1.1.0/py-f32", "mxint8", "scale_sat", "clamp_254", 0x7F7FFFFF, 0xFF},
      {"fbgemm", "fbgemm_mx4", "rule", "floor", f32(5.0), 0x80}};
  for (const Change& c : changes) {
    ProfileDesk desk;
    EXPECT_EQ(desk.scale(c.profile, c.format, c.bits), c.right) << c.profile;
    Profile& profile = desk.profile(c.profile);
    std::vector<BlockRow> rows(profile.blocks.begin(), profile.blocks.end());
    for (BlockRow& row : rows) {
      Policies policies{row.element, row.block};
      ASSERT_EQ(set_policy(policies, c.field, c.value), FieldError::kNone);
      row.block = policies.block;
    }
    profile.blocks = rows;
    EXPECT_NE(desk.scale(c.profile, c.format, c.bits), c.right) << c.profile << ' ' << c.field;
  }
}

// The P3109 profiles speak of P3109's formats, not of anything that a user calls binary_...
TEST(ProfileData, FamiliesAreKnownByTheirFacts) {
  const Profile& p3109 = *find_profile("p3109-4.0");
  const ElementFormat member = *make_format("binary8p4se");
  ElementFormat named = member;
  named.name = "binary8p4se";
  EXPECT_TRUE(element_conversion(p3109, formats::fp32, named));
  ElementFormat mine = formats::e4m3fn;
  mine.name = "binary_mine";
  EXPECT_FALSE(element_conversion(p3109, formats::fp32, mine));
  mine.name = "binary8p4se";
  EXPECT_FALSE(element_conversion(p3109, formats::fp32, mine));
  BlockFormat block = *find_block_format("binary8p4se_k32");
  EXPECT_TRUE(block_config(p3109, block, formats::fp32));
  block.element = mine;
  EXPECT_FALSE(block_config(p3109, block, formats::fp32));
}

// A mask that never applied, or always did, would hide nothing or everything.
TEST(ProfileControl, MasksCoverWhatTheySayAndNoMore) {
  const ConversionConfig to{formats::fp32, formats::e4m3fn, {}};
  const std::pair<Masks, std::uint64_t> rows[] = {{kMaskNan, 0x7FC00000},
                                                  {kMaskNegativeNan, 0xFFC00000},
                                                  {kMaskInf, 0x7F800000},
                                                  {kMaskNegative, f32(-1)},
                                                  {kMaskBelowNormal, f32(0x1p-7)},
                                                  {kMaskBelowLowest, f32(0x1p-10)},
                                                  {kMaskOverflow, f32(449)},
                                                  {kMaskNanPayload, 0x7F800001},
                                                  {kMaskBelowHalf, f32(0x1p-10) - 1},
                                                  {kMaskLog2Slip, 0x40FFFFFF},
                                                  {kMaskLog2Top, 0x7F7FFFFF},
                                                  {kMaskFineBelowNormal, f32(0x1p-7) + 1},
                                                  {kMaskNegativeOverflow, f32(-449)},
                                                  {kMaskNegativeInf, 0xFF800000},
                                                  {kMaskAll, f32(1)}};
  for (const auto& [mask, bits] : rows) {
    EXPECT_TRUE(is_masked(mask, to, bits)) << mask;
    EXPECT_FALSE(is_masked(0, to, bits)) << mask;
    EXPECT_EQ(is_masked(mask, to, f32(1.5)), mask == kMaskAll) << mask;
  }
}

TEST(ProfileMasks, EveryOneHasATokenOfItsOwnThatReadsBack) {
  std::set<std::string_view> tokens;
  for (const MaskFacts& each : kMaskFacts) {
    EXPECT_TRUE(tokens.insert(each.token).second) << each.token;
    EXPECT_FALSE(each.text.empty()) << each.token;
    EXPECT_EQ(parse_block_masks(each.token), each.bit) << each.token;
    const bool is_element = (each.bit & kElementMasks) != 0;
    EXPECT_EQ(parse_element_masks(each.token).has_value(), is_element) << each.token;
    EXPECT_EQ(element_mask_tokens(each.bit).size(), is_element ? 1U : 0U) << each.token;
    EXPECT_EQ(mask_text(each.bit), each.text);
  }
  EXPECT_EQ(mask_list(0), "none");
  EXPECT_EQ(mask_list(kMaskNan | kMaskInf), "nan,inf");
  EXPECT_EQ(mask_text(Masks{kMaskNan} | kMaskNanBlock), "NaN, blocks with NaN");
}

TEST(ProfileMasks, EverySetOfAProfileReadsBack) {
  const auto check = [](Masks masks, bool is_element) {
    EXPECT_EQ(parse_block_masks(mask_list(masks)), masks) << mask_list(masks);
    EXPECT_EQ(parse_element_masks(mask_list(masks)).has_value(), is_element || masks == 0)
        << mask_list(masks);
    EXPECT_EQ(masks & (is_element ? kBlockMasks : kElementMasks), 0U) << mask_list(masks);
  };
  for (const Profile& profile : all_profiles()) {
    for (const ElementRow& row : profile.elements) {
      check(row.masks, true);
      for (const ProfileVariant& variant : row.variants) check(variant.masks, true);
    }
    for (const BlockRow& row : profile.blocks) {
      check(row.masks, false);
      for (const ProfileVariant& variant : row.variants) check(variant.masks, false);
    }
  }
}

TEST(ProfileMasks, AListThatIsNoneIsRefused) {
  for (const std::string_view list :
       {"", "nan,", ",nan", "nan,nan", "NaN", "nan inf", "none,nan"}) {
    EXPECT_EQ(parse_element_masks(list), std::nullopt) << list;
    EXPECT_EQ(parse_block_masks(list), std::nullopt) << list;
  }
}

}  // namespace
}  // namespace mx
