// What a run was told of a module that a file describes: options that its operation or its ports
// leave nothing to say are refused by name, and a profile is the module's or refused.
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

using ToldDevice = DeviceTest;

struct Option {
  const char* device;
  const char* text;
  const char* words;
};

// The module's operation decides, and no default of an option that was left out.
constexpr Option kRefused[] = {
    {"fp32_to_e4m3", "--op block", "--op block: "},
    {"fp32_to_e4m3", "--op dot", "--op dot: "},
    {"fp32_to_e4m3", "--block-size 4", "--block-size: says nothing to --op cvt"},
    {"fp32_to_e4m3", "--lanes 8", "--lanes: a record of --op cvt is one number"},
    {"fp32_to_e4m3", "--lengths full", "--lengths full: says nothing to --op cvt"},
    {"fp32_to_e4m3", "--tensor-amax 5", "--tensor-amax: says nothing to --op cvt"},
    {"fp32_to_e4m3", "--unit h100_f16", "--unit: goes with --op mma, not cvt"},
    {"fp32_to_e4m3", "--addend fp32", "--addend: goes with --op dot, not cvt"},
    {"fp32_to_e4m3", "--mode exact_once", "--mode: goes with --op dot, not cvt"},
    {"fp32_to_e4m3", "--operation add", "--operation: goes with --op arith, not cvt"},
    {"fp32_to_e4m3", "--rule floor", "--rule: --op cvt has no such policy"},
    {"fp32_to_e4m3", "--stall heavy", "--stall: "},
    {"fp32_to_e4m3", "--stall mix", "--stall: "},
    {"fp32_to_e4m3", "--reset sweep", "--reset: "},
    {"fp32_to_e4m3", "--profile torch-2.11/cuda", "--profile torch-2.11/cuda sets overflow "},
    {"dot_fp4", "--reset sweep", "--reset: "},
    {"dot_fp4", "--source fp32", "--source: says nothing to --op dot"},
    {"dot_fp4", "--operation add", "--operation: goes with --op arith, not dot"},
    {"dot_fp4", "--lanes 16", "records have 16 lanes, the device 8"},
    {"dot_fp4", "--mode fp32_seq", "mode fp32_seq: the device does exact_once"},
    {"dequantize_fp4", "--random-bits 4", "--random-bits: says nothing to --op dequantize"},
    {"dequantize_fp4", "--source fp32", "--source: says nothing to --op dequantize"},
    {"mma_fp8", "--tensor-amax 5", "--tensor-amax: says nothing to --op mma"}};

TEST_F(ToldDevice, OptionsThatCannotApplyAreRefusedByName) {
  for (const Option& each : kRefused) {
    const ProgramEnd end =
        expect("run " + device(each.device) + " --suite smoke " + each.text, 2, each.words);
    EXPECT_FALSE(end.says("not block")) << end.tail();
  }
}

// What the stimulus was held to and how handshakes were driven stands in every verdict: such a run
// is not the set whole, under any schedule. Of a module that assumes nothing and has no clock,
// nothing is said.
TEST_F(ToldDevice, VerdictsSayWhatTheRunWasHeldTo) {
  const std::string held =
      variant("fp32_to_e4m3",
              {{"\"operation\"",
                "\"assume\": {\"source\": [\"0x3f800000\", \"0x3f800001\"]},\n  \"operation\""}});
  const std::string words =
      "operands held to what the device file assumes: source 3f800000 to 3f800001";
  const std::string reports =
      fmt::format(" --suite smoke --junit {} --html {}", file("held.xml"), file("held.html"));
  expect("run --dut device:" + held + reports, 0, words);
  EXPECT_NE(read(file("held.xml")).find(words), std::string::npos);
  EXPECT_NE(read(file("held.html")).find(words), std::string::npos);
  expect("run --dut device:" + held + " --suite smoke --json", 0, "\"held_to\": \"" + words);
  const ProgramEnd plain = mxgold("run " + device("fp32_to_e4m3") + reports + " --json");
  EXPECT_TRUE(plain.says("\"held_to\": \"\"")) << plain.tail();
  EXPECT_FALSE(plain.says("\"stall\"")) << plain.tail();
  EXPECT_EQ(read(file("held.xml")).find("held_to"), std::string::npos);
  const ProgramEnd light =
      mxgold("run " + device("widen_bf16") + reports + " --json --stall light --reset 3,40");
  EXPECT_TRUE(light.says("\"stall\": \"light\"")) << light.tail();
  EXPECT_TRUE(light.says("\"reset\": \"3,40\"")) << light.tail();
  for (const char* const name : {"held.xml", "held.html"}) {
    EXPECT_NE(read(file(name)).find("3,40"), std::string::npos) << name;
  }
}

// Words that no operand and codes that no answer has: the limit is taken, the next one is not.
TEST_F(ToldDevice, WhatADeviceAssumesFitsItsFields) {
  const auto ran = [&](const std::string& members) {
    return "run --suite smoke --dut device:" +
           variant("fp32_to_e4m3", {{"\"operation\"", members + ",\n  \"operation\""}});
  };
  expect(ran(R"("assume": {"source": [0, "0xffffffff"]})"), 0, "PASS ");
  expect(ran(R"("assume": {"source": "0x100000000"})"), 3,
         "assume.source: 100000000 lies beyond ffffffff");
  const auto with_nan = [&](const std::string& code) {
    return "run --suite smoke --dut device:" +
           variant("fp32_to_e4m3", {{R"("nan": "any")", R"("nan": ["0x7f", ")" + code + R"("])"}});
  };
  expect(with_nan("0xff"), 0, "PASS ");
  expect(with_nan("0x1ff"), 3, "output.nan: 1ff lies beyond ff");
}

TEST_F(ToldDevice, OptionsOfTheModulesOperationAreTaken) {
  expect("run " + device("fp32_to_e4m3") + " --suite smoke --op cvt --source fp32", 0, "PASS ");
  expect("run " + device("fp32_to_e4m3") + " --suite smoke --profile mxgold-default", 0, "PASS ");
  expect("run " + device("fp32_to_e4m3") + " --suite rnd --count 50", 0, "PASS ");
  const std::string dot = "run " + device("dot_fp4") + " --suite smoke ";
  expect(dot + "--lanes 8 --mode exact_once --result fp32 --stall heavy", 0, "PASS ");
}

// A byte of its path that is no UTF-8 costs no verdict.
TEST_F(ToldDevice, AFileMayHaveAnyNameInJson) {
  const std::string odd = file("name_\xFF.json");
  std::filesystem::copy_file(variant("fp32_to_e4m3", {}), odd);
  const ProgramEnd end = expect("run --json --suite smoke --dut device:" + odd + " 2>/dev/null #",
                                0, "name_\xEF\xBF\xBD");
  EXPECT_TRUE(end.says("\"verdict\"")) << end.tail();
}

}  // namespace
}  // namespace mx::sim::test
