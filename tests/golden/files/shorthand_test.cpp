// A configuration in one line: every configuration that names spell comes back whole, and a word
// that means nothing is refused by name.
#include <gmock/gmock.h>

#include <unistd.h>

#include <fstream>
#include <map>

#include "golden/configuration/named_formats.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/configuration/text.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

Configuration parsed(std::string_view text) {
  static FormatCatalog catalog(emulators::make_cast);
  const Checked<Configuration> result = parse_shorthand(text, catalog);
  EXPECT_TRUE(result) << text << ": " << result.problem();
  return result ? *result : Configuration{};
}

std::string problem(std::string_view text) {
  FormatCatalog catalog(emulators::make_cast);
  return std::string(parse_shorthand(text, catalog).problem());
}

/// The configuration comes back from its shorthand with every field.
void expect_round_trip(const Configuration& configuration) {
  const std::optional<std::string> text = shorthand_of(configuration);
  ASSERT_TRUE(text) << summary_of(configuration);
  EXPECT_EQ(fields_of(parsed(*text)), fields_of(configuration)) << *text;
}

/// A configuration file with this text; its path has no blanks.
std::string config_file(const std::string& text) {
  const std::string path = testing::TempDir() + "shorthand_" + std::to_string(::getpid()) + ".toml";
  std::ofstream(path) << text;
  return path;
}

TEST(Shorthand, AConfigurationFileSaysWhatTheLineDoesNot) {
  const std::string path = config_file(
      "format = 'MXFP8_E4M3'\nsource = 'bf16'\nrounding = 'RTZ'\nprofile = 'te'\nlanes = 8\n");
  EXPECT_EQ(fields_of(parsed("config=" + path)),
            fields_of(parsed("format=mxfp8_e4m3 source=bf16 rounding=toward_zero profile=te")));
  // The line goes before the file, the file before the profile.
  EXPECT_EQ(fields_of(parsed("config=" + path + " rounding=RNA")),
            fields_of(parsed("format=mxfp8_e4m3 source=bf16 rounding=RNA profile=te")));
  EXPECT_NE(fields_of(parsed("config=" + path)),
            fields_of(parsed("format=mxfp8_e4m3 source=bf16 profile=te")));
  // What other operations call the format.
  const std::string e4m3 = config_file("op = 'cvt'\nformat = 'e4m3fn'\n");
  EXPECT_EQ(fields_of(parsed("config=" + e4m3)), fields_of(parsed("op=cvt destination=e4m3fn")));
  EXPECT_EQ(fields_of(parsed("op=arith operation=add config=" + config_file("format = 'fp16'"))),
            fields_of(parsed("op=arith operation=add format=fp16")));
  EXPECT_EQ(fields_of(parsed("op=dot config=" + config_file("format = 'mxfp4'"))),
            fields_of(parsed("op=dot a=mxfp4")));
}

TEST(Shorthand, AConfigurationFileThatIsNoneIsRefused) {
  EXPECT_THAT(problem("config=" + config_file("ronding = 'RNE'")),
              HasSubstr(":1: unknown key 'ronding'; did you mean 'rounding'?"));
  EXPECT_THAT(problem("config=" + config_file("format = ['mxfp4', 'nvfp4']")),
              HasSubstr(":1: format: has 2 values; a model takes one"));
  EXPECT_THAT(problem("format=mxfp4 config=" + config_file("acc-format = 'fp32'")),
              HasSubstr("options of the program say this"));
  EXPECT_THAT(problem("config=/nowhere.toml"), HasSubstr("cannot read the configuration file"));
  // A key that the operation has not.
  EXPECT_THAT(problem("op=arith operation=add config=" + config_file("rule = 'floor'")),
              HasSubstr("rule"));
}

TEST(Shorthand, DefaultsAreThoseOfTheProfile) {
  const Configuration given = parsed("format=mxfp4");
  const auto wanted =
      block_config(*find_profile("mxgold-default"), *find_block_format("mxfp4"), formats::fp32);
  EXPECT_EQ(fields_of(given), fields_of({*wanted, {}}));
  const auto element =
      element_conversion(*find_profile("mxgold-default"), formats::fp32, formats::e5m2);
  EXPECT_EQ(fields_of(parsed("op=cvt destination=e5m2")), fields_of({*element, {}}));
}

