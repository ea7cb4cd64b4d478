// SPDX-License-Identifier: Apache-2.0
// Our RTL under parameters (`--dut rtl:Lanes=8,...`): which lists are taken, what a build is asked,
// and that a fault in it is seen.
#include <fmt/format.h>

#include <algorithm>
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

class EveryUnit : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static const RtlUnit& unit() {
    return *std::ranges::find(rtl_units(), GetParam(), &RtlUnit::name);
  }
};

// At and beside each limit; what lies between two powers of two is none.
TEST_P(EveryUnit, LimitsAreTakenAndWhatIsBeyondIsRefusedByName) {
  for (const RtlParameter& each : unit().parameters) {
    const std::string blocks = each.name == "BlockSize" ? "Lanes=16," : "";
    const auto problem = [&](std::int64_t value) {
      // nvfp4 alone needs blocks of 16.
      const bool is_two_level =
          GetParam() == "mx_dequantizer" && each.name == "FmtMask" && value == 0x40;
      return problem_of(fmt::format("{},{}{}{}={}", unit().name, blocks,
                                    is_two_level ? "Lanes=16,BlockSize=16," : "", each.name,
                                    value));
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
}

INSTANTIATE_TEST_SUITE_P(RtlParameterList, EveryUnit,
                         testing::Values("mx_quantizer", "mx_dequantizer", "mx_nvfp4_quantizer",
                                         "mx_dot"),
                         [](const auto& test) { return test.param; });

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
  for (const char* const list : {"mx_dequantizer,InFmtMask=1", "mx_dequantizer,PipeLane=1"}) {
    EXPECT_NE(problem_of(list).find("unknown parameter of mx_dequantizer"), std::string::npos);
  }
  EXPECT_NE(problem_of("mx_dequantizer,FmtMask=0x40").find("give Lanes=16,BlockSize=16"),
            std::string::npos);
  EXPECT_NE(problem_of("mx_dequantizer,sources_flushed").find("no fault of mx_dequantizer"),
            std::string::npos);
  EXPECT_NE(problem_of("deq_ties_away,Lanes=8").find("no fault of mx_quantizer"),
            std::string::npos);
  EXPECT_EQ(parse_rtl_parameters("Lanes=0x8")->of("Lanes"), 8U);
  EXPECT_EQ(parse_rtl_parameters("mx_dequantizer")->unit->name, "mx_dequantizer");
  EXPECT_NE(parse_rtl_parameters("sources_flushed,Lanes=8")->fault, 0);
}

// The module's header has the same names and defaults.
TEST_P(EveryUnit, HasTheModulesOwnList) {
  std::string top;
  for (const RtlSource& each : unit_sources(unit().folder)) {
    if (each.name == fmt::format("{}.sv", unit().name)) top = each.text;
  }
  // The formatter may align columns.
  for (std::size_t at = 4; (at = top.find("r  int", at)) != std::string::npos;)
    top.erase(at + 1, 1);
  std::size_t count = 0;
  constexpr std::string_view kParameter = "    parameter int ";
  for (std::size_t at = top.find(kParameter); at != std::string::npos;
       at = top.find(kParameter, at + 1)) {
    ++count;
  }
  for (const RtlParameter& each : unit().parameters) {
    if (each.is_of_bench) continue;
    --count;
    const std::string value = each.is_mask && each.otherwise > 9
                                  ? fmt::format("'h{:X}", each.otherwise)
                                  : fmt::format("{}", each.otherwise);
    // The last one may stand without a comma.
    const char* const end = &each == &unit().parameters.back() || count == 0 ? "" : ",";
    EXPECT_NE(top.find(fmt::format("{}{} = {}{}", kParameter, each.name, value, end)),
              std::string::npos)
        << each.name;
  }
  EXPECT_EQ(count, 0U);
}

TEST(RtlParameterList, MasksSayWhatIsNotBuilt) {
  EXPECT_EQ(not_built(*parse_rtl_parameters("mx_dequantizer,Lanes=16,BlockSize=16")), "");
  EXPECT_EQ(not_built(*parse_rtl_parameters("mx_dequantizer,ResMask=5")),
            "not built, so not offered: result bf16 (ResMask); format nvfp4 (give BlockSize=16)");
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
