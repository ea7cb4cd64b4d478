// SPDX-License-Identifier: Apache-2.0
// Our dot product unit by device files: the reference's accumulator says every bit of its answers.
#include <fmt/format.h>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

class DotUnit : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    setenv("MXGOLD_CACHE", MX_CACHE, 1);
  }
  [[nodiscard]] static std::string run(const std::string& file, const std::string& options) {
    const std::string folder = std::string(MX_DEVICES) + "/dot/";
    return "run --dut device:" + folder + file + ".json -c " + folder + "accumulator.toml " +
           options;
  }
};

TEST_F(DotUnit, EightLanesOfFp8Pass) {
  for (const char* const pair : {"mxfp8_e4m3", "mxfp8_e5m2,mxfp8_e4m3"}) {
    expect(run("fp8_8", fmt::format("--group 8 --suite smoke --format {}", pair)), 0, "PASS ");
  }
}

/// A configuration that is not the unit's is refused before anything is compiled.
TEST_F(DotUnit, AnotherAccumulatorIsRefused) {
  expect(run("fp8_8", "--group 8 --align-bits 23 --format mxfp8_e4m3 --suite smoke"), 2,
         "acc_alignment_bits 23: the device does 24");
}

}  // namespace
}  // namespace mx::sim::test
