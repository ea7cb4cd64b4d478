// SPDX-License-Identifier: Apache-2.0
// rtl/dot: the reference's accumulator says every bit of its sums, for every pair of formats; and
// each of its faults is seen.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "sim/rtl/faults.hpp"
#include "tests/rtl/units/unit_run.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

class Dot : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    setenv("MXGOLD_CACHE", MX_CACHE, 1);
  }
};

/// Builds whose areas the unit's page publishes (published_test.py).
constexpr std::array kPublished = {"FmtMask=1", "FmtMask=3"};

TEST_F(Dot, PublishedBuildsPass) {
  for (const char* const build : kPublished) {
    expect(fmt::format("run --dut rtl:mx_dot,{} --suite smoke", build), 0, "PASS ");
  }
}

TEST_F(Dot, EightLanesOfFp8Pass) {
  const std::string run = "run --dut rtl:mx_dot,Lanes=8,FmtMask=3 --suite smoke ";
  expect(run, 0, "PASS ");
  expect(run + "--format mxfp8_e5m2,mxfp8_e4m3", 0, "PASS ");
  expect(run + "--align-bits 23", 2, "acc_alignment_bits 23: the device does 24");
}

TEST_F(Dot, EndsOfTheAlignmentAndSumsOfManyBeatsPass) {
  for (const char* const build :
       {"AlignBits=15", "AlignBits=40", "AlignBits=39,Beats=16", "Beats=1"}) {
    expect(fmt::format("run --dut rtl:mx_dot,Lanes=8,{} --suite smoke --format mxfp8_e5m2", build),
           0, "PASS ");
  }
}

// Every pair of the formats of MX, and of those that nvfp4 goes with in beats of 16 lanes.
TEST_F(Dot, EveryPairPasses) {
  constexpr std::array kFormats = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                   "mxfp4",      "mxint8",     "nvfp4"};
  for (const std::string a : kFormats) {
    for (const std::string b : kFormats) {
      const bool is_two_level = a == "nvfp4" || b == "nvfp4";
      if (is_two_level && (a.starts_with("mxfp8") || b.starts_with("mxfp8"))) continue;
      expect(fmt::format("run --dut rtl:mx_dot{} --suite full --format {},{}",
                         is_two_level ? ",Lanes=16,FmtMask=0x7c" : "", a, b),
             0, "PASS ");
    }
  }
}

class DotFault : public Dot, public testing::WithParamInterface<std::string> {};

/// Six formats one after the other in lanes of 8; UE4M3 scales in lanes of 16. Zeros meet
/// infinities in the full suite alone.
TEST_P(DotFault, IsSeen) {
  const bool is_two_level =
      GetParam().starts_with("dot_ue4m3") || GetParam() == "dot_second_scale_lost";
  const std::string build = is_two_level ? "Lanes=16,FmtMask=0x7c" : "Lanes=8,FmtMask=0x3f";
  const std::array<const char*, 6> formats = {"mxfp8_e4m3",       "mxfp8_e5m2", "mxint8",
                                              "mxfp6_e3m2,mxfp4", "mxfp4",      "mxfp6_e2m3"};
  const char* const suite = GetParam() == "dot_zero_times_infinity" ? "full" : "smoke";
  const auto is_wrong_in = [&](const char* format) {
    return mxgold(fmt::format("run --dut rtl:mx_dot,{},{} --suite {} --format {}", GetParam(),
                              build, suite, is_two_level ? "nvfp4" : format))
               .exit == 1;
  };
  EXPECT_TRUE(std::ranges::any_of(formats, is_wrong_in))
      << "survives; it breaks: " << find_rtl_fault(GetParam())->breaks;
}

INSTANTIATE_TEST_SUITE_P(Every, DotFault, testing::ValuesIn(faults_of("mx_dot")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mx::sim::test