// Files and lines say their policy, whatever the default is when they are read.
TEST(Shorthand, AnotherPolicyThanTheDefaultIsSaid) {
  const Configuration usual = parsed("op=cvt destination=e5m2");
  EXPECT_EQ(std::get<ConversionConfig>(usual.what).policy.overflow, Overflow::kNoneInfOrNan);
  EXPECT_EQ(shorthand_of(usual), "op=cvt source=fp32 destination=e5m2 profile=mxgold-default");
  EXPECT_EQ(summary_of(usual), "source fp32, destination e5m2");
  Configuration saturating = usual;
  std::get<ConversionConfig>(saturating.what).policy.overflow = Overflow::kSatFinite;
  EXPECT_NE(shorthand_of(saturating).value_or("").find(" overflow=sat_finite"), std::string::npos);
  EXPECT_NE(summary_of(saturating).find("overflow sat_finite"), std::string::npos);
  expect_round_trip(saturating);
}

TEST(Shorthand, TheSignOfAnAccumulatorsZeroComesBack) {
  const Configuration given =
      parsed("op=dot a=mxfp8_e4m3 mode=accumulator acc_group=1 acc_zero_sign=ieee");
  EXPECT_EQ(std::get<DotCase>(given.what).dot.accumulator.zero_sign, DotZeroSign::kIeee);
  expect_round_trip(given);
  EXPECT_NE(problem("op=dot a=mxfp4 acc_zero_sign=ieee"), "") << "there is no accumulator";
}

TEST(Shorthand, IntegersAreOfTheOperationsThatHaveThem) {
  FormatCatalog catalog(emulators::make_cast);
  const auto refused = [&](std::string_view text, const char* why) {
    const auto found = parse_shorthand(text, catalog);
    ASSERT_FALSE(found) << text;
    EXPECT_NE(found.problem().find(why), std::string_view::npos) << found.problem();
  };
  EXPECT_EQ(fields_of(parsed("op=arith operation=to_integer integer=u64 out_of_range=indefinite")),
            fields_of(arith(ArithmeticOperation::kToInteger, formats::fp32,
                            {IntegerType::kU64, OutOfRange::kIndefinite})));
  refused("op=arith operation=add integer=i32", "no such field");
  refused("op=arith operation=from_integer out_of_range=indefinite", "no such field");
  refused("op=arith operation=to_integer integer=i24", "one of i8, u8, i16");
}

// A format by name is that format; what its own words say may stand beside it.
TEST(Shorthand, FactsOfAnotherFormatAreRefused) {
  for (const auto& [text, why] : {std::pair{"format=mxfp4 element=e4m3fn",
                                            "element=e4m3fn: the format that the words name has"},
                                  {"format=mxfp4 rule_emax=7", "rule_emax=7"},
                                  {"format=mxfp8_e4m3 scale=ue4m3", "scale=ue4m3"},
                                  {"op=dequantize format=mxfp4 element=e4m3fn", "element=e4m3fn"},
                                  {"op=dot a=mxfp4 a_element=e4m3fn", "a_element=e4m3fn"},
                                  {"op=dot a=mxfp4 b=mxfp8_e4m3 b_scale=ue4m3", "b_scale=ue4m3"}}) {
    EXPECT_NE(problem(text).find(why), std::string::npos) << text << ": " << problem(text);
  }
  EXPECT_EQ(fields_of(parsed("format=mxfp4 element=e2m1fn")), fields_of(parsed("format=mxfp4")));
}

// Words that the others leave nothing to say: the scale of a tensor where there is one level, an
// accumulator where there is none.
TEST(Shorthand, IdleWordsAreRefused) {
  for (const char* const text :
       {"format=mxfp4 tensor_amax=45280000", "format=mxfp4 stored_tensor_scale=40000000",
        "op=dot a=mxfp4 acc_group=4", "op=dot a=mxfp4 mode=fp32_seq acc_order=tree"}) {
    EXPECT_NE(problem(text), "") << text;
  }
  EXPECT_EQ(problem("format=nvfp4 tensor_amax=45280000"), "");
  EXPECT_EQ(problem("op=dot a=mxfp4 mode=accumulator acc_group=4"), "");
}

TEST(Shorthand, WordsComeInAnyOrder) {
  EXPECT_EQ(fields_of(parsed("rounding=to_odd  format=mxfp8_e4m3 rule=rceil source=bf16")),
            fields_of(parsed("\tsource=bf16 rule=rceil format=mxfp8_e4m3\nrounding=to_odd ")));
}

