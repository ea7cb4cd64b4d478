// SPDX-License-Identifier: Apache-2.0
// A profile answers for what it has rows for, and for nothing else; a mixture is asked for by name.
// spec F23.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "reference/profiles/refusal.hpp"
#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

/// The rows read by a word of their lists, in a way of this test's own.
bool names(std::string_view list, const std::string& name) {
  std::istringstream words{std::string(list)};
  for (std::string word; words >> word;) {
    if (word == "*" || word == name || (word == "binary*" && name.starts_with("binary")))
      return true;
  }
  return false;
}

bool rows_speak_of(const Profile& profile, const std::string& source, const BlockFormat& format) {
  for (const BlockRow& row : profile.blocks) {
    const bool fits =
        format.extent != BlockExtent::kElements || format.elements() >= row.least_block;
    if (fits && names(row.formats, std::string(format.name)) && names(row.sources, source)) {
      return (row.masks & kMaskAllBlocks) == 0;
    }
  }
  return false;
}

bool rows_speak_of(const Profile& profile, const std::string& source, const std::string& to) {
  for (const ElementRow& row : profile.elements) {
    if (names(row.destinations, to) && names(row.sources, source)) {
      return (row.masks & kMaskAll) == 0;
    }
  }
  return false;
}

constexpr const char* kSources[] = {"fp64", "fp32", "tf32", "bf16", "fp16"};
constexpr const char* kSystems[] = {"onnx-ref",      "amd-gfx950-host", "intel-fp8et",
                                    "ml_dtypes-0.6", "torch-2.11/cuda", "torch-2.11/compiled"};

std::vector<std::string> destinations() {
  std::vector<std::string> all = {"sm4",         "e4m3fin",     "e5m2fin", "e5m10fin",
                                  "binary8p4se", "binary6p3uf", "fixed8.4"};
  for (const ElementFormat& format : all_formats()) all.emplace_back(format.name);
  return all;
}

/// Does every block format of a profile come of a row? What is computed beside its rows, and what
/// its rows have and is refused.
struct Strays {
  std::size_t asked = 0;
  std::size_t given = 0;
  std::vector<std::string> wrong;
};

Strays blocks_beside_rows(const Profile& profile, const Profile& rows) {
  ProfileDesk desk;
  Strays strays;
  for (BlockFormat format : all_block_formats()) {
    for (const int size : {0, 1, 8}) {
      if (size != 0 && format.extent != BlockExtent::kElements) continue;
      if (size != 0) format.block_size = size;
      for (const char* const source : kSources) {
        const bool speaks = rows_speak_of(rows, source, format);
        const auto config = block_config(profile, format, desk.format(source));
        ++strays.asked;
        strays.given += config ? 1U : 0U;
        if (config && !speaks) {
          strays.wrong.push_back(std::string(format.name) + " from " + source);
        }
        EXPECT_EQ(config.has_value(), !block_variants(profile, format, desk.format(source)).empty())
            << profile.name << ' ' << format.name << ' ' << source;
      }
    }
  }
  return strays;
}

Strays conversions_beside_rows(const Profile& profile, const Profile& rows) {
  ProfileDesk desk;
  Strays strays;
  for (const std::string& to : destinations()) {
    for (const char* const source : kSources) {
      const bool speaks = rows_speak_of(rows, source, to);
      const bool gives =
          element_conversion(profile, desk.format(source), desk.format(to)).has_value();
      ++strays.asked;
      strays.given += gives ? 1U : 0U;
      if (gives != speaks) strays.wrong.push_back(to + " from " + source);
      EXPECT_EQ(gives, !element_variants(profile, desk.format(source), desk.format(to)).empty())
          << profile.name << ' ' << to << ' ' << source;
    }
  }
  return strays;
}

TEST(ProfileSpeaks, OfBlocksThatItHasRowsForAlone) {
  std::size_t silent = 0;
  for (const Profile& profile : all_profiles()) {
    const Strays strays = blocks_beside_rows(profile, profile);
    EXPECT_TRUE(strays.wrong.empty()) << profile.name << ' ' << strays.wrong.front();
    EXPECT_GT(strays.asked, 500U);
    if (strays.given == 0) ++silent;
    EXPECT_EQ(strays.given == 0, block_formats_of(profile).empty()) << profile.name;
  }
  EXPECT_GE(silent, 13U);
  EXPECT_LT(silent, all_profiles().size() / 2);
  for (const char* const name : kSystems) {
    EXPECT_EQ(blocks_beside_rows(*find_profile(name), *find_profile(name)).given, 0U) << name;
  }
}

TEST(ProfileSpeaks, OfConversionsThatItHasRowsForAlone) {
  for (const Profile& profile : all_profiles()) {
    const Strays strays = conversions_beside_rows(profile, profile);
    EXPECT_TRUE(strays.wrong.empty()) << profile.name << ' ' << strays.wrong.front();
    EXPECT_EQ(strays.given == 0, destinations_of(profile).empty()) << profile.name;
  }
  // triton_kernels has blocks alone.
  EXPECT_EQ(conversions_beside_rows(*find_profile("triton-kernels-3.5"),
                                    *find_profile("triton-kernels-3.5"))
                .given,
            0U);
}

