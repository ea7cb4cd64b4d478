// A device computes what it was told or the run is refused: what a profile says and what was typed,
// also where it is a default, is never replaced by what the device says of itself.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "reference/catalog/catalog.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

const std::string kExample = "run --dut plugin:" MX_EXAMPLE_PLUGIN;
const std::string kReference = "run --dut plugin:" MX_REFERENCE_PLUGIN;

class Told : public ProgramTest {};

/// A way to a device that offers one value of one policy, and what it computes otherwise.
struct Way {
  const char* arguments;
  bool is_block;
};

constexpr Way kWays[] = {{"cvt,0,source=fp16,destination=e5m2", false},
                         {"block,0,format=mxfp8_e4m3,source=fp32", true},
                         {"clocked,format=mxfp8_e4m3,source=fp32", true}};

/// What a profile says of the formats of a way.
std::optional<Policies> told(const Profile& profile, const Way& way) {
  if (way.is_block) {
    const auto config =
        block_config(profile, *find_block_format("mxfp8_e4m3"), *find_format("fp32"));
    return config ? std::optional(Policies{config->element, config->block}) : std::nullopt;
  }
  const auto config = element_conversion(profile, *find_format("fp16"), *find_format("e5m2"));
  return config ? std::optional(Policies{config->policy, {}}) : std::nullopt;
}

// Every value of every policy as the one that the device has.
TEST_F(Told, APolicyOfAProfileIsTheDevicesOrIsRefused) {
  for (const char* const name : {"te", "mxgold-default"}) {
    for (const Way& way : kWays) {
      const std::optional<Policies> policies = told(*find_profile(name), way);
      ASSERT_TRUE(policies.has_value()) << name << ' ' << way.arguments;
      int taken = 0, refused = 0;
      for (const PolicyField& field : policy_fields()) {
        if (!way.is_block && field.scope == FieldScope::kBlock) continue;
        const std::string value = field.read(*policies);
        for (const std::string_view offered : field.values()) {
          const std::string run = fmt::format("{}:{},{}={} --suite smoke --dry-run --profile {}",
                                              kReference, way.arguments, field.name, offered, name);
          if (offered == value) {
            expect(run, 0, "nothing was compared");
            ++taken;
            continue;
          }
          const ProgramEnd end = expect(run, 2,
                                        fmt::format("{} {}: the device does {} (configuration.{})",
                                                    field.name, value, offered, field.name));
          EXPECT_TRUE(end.says(fmt::format("--profile {}", name))) << end.tail();
          ++refused;
        }
      }
      EXPECT_GT(taken, way.is_block ? 20 : 10) << way.arguments;
      EXPECT_GT(refused, 2 * taken) << way.arguments;
    }
  }
}

TEST_F(Told, WithoutAProfileTheDeviceSaysThePolicies) {
  const std::string cvt = kReference + ":cvt,0,source=fp16,destination=e5m2";
  expect(cvt + ",overflow=none_inf_or_nan --suite smoke", 0, "none_inf_or_nan");
  expect(kExample + " --suite smoke", 0, "PASS ");
  // Another rule, and the policies of the same profile that this plugin leaves open.
  expect(kExample + " --suite smoke --profile quark-0.13", 2, "--profile quark-0.13 sets ");
  expect(kExample + ":clocked --suite smoke --profile quark-0.13", 2, "--profile quark-0.13");
  // An option overrides a profile, and so it does here.
  expect(cvt + ",overflow=none_inf_or_nan --suite smoke --profile te", 2,
         "--profile te sets overflow sat_finite");
  expect(cvt + ",overflow=none_inf_or_nan --suite smoke --profile te --overflow none_inf_or_nan", 0,
         "PASS ");
  const ProgramEnd typed =
      expect(cvt + ",overflow=none_inf_or_nan --suite smoke --profile te --overflow sat_finite", 2,
             "overflow sat_finite: the device does none_inf_or_nan");
  EXPECT_FALSE(typed.says("--profile te sets")) << typed.tail();
}

// N of a profile that draws is told; otherwise it is the device's.
TEST_F(Told, RandomBitsAreTheProfilesWhereItDraws) {
  const std::string narrow = ":cvt,0,source=fp32,destination=e5m2,random_bits=8 --suite smoke ";
  expect(kReference + narrow + "--profile ptx-9.0:rs", 2,
         "--profile ptx-9.0:rs sets random_bits 16: the device does 8");
  expect(kReference + narrow + "--profile ptx-9.0:rs --random-bits 8", 0, "PASS ");
  expect(kReference + narrow + "--profile ptx-9.0 --rounding stochastic_a", 0, "PASS ");
  expect(kReference + narrow + "--rounding stochastic_a", 0, "PASS ");
  expect(kReference + narrow + "--rounding stochastic_a --random-bits 16", 2,
         "random_bits 16: the device does 8");
}

struct Typed {
  const char* offers;
  const char* options;  ///< what the device has by these options, at their defaults
  const char* words;    ///< "": the device does it
};