// Property: shorthand and header say the same. Every operation, every policy at every value.
TEST(Shorthand, EveryPolicyOfEveryOperationComesBack) {
  const std::vector<Configuration> bases = {conversion(formats::fp32, formats::e4m3fn),
                                            block(formats::bf16, "mxfp8_e4m3"),
                                            block(formats::fp32, "nvfp4"),
                                            dot("mxfp8_e4m3", "mxfp4", Addend::kPresent),
                                            arith(ArithmeticOperation::kFma, formats::fp16),
                                            dequantize("nvfp4", formats::bf16)};
  std::map<Operation, int> tried;
  for (const Configuration& base : bases) {
    expect_round_trip(base);
    const auto policies = policies_of(base);
    for (const PolicyField& field : policy_fields()) {
      if (!policies || !is_policy_of(base.operation(), field)) continue;
      for (const std::string_view value : field.values()) {
        Policies changed = *policies;
        ASSERT_TRUE(field.write(changed, value));
        const Configuration each = with_policies(base, changed);
        if (!problem_of(each).empty()) continue;
        expect_round_trip(each);
        ++tried[base.operation()];
      }
    }
  }
  for (const Configuration& each : some_casts()) expect_round_trip(each);
  for (const Configuration& each : every_integer_conversion(formats::fp16)) {
    expect_round_trip(each);
  }
  for (const Configuration& each : every_unit()) expect_round_trip(each);
  EXPECT_GT(tried[Operation::kCvt], 40);
  EXPECT_GT(tried[Operation::kBlock], 100);
  EXPECT_GT(tried[Operation::kArith], 40);
  EXPECT_GT(tried[Operation::kDequantize], 10);
}

/// A program that hands out no maker of casts has none.
TEST(Shorthand, CastsAreThoseOfTheProgram) {
  for (const Configuration& each : some_casts()) {
    const std::string text = shorthand_of(each).value();
    FormatCatalog with(emulators::make_cast);
    EXPECT_TRUE(parse_shorthand(text, with)) << text;
    FormatCatalog without;
    EXPECT_THAT(std::string(parse_shorthand(text, without).problem()),
                ::testing::HasSubstr("this program has no emulated packages"));
  }
}

// Property: a profile by name is the profile, its variants and what it leaves open included.
TEST(Shorthand, EveryProfileComesBack) {
  int blocks = 0;
  int elements = 0;
  int open = 0;
  for (const Profile& profile : all_profiles()) {
    for (const BlockFormat& format : all_block_formats()) {
      for (const std::string_view variant : block_variants(profile, format, formats::fp32)) {
        const auto config = block_config(profile, format, formats::fp32, variant);
        if (!config) continue;
        const std::string name =
            std::string(profile.name) + (variant.empty() ? "" : ":" + std::string(variant));
        const Masks masks = block_masks(profile, format, formats::fp32, variant);
        expect_round_trip({*config, {name, "", masks}});
        ++blocks;
        open += masks != 0 ? 1 : 0;
      }
    }
    const ElementFormat& to = formats::e4m3fn;
    for (const std::string_view variant : element_variants(profile, formats::fp32, to)) {
      const auto config = element_conversion(profile, formats::fp32, to, variant);
      if (!config) continue;
      const std::string name =
          std::string(profile.name) + (variant.empty() ? "" : ":" + std::string(variant));
      expect_round_trip({*config, {name, "", element_masks(profile, formats::fp32, to, variant)}});
      ++elements;
    }
  }
  EXPECT_GT(blocks, 100);
  EXPECT_GT(elements, 20);
  EXPECT_GT(open, 5);
}

TEST(Shorthand, AMixtureIsSaidByName) {
  const Configuration mixed =
      parsed("format=mxfp8_e5m2 profile=ml_dtypes-0.6:saturate blocks_as=mxgold-default");
  EXPECT_EQ(mixed.origin.profile, "ml_dtypes-0.6:saturate+blocks-as=mxgold-default");
  EXPECT_EQ(std::get<QuantizerConfig>(mixed.what).element.overflow, Overflow::kSatFiniteKeepInf);
  expect_round_trip(mixed);
  const std::string name = "profile=" + mixed.origin.profile;
  EXPECT_EQ(fields_of(parsed("format=mxfp8_e5m2 " + name)), fields_of(mixed));
  expect_round_trip(parsed("op=dequantize format=nvfp4 profile=onnx-ref blocks_as=te"));
  // As older files have it: the profile of the elements alone.
  Configuration old = mixed;
  old.origin.profile = "ml_dtypes-0.6:saturate";
  EXPECT_EQ(named_format_problem(old), "");
  EXPECT_EQ(shorthand_of(old), shorthand_of(mixed));
  old.origin.profile = "te";
  EXPECT_NE(named_format_problem(old), "");
}