// Control: answers of one profile are not those that another's rows allow.
TEST(ProfileSpeaks, AStrangersAnswersAreSeen) {
  const Profile& other = *find_profile("mxgold-default");
  EXPECT_FALSE(blocks_beside_rows(other, *find_profile("onnx-ref")).wrong.empty());
  EXPECT_FALSE(conversions_beside_rows(other, *find_profile("triton-kernels-3.5")).wrong.empty());
}

TEST(ProfileSpeaks, TheDefaultOfEverything) {
  const Profile& all = *find_profile("mxgold-default");
  for (const BlockFormat& format : all_block_formats()) {
    const auto config = block_config(all, format, formats::fp32);
    ASSERT_TRUE(config) << format.name;
    EXPECT_EQ(config->block.rule, format.rule);
    EXPECT_TRUE(config->format == format);
  }
  // A user's own format keeps what it says of its ties.
  ElementFormat powers = *find_format("e8m0");
  powers.name = "mine";
  powers.parity = Parity::kImplicitOdd;
  const auto own = element_conversion(all, formats::fp32, powers);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->destination == powers);
}

// ---- Mixtures ----

TEST(ProfileMixture, HasTheElementsOfOneAndTheBlockRulesOfAnother) {
  ProfileDesk desk;
  std::size_t made_of = 0;
  for (const Profile& profile : all_profiles()) {
    for (const BlockFormat& format : all_block_formats()) {
      const auto mixed = block_config(profile, format, formats::fp32, "blocks-as=mxgold-default");
      const auto element = element_conversion(profile, formats::fp32, format.element);
      const auto blocks = block_config(desk.profile("mxgold-default"), format, formats::fp32);
      if (!element) {
        EXPECT_FALSE(mixed) << profile.name << ' ' << format.name;
        continue;
      }
      if (!mixed) continue;  // a quantizer that there is not
      ++made_of;
      EXPECT_TRUE(mixed->block == blocks->block) << profile.name << ' ' << format.name;
      ElementPolicy policy = element->policy;
      policy.e8m0_quirk = E8m0Quirk::kNone;
      // The default of single values is another than that of elements.
      if (profile.name == "mxgold-default") policy = ElementPolicy{};
      EXPECT_TRUE(mixed->element == policy) << profile.name << ' ' << format.name;
      EXPECT_TRUE(mixed->format.element == element->destination) << profile.name;
      EXPECT_EQ(block_masks(profile, format, formats::fp32, "blocks-as=mxgold-default"),
                element_masks(profile, formats::fp32, format.element))
          << profile.name << ' ' << format.name;
    }
  }
  EXPECT_GT(made_of, 100U);
}

// Single values of e5m2 overflow to infinity by default, elements of blocks do not.
TEST(ProfileMixture, ElementsOfTheDefaultSaturate) {
  const Profile& standard = *find_profile("mxgold-default");
  const BlockFormat& mxfp8 = *find_block_format("mxfp8_e5m2");
  const auto mixed = block_config(standard, mxfp8, formats::fp32, "blocks-as=ocp-mx-1.0");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->element.overflow, Overflow::kSatFinite);
  const auto single = element_conversion(standard, formats::fp32, formats::e5m2);
  ASSERT_TRUE(single);
  EXPECT_EQ(single->policy.overflow, Overflow::kNoneInfOrNan);
}

TEST(ProfileMixture, TakesVariantsOfBothSides) {
  const Profile& onnx = *find_profile("onnx-ref");
  const BlockFormat& mxfp8 = *find_block_format("mxfp8_e4m3");
  const auto mixed =
      block_config(onnx, mxfp8, formats::fp32, "saturate_0+blocks-as=torchao-0.18:even_up");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->element.overflow, Overflow::kNoneInfOrNan);
  EXPECT_EQ(mixed->block.rule, ScaleRule::kEvenUp);
  EXPECT_EQ(mixed->block.elem_scaling, ElemScaling::kFp32DivNormal);
  // What is open is what either leaves open.
  EXPECT_EQ(block_masks(onnx, mxfp8, formats::fp32, "blocks-as=te"),
            block_masks(*find_profile("te"), mxfp8, formats::fp32));
  EXPECT_EQ(block_masks(onnx, *find_block_format("nvfp4"), formats::fp32, "blocks-as=te"),
            Masks{kMaskInfBlock});
  // Triton's scales below the smallest go with its block rules.
  const auto triton = block_config(onnx, mxfp8, formats::fp32, "blocks-as=triton-kernels-3.5");
  ASSERT_TRUE(triton);
  EXPECT_EQ(triton->element.e8m0_quirk, E8m0Quirk::kOnnxUp);
  // dmx has another format behind this name, to which ONNX does not convert.
  EXPECT_FALSE(block_config(onnx, mxfp8, formats::fp32, "blocks-as=dmx-0.1.11/cpu"));
}

