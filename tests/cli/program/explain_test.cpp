// `mxgold explain` and `mxgold list`: what people and machines read.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/format/table.hpp"
#include "tests/cli/program/program_json.hpp"

namespace mx::cli::test {
namespace {

using nlohmann::json;

std::string run_text(const std::vector<std::string>& arguments) {
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

TEST(Explain, ShowsTheWorkedBlockStepByStep) {
  expect_lines(
      run_text({"explain", "--format", "mxfp8_e4m3", "--source", "fp32", "40490FDB", "BF400000",
                "3C000000", "3A83126F"}),
      {"amax       lane 0: 3.1415927410125732421875 (0x1.921fb6p+1)",
       "scale      floor_log2(amax) 1 + 127 - e_max 8 + 0 = 120", "code 78 = 0.0078125 (0x1p-7)",
       "scaled     402.123870849609375", "lower      magnitude code 7C = 384", "midpoint   400",
       "upper      magnitude code 7D = 416", "guard 1, sticky 1, lsb 0",
       "ties_to_even: above the midpoint: magnitude up", "code       EC = -96",
       "back       0.0009765625", "result: scale 78 codes 7D EC 38 20; flags inexact"});
}

TEST(Explain, ShowsHowANumberBecameBits) {
  const json rounded = run_json({"explain", "--format", "e4m3fn", "0.1"})["values"][0];
  EXPECT_EQ(rounded["input"]["bits"], "3DCCCCCD");
  EXPECT_EQ(rounded["input"]["rounded_into_source"], true);
  EXPECT_EQ(rounded["input"]["value"]["decimal"], "0.100000001490116119384765625");
  const json exact = run_json({"explain", "--format", "e4m3fn", "1.0625"})["values"][0];
  EXPECT_EQ(exact["input"]["rounded_into_source"], false);
  EXPECT_EQ(exact["code"], "38");
  EXPECT_EQ(exact["neighbours"]["guard"], 1);
  EXPECT_EQ(exact["neighbours"]["sticky"], 0);
  EXPECT_EQ(exact["decision"],
            "ties_to_even: at the midpoint, the lower neighbour is even: magnitude stays");
}

TEST(Explain, TakesBitsAndNumbersOfEverySource) {
  for (const auto& [source, text, bits] : {std::tuple{"fp32", "0x3F800000", "3F800000"},
                                           {"bf16", "3F80", "3F80"},
                                           {"fp16", "1.0", "3C00"},
                                           {"fp64", "3FF0000000000000", "3FF0000000000000"},
                                           {"e4m3fn", "0x38", "38"},
                                           {"fp32", "40000000", "40000000"},
                                           {"fp32", "-0x1p-149", "80000001"},
                                           {"fp32", "-inf", "FF800000"},
                                           {"fp32", "-nan", "FFC00000"}}) {
    const json result =
        run_json({"explain", "--format", "e5m2", "--source", source, text})["values"][0];
    EXPECT_EQ(result["input"]["bits"], bits) << text;
    EXPECT_EQ(result["input"]["text"], text);
  }
}

TEST(Explain, RefusesWhatCouldBeBitsOrANumber) {
  const ProgramEnd outcome = run_program({"explain", "--format", "e5m2", "40000000"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("0x40000000"), std::string::npos) << outcome.err;
}

TEST(Explain, UsesTheRandomBitsGiven) {
  // nu = 1/4, N = 3: up iff R >= 6.
  const auto code = [](const char* random) {
    return run_json({"explain", "--format", "e4m3fn", "--rounding", "stochastic_a", "--random-bits",
                     "3", "--random", random, "1.03125"})["values"][0]["code"];
  };
  EXPECT_EQ(code("5"), "38");
  EXPECT_EQ(code("6"), "39");
  // G12: nu = 7/16; A goes up for R >= 5, B for R >= 4.
  const json both =
      run_json({"explain", "--format", "e4m3fn", "--rounding", "stochastic_b", "--random-bits", "3",
                "--random", "3,4", "1.0546875", "1.0546875"})["values"];
  EXPECT_EQ(both[0]["code"], "38");
  EXPECT_EQ(both[1]["code"], "39");
}

TEST(Explain, NamesSpecialBlocksAndOverflow) {
  expect_lines(run_text({"explain", "--format", "mxfp4", "1.0", "nan"}),
               {"a NaN in the block", "code FF = nan", "(don't care)"});
  expect_lines(run_text({"explain", "--format", "mxfp4", "1.0", "inf", "--inf-block", "scale_max"}),
               {"inf_block scale_max", "code FE"});
  expect_lines(run_text({"explain", "--format", "mxfp4", "0.0", "-0.0"}),
               {"a block of zeros: zero_block_scale code_00", "codes 0 8"});
  expect_lines(run_text({"explain", "--format", "mxfp4", "7.0"}),
               {"upper      magnitude code 8 = 8 (0x1p+3), beyond the format",
                "beyond the largest value: overflow policy sat_finite", "code       7 = 6"});
  expect_lines(
      run_text({"explain", "--format", "e4m3fn", "--staging", "via_fp16", "1.0626220703125"}),
      {"seen as    1.0625 (0x1.1p+0) (src_ftz keep, staging via_fp16)", "code       38"});
}

// spec F16.1: a conversion to a format that has infinities is IEEE's unless an option says
// otherwise; without them, and as elements of blocks, values saturate.
TEST(Explain, ConversionsToFormatsWithInfinitiesAreIeees) {
  const auto codes = [](std::vector<std::string> options) {
    options.insert(options.begin(), "explain");
    std::vector<std::string> list;
    const auto found = run_json(options);
    const auto& all = found.contains("values") ? found["values"] : found["block"]["elements"];
    for (const auto& each : all) list.push_back(each["code"].get<std::string>());
    return list;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(codes({"--source", "e5m2", "--format", "bf16", "7c", "fc"}), (List{"7F80", "FF80"}));
  EXPECT_EQ(codes({"--format", "bf16", "0x7f7fffff", "0xff7fffff"}), (List{"7F80", "FF80"}));
  EXPECT_EQ(codes({"--format", "fp16", "70000", "65519", "65520", "-65520"}),
            (List{"7C00", "7BFF", "7C00", "FC00"}));
  EXPECT_EQ(codes({"--format", "fp16", "--rounding", "toward_zero", "70000"}), List{"7BFF"});
  EXPECT_EQ(codes({"--format", "fp16", "--overflow", "sat_finite", "inf"}), List{"7BFF"});
  EXPECT_EQ(codes({"--format", "e5m2", "--profile", "ptx-9.0", "inf"}), List{"7B"});
  EXPECT_EQ(codes({"--format", "e4m3fn", "inf", "1000"}), (List{"7E", "7E"}));
  EXPECT_EQ(codes({"--format", "mxfp8_e5m2", "61440", "1"}).front(), "7B");
}

TEST(Explain, ScaleArithmeticAddsUpUnderEveryRule) {
  for (const char* rule : {"floor", "ceil", "rceil", "even_up", "even_down"}) {
    for (const char* amax : {"6.5", "7.0", "7.5", "1e-44", "3e38"}) {
      const json scale =
          run_json({"explain", "--format", "mxfp4", "--rule", rule, amax})["block"]["scale"];
      EXPECT_EQ(scale["unclamped"], scale["floor_log2_amax"].get<int>() + 127 -
                                        scale["e_max"].get<int>() + scale["added"].get<int>());
      const int clamped = std::clamp(scale["unclamped"].get<int>(), 0, 254);
      EXPECT_EQ(std::stoi(scale["code"].get<std::string>(), nullptr, 16), clamped);
      EXPECT_EQ(scale["clamped"], clamped != scale["unclamped"].get<int>());
    }
  }
}

TEST(List, NamesEveryFormatForPeopleAndMachines) {
  const std::string text = run_text({"list"});
  const json all = run_json({"list"});
  ASSERT_EQ(all["formats"].size(), all_formats().size());
  for (std::size_t i = 0; i < all_formats().size(); ++i) {
    const std::string name(all_formats()[i].name);
    EXPECT_EQ(all["formats"][i]["name"], name);
    EXPECT_NE(text.find("  " + name + " "), std::string::npos) << name;
  }
  EXPECT_EQ(all["blocks"].size(), all_block_formats().size() + named_only_formats().size());
  EXPECT_GE(all["rules"].size(), 5U);
  EXPECT_GE(all["roundings"].size(), 13U);
  EXPECT_GE(all["policies"].size(), 19U);
  EXPECT_EQ(all["profiles"][0]["name"], "mxgold-default");
}

// What `run` says of a suite that there is not names all that it takes.
TEST(List, NamesEverySuiteThatARunTakes) {
  const ProgramEnd refused = run_program({"run", "--suite", "none-such", "--dut", "reference"});
  EXPECT_EQ(refused.status, 2);
  const std::string known = refused.err.substr(refused.err.find("known: "));
  const auto commas = std::count(known.begin(), known.end(), ',');
  const json suites = run_json({"list", "suites"})["suites"];
  EXPECT_EQ(suites.size(), static_cast<std::size_t>(commas) + 1) << known;
  for (const json& each : suites) {
    const auto name = each["name"].get<std::string>();
    EXPECT_NE(known.find(name), std::string::npos) << name << " in " << known;
  }
}

TEST(List, GivesTheParametersOfTheFormatTable) {
  const json formats = run_json({"list", "formats"})["formats"];
  const auto row = [&](const char* name) {
    for (const json& each : formats) {
      if (each["name"] == name) return each;
    }
    return json();
  };
  EXPECT_EQ(row("e4m3fn")["max"]["decimal"], "448");
  EXPECT_EQ(row("e4m3fn")["min_positive"]["decimal"], "0.001953125");
  EXPECT_EQ(row("e5m2")["max"]["decimal"], "57344");
  EXPECT_EQ(row("e3m2fn")["max"]["decimal"], "28");
  EXPECT_EQ(row("e2m3fn")["max"]["decimal"], "7.5");
  EXPECT_EQ(row("e2m1fn")["max"]["decimal"], "6");
  EXPECT_EQ(row("int8")["max"]["decimal"], "1.984375");
  EXPECT_EQ(row("e8m0")["max"]["hex"], "0x1p+127");
  EXPECT_EQ(row("e8m0")["min_positive"]["hex"], "0x1p-127");
  EXPECT_EQ(row("fp16")["min_normal"]["hex"], "0x1p-14");
}

// spec F17, G12: the words of one PTX cvt.rs; AMD takes the top bits.
TEST(Explain, MakesRandomWordsAsOtherSystemsDo) {
  const std::vector<std::string> common = {"explain",    "--format",     "e4m3fn",
                                           "--rounding", "stochastic_a", "--random-source"};
  const auto with = [&](std::vector<std::string> rest) {
    rest.insert(rest.begin(), common.begin(), common.end());
    return rest;
  };
  // 1.03125 lies a quarter of the way: up for R >= 0xC000.
  const json four = run_json(with({"ptx_rs_shared", "--rbits", "1FFFFFFB", "--random-bits", "16",
                                   "1.03125", "1.03125", "1.03125", "1.03125"}));
  ASSERT_EQ(four["values"].size(), 4U);
  EXPECT_EQ(four["values"][0]["code"], "39");  // rev(1FFF) = FFF8
  EXPECT_EQ(four["values"][1]["code"], "38");  // 1FFF
  EXPECT_EQ(four["values"][2]["code"], "39");  // rev(FFFB) = DFFF
  EXPECT_EQ(four["values"][3]["code"], "39");  // FFFB
  const json amd = run_json(with({"amd_top_bits", "--rbits", "0xC0000000,0xBFFFFFFF",
                                  "--random-bits", "20", "1.03125", "1.03125"}));
  EXPECT_EQ(amd["values"][0]["code"], "39");
  EXPECT_EQ(amd["values"][1]["code"], "38");
}

TEST(Explain, RefusesRandomWordsThatDoNotFit) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"--rbits", "1"}, "go together"},
      {{"--random-source", "ptx_rs_shared"}, "go together"},
      {{"--random-source", "ptx", "--rbits", "1"}, "ptx_rs_shared"},
      {{"--random-source", "ptx_rs_shared", "--rbits", "1", "--random-bits", "8"},
       "--random-bits 16"},
      {{"--random-source", "amd_top_bits", "--rbits", "1", "--random-bits", "16"},
       "--random-bits 20"},
      {{"--random-source", "amd_top_bits", "--rbits", "1,2", "--random-bits", "20"},
       "2 words for 1 inputs"},
      {{"--random-source", "amd_top_bits", "--rbits", "1G", "--random-bits", "20"},
       "hexadecimal digits"},
      {{"--random-source", "amd_top_bits", "--rbits", "1", "--random", "1"}, "not both"}};
  for (const auto& [rest, says] : cases) {
    std::vector<std::string> arguments = {"explain", "--format", "e4m3fn", "--rounding",
                                          "stochastic_a"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    arguments.emplace_back("1.5");
    const ProgramEnd outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 2) << says;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace mx::cli::test