TEST(Shorthand, TheMaximumOfATensorSetsItsScale) {
  // 448 is 2688 / 6: the scale of NVFP4 is fl32(448 / 2688).
  const Configuration given = parsed("format=nvfp4 tensor_amax=43e00000");
  const auto& config = std::get<QuantizerConfig>(given.what);
  EXPECT_EQ(config.tensor, tensor_level(config, decode(formats::fp32, 0x43E00000)));
  EXPECT_NE(config.tensor.scale, 0x3F800000U);
  const Configuration fixed =
      parsed("format=nvfp4 tensor_amax=43e00000 stored_tensor_scale=40000000");
  EXPECT_EQ(std::get<QuantizerConfig>(fixed.what).tensor.scale, 0x40000000U);
}

TEST(Shorthand, SaysWhatWasChosen) {
  EXPECT_EQ(parsed("format=mxfp4 rule=ceil rounding=to_odd").origin.chosen, "rounding,rule");
  EXPECT_EQ(parsed("format=mxfp4").origin.chosen, "");
}

TEST(Shorthand, RefusesByName) {
  EXPECT_THAT(problem(""), HasSubstr("format= is missing"));
  EXPECT_THAT(problem("mxfp4"), HasSubstr("\"mxfp4\" is no NAME=VALUE"));
  EXPECT_THAT(problem("format="), HasSubstr("\"format=\" is no NAME=VALUE"));
  EXPECT_THAT(problem("format=mxfp4 format=mxfp4"), HasSubstr("format= stands twice"));
  EXPECT_THAT(problem("format=mxfp5"), HasSubstr("format=mxfp5: no block format"));
  EXPECT_THAT(problem("format=mxfp4 source=fp31"), HasSubstr("source=fp31: no element format"));
  EXPECT_THAT(problem("op=quantize format=mxfp4"), HasSubstr("op=quantize: one of cvt, block"));
  EXPECT_THAT(problem("format=mxfp4 profile=nobody"), HasSubstr("profile=nobody: no profile"));
  EXPECT_THAT(problem("format=mxfp4 profile=ocp-mx-1.0:nothing"),
              HasSubstr("has no variants of mxfp4"));
  EXPECT_THAT(problem("format=nvfp4 profile=onnx-ref"),
              HasSubstr("has no block formats; it has conversions to e4m3fn, "));
  EXPECT_THAT(problem("format=nvfp4 profile=onnx-ref"), HasSubstr("add blocks_as=mxgold-default"));
  EXPECT_THAT(problem("op=dequantize format=nvfp4 profile=onnx-ref"),
              HasSubstr("has no block formats"));
  EXPECT_THAT(problem("op=cvt destination=e4m3fn profile=triton-kernels-3.5"),
              HasSubstr("has no conversions of single values"));
  EXPECT_THAT(problem("format=nvfp4 profile=onnx-ref blocks_as=ml_dtypes-0.6"),
              HasSubstr("has no block formats"));
  EXPECT_THAT(problem("op=cvt destination=e4m3fn profile=onnx-ref blocks_as=te"),
              HasSubstr("says nothing of single values"));
  EXPECT_THAT(problem("op=dot a=mxfp4 blocks_as=te"), HasSubstr("blocks_as=te: op=dot has no"));
  EXPECT_THAT(problem("format=mxfp4 rounding=up"), HasSubstr("rounding is \"up\""));
  EXPECT_THAT(problem("format=mxfp4 mode=exact_once"), HasSubstr("op=block has no such field"));
  EXPECT_THAT(problem("format=mxfp4 element_definition=by_name"), HasSubstr("no such field"));
  EXPECT_THAT(problem("format=mxfp4 block_size=0"), HasSubstr("block_size=0: a number from 1"));
  EXPECT_THAT(problem("format=mxfp4 block_size=4x"), HasSubstr("block_size=4x: a number from 1"));
  EXPECT_THAT(problem("format=nvfp4 tensor_amax=7f800000"), HasSubstr("not made of finite"));
  EXPECT_THAT(problem("op=cvt destination=e4m3fn random_bits=99"), HasSubstr("random_bits"));
  EXPECT_THAT(problem("op=dot a=mxfp4 rounding=stochastic_a"), HasSubstr("cannot be computed"));
}

}  // namespace
}  // namespace mx::golden
