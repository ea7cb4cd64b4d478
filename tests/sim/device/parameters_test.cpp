// SPDX-License-Identifier: Apache-2.0
// Our RTL under parameters (`--dut rtl:Lanes=8,...`): which lists are taken, what a build is asked,
// and that a fault in it is seen.
#include <fmt/format.h>

#include <string>

#include "sim/parameters/built.hpp"
#include "sim/rtl/load.hpp"
#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

using RtlParametersRun = DeviceTest;

constexpr const char* kSmall =
    "Lanes=8,InFmtMask=4,FmtMask=0x10,RoundMask=1,RuleMask=1,PolicyMask=0";

std::string problem_of(const std::string& list) {
  return std::string(parse_rtl_parameters(list).problem());
}

// At and beside each limit; what lies between two powers of two is none.
TEST(RtlParameterList, LimitsAreTakenAndWhatIsBeyondIsRefusedByName) {
  for (const RtlParameter& each : kRtlParameters) {
    const std::string blocks = each.name == "BlockSize" ? "Lanes=16," : "";
    const auto problem = [&](std::int64_t value) {
      return problem_of(fmt::format("{}{}={}", blocks, each.name, value));
    };
    EXPECT_EQ(problem(each.least), "");
    EXPECT_EQ(problem(each.most), "");
    EXPECT_EQ(problem(each.otherwise), "");
    for (const std::int64_t beyond : {std::int64_t{each.least} - 1, std::int64_t{each.most} + 1}) {
      EXPECT_NE(problem(beyond).find(fmt::format("{}={}: give ", each.name, beyond)),
                std::string::npos);
    }
    EXPECT_EQ(problem(std::int64_t{each.least} + 1).empty(), each.takes(each.least + 1));
    EXPECT_EQ(problem(std::int64_t{each.most} - 1).empty(), each.takes(each.most - 1));
  }
  EXPECT_NE(problem_of("Lanes=24").find("1, 2, 4, 8, 16 or 32"), std::string::npos);
}

TEST(RtlParameterList, WrongListsNameThePartAndTheRemedy) {
  EXPECT_NE(problem_of("lanes=8").find("did you mean 'Lanes'"), std::string::npos);
  EXPECT_NE(problem_of("Lanes=8,Lanes=8").find("Lanes is given twice"), std::string::npos);
  EXPECT_NE(problem_of("BlockSize=16").find("give Lanes=16 too"), std::string::npos);
  for (const char* const list : {"Lanes=", "Lanes=8x", "Lanes=0x", "Lanes=4294967304"}) {
    EXPECT_NE(problem_of(list).find("give 1, 2"), std::string::npos) << list;
  }
  for (const char* const list : {"Lanes=8,", "Lanes=8,sources_flushed", "no_fault,Lanes=8"}) {
    EXPECT_NE(problem_of(list).find("is no NAME=VALUE"), std::string::npos) << list;
  }
  EXPECT_EQ(parse_rtl_parameters("Lanes=0x8")->of("Lanes"), 8U);
  EXPECT_NE(parse_rtl_parameters("sources_flushed,Lanes=8")->fault, 0);
}

// The module's header has the same names and defaults.
TEST(RtlParameterList, IsTheModulesOwn) {
  std::string top;
  for (const RtlSource& each : rtl_sources()) {
    if (each.name == "mx_quantizer.sv") top = each.text;
  }
  std::size_t count = 0;
  constexpr std::string_view kParameter = "    parameter int ";
  for (std::size_t at = top.find(kParameter); at != std::string::npos;
       at = top.find(kParameter, at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, kRtlParameters.size());
  for (const RtlParameter& each : kRtlParameters) {
    const std::string value = each.is_mask && each.otherwise > 9
                                  ? fmt::format("'h{:X}", each.otherwise)
                                  : fmt::format("{}", each.otherwise);
    EXPECT_NE(top.find(fmt::format("{}{} = {},", kParameter, each.name, value)), std::string::npos)
        << each.name;
  }
}

TEST(RtlParameterList, MasksSayWhatIsNotBuilt) {
  EXPECT_EQ(not_built(*parse_rtl_parameters("Lanes=8")), "");
  EXPECT_EQ(not_built(*parse_rtl_parameters("InFmtMask=4")),
            "not built, so not offered: source fp32, bf16 (InFmtMask)");
  EXPECT_EQ(not_built(*parse_rtl_parameters("PolicyMask=0x7ffe")),
            "not built, so not offered: policies other than overflow sat_finite");
  EXPECT_EQ(not_built(*parse_rtl_parameters("Subnormals=0")),
            "not built, so not offered: policies other than src_ftz flush");
}

// One build passes, says what it was not asked and refuses the rest; a fault in it is a mismatch.
TEST_F(RtlParametersRun, ABuildIsJudgedInWhatItHas) {
  const std::string run = fmt::format("run --suite smoke --dut rtl:{}", kSmall);
  const ProgramEnd right = expect(run, 0, "PASS 209/209");
  EXPECT_TRUE(right.says("not built, so not offered: source fp32, bf16 (InFmtMask)"));
  expect(run + " --format mxfp8_e4m3", 2, "format mxfp8_e4m3: the device does mxfp4");
  expect(run + " --source fp32", 2, "source fp32: the device does fp16");
  expect(run + " --overflow sat_finite_keep_inf", 2, "overflow sat_finite_keep_inf: the device");
  expect("run --dut rtl:Lanes=64", 2, "Lanes=64: give 1, 2, 4, 8, 16 or 32");
  expect(fmt::format("run --suite smoke --dut rtl:sources_flushed,{}", kSmall), 1,
         "as with src_ftz flush for keep");
}

}  // namespace
}  // namespace mx::sim::test
