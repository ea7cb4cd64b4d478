// The coverage of a run on streams, in a file for `mxgold cover`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test::cover_test {
namespace {

const std::string kOne =
    "run --dut reference --format e2m1fn --rounding ties_to_even --rule floor --source bf16 ";

class RunCoverage : public ProgramTest {};

TEST_F(RunCoverage, TheFullSuitePassesTheGateAndSmokeDoesNot) {
  const std::string path = file("c.json");
  EXPECT_EQ(mxgold(kOne + "--suite full --elements 64 --cover " + path).exit, 0);
  EXPECT_EQ(mxgold("cover --gate 100 " + path).exit, 0);
  const ProgramEnd smoke = mxgold(kOne + "--suite smoke --cover " + path);
  EXPECT_EQ(smoke.exit, 0);
  EXPECT_TRUE(smoke.says("of 1 configurations and the protocol: ")) << smoke.tail();
  EXPECT_EQ(mxgold("cover --gate 100 " + path).exit, 5);
}

TEST_F(RunCoverage, ShardsAddUpToTheWhole) {
  const std::string run = kOne + "--suite smoke --cover ";
  ASSERT_EQ(mxgold(run + file("whole.json")).exit, 0);
  for (const char* shard : {"0", "1", "2"}) {
    ASSERT_EQ(mxgold(run + file(std::string(shard) + ".json") + " --shard " + shard + "/3").exit,
              0);
  }
  ASSERT_EQ(mxgold("cover " + file("2.json") + " " + file("0.json") + " " + file("1.json") +
                   " -o " + file("merged.json"))
                .exit,
            0);
  EXPECT_EQ(read(file("merged.json")), read(file("whole.json")));
}

// A wrong device is covered as far as it was compared, a broken one not at all.
TEST_F(RunCoverage, IsOfComparedBlocksOnly) {
  const std::string wrong =
      "run --dut reference:ties_to_away_for_even --suite smoke --format e2m1fn "
      "--rounding ties_to_even --rule floor --source bf16 --cover ";
  EXPECT_EQ(mxgold(wrong + file("wrong.json")).exit, 1);
  ASSERT_EQ(mxgold(kOne + "--suite smoke --cover " + file("right.json")).exit, 0);
  // The device of another name has a protocol of its own.
  const auto first_group = [&](const char* name) {
    return nlohmann::json::parse(read(file(name))).at("groups").at(0);
  };
  EXPECT_EQ(first_group("wrong.json"), first_group("right.json"));
  const ProgramEnd broken = mxgold(
      "run --dut reference:drop_on_stall --suite smoke --format e2m1fn --rounding "
      "ties_to_even --rule floor --source bf16 --stall heavy --cover " +
      file("broken.json"));
  EXPECT_EQ(broken.exit, 4) << broken.tail();
  EXPECT_TRUE(broken.says("coverage: not measured")) << broken.tail();
  EXPECT_FALSE(std::filesystem::exists(file("broken.json")));
}

TEST_F(RunCoverage, WhatHasNoneIsSaid) {
  const std::string path = file("c.json");
  expect("run --dut reference --cover " + path, 2, "choose fewer with --format");
  expect("run --dut process:cat --format mxfp4 --cover " + path, 4, "coverage: not measured");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace mx::sim::test::cover_test
