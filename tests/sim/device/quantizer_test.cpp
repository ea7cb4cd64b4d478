// Our own quantizer by device files: everything that the build of 32 lanes does, and a fault of its
// sources that only noise on idle inputs shows.
#include <fmt/format.h>

#include <filesystem>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

class QuantizerTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    setenv("MXGOLD_CACHE", MX_CACHE, 1);
  }
  [[nodiscard]] static std::string device(const std::string& name) {
    return std::string("--dut device:") + MX_DEVICES + "/" + name + ".json";
  }
};

TEST_F(QuantizerTest, ThirtyTwoLanesPassFromEverySourceUnderEverySchedule) {
  for (const char* const source : {"fp32", "bf16", "fp16"}) {
    expect(fmt::format("run {} --suite smoke --source {}", device("quantizer_32"), source), 0,
           "300 configurations");
  }
  expect("run " + device("quantizer_32") + " --suite smoke --stall random --reset random --seed 9",
         0, "PASS ");
}

// Beats that are not valid enter the running maximum.
TEST_F(QuantizerTest, IdleBeatsInTheMaximumAreSeen) {
  const fs::path rtl = fs::path(MX_DEVICES) / "../../../rtl";
  std::string core = read((rtl / "mx_quantizer_core.sv").string());
  const std::string right = ".take_i({taken_behind_s3, take[3:2]})";
  const std::size_t at = core.find(right);
  ASSERT_NE(at, std::string::npos);
  core.replace(at, right.size(), ".take_i({queue_ready, take[3:2]})");
  std::ofstream(file("mx_quantizer_core.sv")) << core;

  std::string text = read(std::string(MX_DEVICES) + "/quantizer_8.json");
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
      text.replace(i, from.size(), to);
    }
  };
  replace_all("../../../rtl/mx_quantizer_core.sv", file("mx_quantizer_core.sv"));
  replace_all("../../../rtl/", fs::weakly_canonical(rtl).string() + "/");
  std::ofstream(file("wrong.json")) << text;
  expect("run --dut device:" + file("wrong.json") + " --suite smoke", 1, "FAIL");
}

// A tie that goes the wrong way, in a folder of sources of its own.
TEST_F(QuantizerTest, OurRtlOfAnotherFolderIsRunShrunkAndRecorded) {
  const fs::path rtl = fs::path(MX_DEVICES) / "../../../rtl";
  const std::string folder = file("rtl");
  fs::copy(rtl, folder);
  const std::string run =
      "run --dut rtl:" + folder + " --suite smoke --format mxfp4 --errors 1 --seed 3 ";
  const std::string same = "run --dut rtl --suite smoke --format mxfp4 --seed 3";
  EXPECT_EQ(expect(run, 0, "PASS").digest(), expect(same, 0, "PASS").digest());

  std::string round = read(folder + "/mx_round.sv");
  const std::string right = "(guard & ~sticky & tie)";
  const std::size_t at = round.find(right);
  ASSERT_NE(at, std::string::npos);
  round.replace(at, right.size(), "(guard & ~sticky & ~tie)");
  std::ofstream(folder + "/mx_round.sv") << round;
  const std::string small = file("s.json"), waves = file("w.fst");
  const ProgramEnd end =
      expect(run + "--shrink " + small + " --waves " + waves, 1, "up to the first wrong answer");
  EXPECT_TRUE(end.says("1 -> 1 blocks, ")) << end.tail();
  EXPECT_LE(fs::file_size(waves), 100'000U);
  const ProgramEnd again = mxgold("replay " + small + " --trust --waves " + file("again.fst"));
  EXPECT_EQ(again.exit, 1) << again.tail();
  EXPECT_EQ(fs::file_size(waves), fs::file_size(file("again.fst")));
  EXPECT_EQ(mxgold("replay " + small + " --dut rtl").exit, 0);
}

}  // namespace
}  // namespace mx::sim::test