TEST(ProfileMixture, ThatIsNone) {
  const Profile& onnx = *find_profile("onnx-ref");
  const BlockFormat& mxfp8 = *find_block_format("mxfp8_e4m3");
  for (const char* const variant :
       {"blocks-as=", "blocks-as=nobody", "blocks-as=ml_dtypes-0.6", "blocks-as=te:nothing",
        "blocks-as=onnx-ref:blocks-as=mxgold-default", "nothing+blocks-as=te",
        "blocks-as=te+nothing", "saturate_0"}) {
    EXPECT_FALSE(block_config(onnx, mxfp8, formats::fp32, variant)) << variant;
    if (std::string_view(variant) == "saturate_0") continue;
    EXPECT_FALSE(element_conversion(onnx, formats::fp32, formats::e4m3fn, variant)) << variant;
  }
  // Single values have no block rules.
  EXPECT_FALSE(
      element_conversion(onnx, formats::fp32, formats::e4m3fn, "blocks-as=mxgold-default"));
}

TEST(ProfileMixture, NamesArePutTogetherAndTakenApart) {
  EXPECT_EQ(with_blocks_as("te", "ggml"), "te:blocks-as=ggml");
  EXPECT_EQ(with_blocks_as("te:rs", "ggml"), "te:rs+blocks-as=ggml");
  EXPECT_EQ(parts_of("rs+blocks-as=a:b+c").own, "rs");
  EXPECT_EQ(parts_of("rs+blocks-as=a:b+c").blocks_as, "a:b+c");
  EXPECT_EQ(parts_of("rs+cut").own, "rs+cut");
  EXPECT_EQ(parts_of("rs+cut").blocks_as, "");
  EXPECT_EQ(named_profile("te:rs").variant, "rs");
  EXPECT_EQ(named_profile("nobody:rs").profile, nullptr);
}

// ---- What files made before mixtures had names say ----

TEST(ProfileInFiles, MeansTheMixtureWhereThereAreNoBlockRows) {
  for (const char* const name : kSystems) {
    const std::string mixture = std::string(name) + ":blocks-as=mxgold-default";
    EXPECT_EQ(name_in_files(name), mixture);
    EXPECT_EQ(name_in_files(mixture), mixture);
  }
  for (const char* const name : {"mxgold-default", "te", "te:rs", "aimet-2.42", "nobody"}) {
    EXPECT_EQ(name_in_files(name), name);
  }
}

// ---- What a refusal says ----

std::string block_refusal(const char* profile, const char* format, const char* source = "fp32",
                          const char* variant = "") {
  ProfileDesk desk;
  return refusal_of(desk.profile(profile), *find_block_format(format), desk.format(source), variant,
                    "--blocks-as mxgold-default");
}

TEST(ProfileRefusal, NamesWhatTheProfileHas) {
  for (const char* const name : kSystems) {
    const std::string text = block_refusal(name, "mxfp8_e4m3");
    EXPECT_EQ(text.find(std::string("profile ") + name + " ("), 0U) << text;
    EXPECT_NE(text.find("has no block formats; it has conversions to "), std::string::npos) << text;
    EXPECT_NE(text.find("e4m3fn"), std::string::npos) << text;
    EXPECT_NE(text.find("add --blocks-as mxgold-default"), std::string::npos) << text;
  }
  EXPECT_EQ(block_refusal("onnx-ref", "nvfp4"),
            "profile onnx-ref (ONNX Cast, the reference code, 1.23.2) has no block formats; it has "
            "conversions to e4m3fn, e4m3fnuz, e5m2fnuz, e5m2, e2m1fn, e8m0; for its casts under "
            "mxgold's own block rules add --blocks-as mxgold-default");
  // Intel's has no conversion to FP4, so no mixture either.
  EXPECT_EQ(block_refusal("intel-fp8et", "nvfp4").find("blocks-as"), std::string::npos);
  EXPECT_NE(block_refusal("te", "mxfp4")
                .find("te defines mxfp8_e4m3, mxfp8_e5m2, nvfp4, nvfp4_16x16: not mxfp4"),
            std::string::npos);
  EXPECT_NE(
      block_refusal("torchmx-0.1.0/sim", "mxfp4").find("defines mxfp4 from bf16: not from fp32"),
      std::string::npos);
  EXPECT_NE(block_refusal("aimet-2.42", "mxfp4").find("does not model mxfp4 from fp32: "),
            std::string::npos);
  EXPECT_NE(block_refusal("torchao-0.18", "mxfp4", "fp32", "nothing")
                .find("no variant \"nothing\" of mxfp4"),
            std::string::npos);
  EXPECT_NE(block_refusal("onnx-ref", "mxfp4", "fp32", "blocks-as=ml_dtypes-0.6")
                .find("profile ml_dtypes-0.6 (ml_dtypes, 0.6.0+ @b793a6e) has no block formats"),
            std::string::npos);
  const Profile& triton = *find_profile("triton-kernels-3.5");
  EXPECT_NE(refusal_of(triton, formats::fp32, formats::e4m3fn, "")
                .find("has no conversions of single values; it has the block formats mxfp8_e4m3, "),
            std::string::npos);
}

}  // namespace
}  // namespace mx