constexpr Typed kTyped[] = {
    {"cvt,0,source=fp16,destination=e5m2", "--op block", "--op block: "},
    {"cvt,0,source=fp16,destination=e5m2", "--op cvt", ""},
    {"arith,0,format=fp16,operation=multiply", "--operation add",
     "operation add: the device does multiply"},
    {"arith,0,format=fp16,operation=multiply", "--operation multiply", ""},
    {"arith,0,format=fp16,operation=multiply", "", ""},
    {"arith,0,format=fp16,operation=to_integer,integer=u8", "--integer i32",
     "integer i32: the device does u8"},
    {"arith,0,format=fp16,operation=to_integer,integer=u8,out_of_range=indefinite",
     "--out-of-range saturate_nan_max", "out_of_range saturate_nan_max: the device does"},
    {"arith,0,format=fp16,rounding=toward_zero", "--profile mxgold-default",
     "--profile mxgold-default sets rounding ties_to_even"},
    {"dot,64,mode=fp32_seq", "--mode exact_once", "mode exact_once: the device does fp32_seq"},
    {"dot,64,mode=fp32_seq", "", ""},
    {"dot,64,result=bf16", "--result fp32", "result fp32: the device does bf16"},
    {"dot,64,rounding=toward_zero", "--profile mxgold-default",
     "--profile mxgold-default sets rounding ties_to_even"},
    {"dequantize,0,format=mxfp4,result=bf16", "--result fp32", "result fp32: the device does bf16"},
    {"dequantize,0,format=mxfp4,dequant_overflow=saturate", "--profile mxgold-default",
     "--profile mxgold-default sets dequant_overflow inf"},
    {"block,0,format=mxfp4,whole", "--lengths vary", "give --lengths full"},
    {"block,0,format=mxfp4,whole", "", ""},
    {"block,0,format=mxfp4", "--lanes 8", "--lanes 8: "},
    {"clocked,format=mxfp4", "--op block --profile mxgold-default", ""}};

// A default that was typed was asked for.
TEST_F(Told, ATypedDefaultIsNotTheDevicesToReplace) {
  for (const Typed& each : kTyped) {
    const std::string_view words = each.words;
    expect(fmt::format("{}:{} --suite smoke {}", kReference, each.offers, each.options),
           words.empty() ? 0 : 2, words.empty() ? "PASS " : words);
  }
}

// What a device says of policies that its format or its rule does not read is no option's fault.
TEST_F(Told, ADeviceMaySayWhatItDoesNotRead) {
  const std::string says =
      ",int_min=clamp_symmetric,ratio_op=exact,e8m0_quirk=none,zero_in=min_code,random_bits=8";
  expect(kReference + ":block,0,format=mxfp4" + says + " --suite smoke", 0, "PASS ");
  expect(kReference + ":clocked,format=mxfp4" + says + " --suite smoke", 0, "PASS ");
  expect(kReference + ":block,0,format=mxfp4" + says + " --suite smoke --int-min clamp_symmetric",
         2, "--int-min: e2m1fn does not read it");
  expect(kReference + ":block,0,format=mxfp4" + says + " --suite smoke --random-bits 8", 2,
         "--random-bits: rounding ties_to_even draws no random words");
}

// A word that no configuration has is the plugin's fault, and no option's.
TEST_F(Told, WordsThatThereAreNotAreThePlugins) {
  expect(kReference + ":cvt,0,rounding=ties_even", 4,
         "facts(): configuration[0]: rounding is 'ties_even': expected one of ties_to_even, ");
  expect(kReference + ":clocked,rule=flor", 4, "rule is 'flor': expected one of floor, ");
  expect(kReference + ":dot,64,mode=fp32_sequence", 4, "mode is 'fp32_sequence': expected one of ");
  expect(kReference + ":cvt,0,destination=e5m3x", 4,
         "configuration.destination: unknown format 'e5m3x'");
}

// The option goes back into the command that shows a failure again.
TEST_F(Told, AReplaySaysWhatWasTyped) {
  for (const char* const options : {"", "--operation multiply", "--op arith --operation multiply",
                                    "--profile mxgold-default --format fp16"}) {
    const ProgramEnd end = expect(
        fmt::format("{}:arith,0,format=fp16,operation=multiply,code --suite smoke --errors 1 {}",
                    kReference, options),
        1, "FAIL ");
    const std::string replay = replay_in(end);
    EXPECT_NE(replay.find(options), std::string::npos) << replay;
    EXPECT_EQ(mxgold(replay).exit, 1) << replay;
  }
}

// A file of vectors and a failing case say the configuration, and nothing beside them does.
TEST_F(Told, FilesSayTheConfiguration) {
  const std::string golden = gen("--op cvt --source fp16 --format e5m2 --suite smoke --profile te");
  const std::string saturates = kReference + ":cvt,0,overflow=sat_finite ";
  const std::string other = kReference + ":cvt,0,overflow=none_inf_or_nan ";
  expect(saturates + "--vectors " + golden, 0, "PASS ");
  expect(other + "--vectors " + golden, 2, "overflow sat_finite: the device does none_inf_or_nan");
  for (const char* const option : {"--profile mxgold-default", "--op cvt", "--op block",
                                   "--lengths vary", "--operation add", "--result fp32"}) {
    expect(fmt::format("{}--vectors {} {}", saturates, golden, option), 2, "leave the option out");
  }
  const std::string small = file("small.json");
  expect(kReference + ":cvt,0,overflow=sat_finite,code --source fp16 --format e5m2 --profile te " +
             "--suite smoke --shrink " + small,
         1, "FAIL ");
  expect("replay " + small + " --dut plugin:" MX_REFERENCE_PLUGIN ":cvt,0,overflow=sat_finite", 0,
         "PASS ");
  expect("replay " + small + " --dut plugin:" MX_REFERENCE_PLUGIN ":cvt,0,overflow=none_inf_or_nan",
         2, "");
}

}  // namespace
}  // namespace mx::sim::test
