// What refutes a statement, as a block through the whole RTL: which words stand in which lanes, and
// that the simulation answers wrongly there too.
#include "cli/prove/replayed.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/rtl/load.hpp"
#include "sim/shrink/stream_case.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

/// "P1.e4m3fn" as it is.
sim::Obligation of_name(const std::string& name) {
  for (sim::Obligation& each : sim::obligations()) {
    if (each.name == name) return std::move(each);
  }
  ADD_FAILURE() << name;
  return {};
}

sim::BlockIn first_block(const std::optional<sim::ReplayFile>& replay) {
  EXPECT_TRUE(replay.has_value());
  return replay ? sim::blocks_of(replay->failure).front() : sim::BlockIn{};
}

TEST(Replayed, AWordOfP1StandsBesideANumberOfItsScale) {
  // bf16, e4m3fn: emax 8, so that scale 7Fh comes of 2^8.
  const auto replay =
      block_of(of_name("P1.e4m3fn"), "random=5a scale=7f settings=0000700 word=12343f88", "none");
  const sim::BlockIn block = first_block(replay);
  EXPECT_EQ(replay->device, "rtl:none");
  EXPECT_EQ(block.source[0], 0x3F88u);
  EXPECT_EQ(block.source[1], 0x4380u);
  EXPECT_EQ(block.random[0], 0x5Au);
  EXPECT_EQ(block.keep, 3u);
  // No number of fp16 is as large as 2^255: the lane is 0, and the simulation tells.
  const auto large = block_of(of_name("P1.e2m1fn"), "scale=fe settings=0000800 word=1", "");
  EXPECT_EQ(large->device, "rtl");
}

TEST(Replayed, NanAndInfinityOfP2StandInLanesOfTheirOwn) {
  const auto both = block_of(of_name("P2.floor.e2m1fn"),
                             "other_inf=1 other_nan=1 settings=0000000 word=01a00000", "");
  const sim::BlockIn block = first_block(both);
  EXPECT_EQ(block.source[0], 0x01A00000u);
  EXPECT_EQ(block.source[1], 0x7FC00000u);
  EXPECT_EQ(block.source[2], 0x7F800000u);
  EXPECT_EQ(block.keep, 7u);
  const auto one = block_of(of_name("P2.floor.e2m1fn"),
                            "other_inf=1 other_nan=0 settings=0000000 word=01a00000", "");
  EXPECT_EQ(first_block(one).keep, 5u);
}

TEST(Replayed, ABlockOfP5StandsAsItIs) {
  const std::string words = std::string(std::size_t{30} * 8, '0') + "4000000" + "03F800000";
  const auto replay = block_of(of_name("P5.int8"),
                               "keep=80000003 lane=1 random=" + std::string(60, '0') +
                                   "a55a settings=0000000 words=" + words,
                               "");
  const sim::BlockIn block = first_block(replay);
  EXPECT_EQ(block.source[0], 0x3F800000u);
  EXPECT_EQ(block.source[1], 0x40000000u);
  EXPECT_EQ(block.random[0], 0x5Au);
  EXPECT_EQ(block.random[1], 0xA5u);
  EXPECT_EQ(block.keep, 0x80000003u);
  const auto& config = std::get<QuantizerConfig>(replay->failure.configs.front().what);
  EXPECT_EQ(config.format.element.name, "int8");
}

TEST(Replayed, CodesThatMeanNothingAreZeroAndOtherExamplesAreNoBlocks) {
  // amax_over 3 and rule 7.
  const auto replay = block_of(of_name("P5.scale"), "keep=1 settings=000c384 words=3f800000", "");
  ASSERT_TRUE(replay.has_value());
  const auto& config = std::get<QuantizerConfig>(replay->failure.configs.front().what);
  EXPECT_EQ(config.block.rule, ScaleRule::kFloor);
  EXPECT_FALSE(block_of(of_name("P4.16x16"), "a run of 9 cycles", "").has_value());
  EXPECT_FALSE(block_of(of_name("P3.lanes8"), "keys=0 settings=0", "").has_value());
}

TEST(Replayed, TheSimulationIsWrongWhereTheSolverSaysSo) {
  if (sim::rtl_files().empty()) GTEST_SKIP() << "this build has no RTL: nothing is proved of it";
  if (std::system("command -v verilator >/dev/null") != 0) GTEST_SKIP() << "no verilator";
  std::string folder = std::filesystem::temp_directory_path() / "mxgold_replayed_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const ProgramEnd end = run_program({"prove", "P1.e2m1fn", "--fault", "sources_flushed", "--json",
                                      "--without-control", "--replay", folder});
  EXPECT_EQ(end.status, 1) << end.err;
  const auto json = nlohmann::json::parse(end.out);
  const std::string said = json.at("statements").at(0).at("replayed");
  EXPECT_NE(said.find("replayed: MISMATCH block 0"), std::string::npos) << said;
  const ProgramEnd again = run_program({"replay", folder + "/P1.e2m1fn.json"});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  const ProgramEnd right =
      run_program({"replay", folder + "/P1.e2m1fn.json", "--dut", "reference"});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mx::cli::test
