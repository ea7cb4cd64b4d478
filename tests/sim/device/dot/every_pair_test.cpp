// SPDX-License-Identifier: Apache-2.0
// Our dot product unit with 32 lanes: every pair of formats that it takes, and defects of its
// sources.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

class DotUnitPairs : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    setenv("MXGOLD_CACHE", MX_CACHE, 1);
  }
  [[nodiscard]] static std::string run(const std::string& file, const std::string& options) {
    return "run --dut device:" + file + " -c " + std::string(MX_DEVICES) +
           "/dot/accumulator.toml --suite full " + options;
  }
  [[nodiscard]] static std::string device(const std::string& name) {
    return std::string(MX_DEVICES) + "/dot/" + name + ".json";
  }
};

TEST_F(DotUnitPairs, EveryPairOfMxFormatsPasses) {
  constexpr std::array kFormats = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                                   "mxfp6_e3m2", "mxfp4",      "mxint8"};
  for (const char* const a : kFormats) {
    for (const char* const b : kFormats) {
      expect(run(device("mx"), fmt::format("--format {},{}", a, b)), 0, "PASS ");
    }
  }
}

TEST_F(DotUnitPairs, Nvfp4PassesWithEveryFormatItGoesWith) {
  for (const char* const other : {"nvfp4", "mxfp4", "mxfp6_e2m3", "mxfp6_e3m2", "mxint8"}) {
    for (const std::string& pair :
         {fmt::format("nvfp4,{}", other), fmt::format("{},nvfp4", other)}) {
      expect(run(device("nvfp4"), "--group 16 --block-size 16 --format " + pair), 0, "PASS ");
    }
  }
}

/// A sum that no longer looks at what was shifted out.
TEST_F(DotUnitPairs, ALostStickyBitIsSeen) {
  const fs::path rtl = fs::weakly_canonical(fs::path(MX_DEVICES) / "../../../rtl");
  std::string sum = read((rtl / "dot/mx_dot_accumulate.sv").string());
  const std::string right = "moved[0] | rest;";
  const std::size_t at = sum.find(right);
  ASSERT_NE(at, std::string::npos);
  sum.replace(at, right.size(), "moved[0];");
  std::ofstream(file("mx_dot_accumulate.sv")) << sum;
  std::string text = read(device("fp8_8"));
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
      text.replace(i, from.size(), to);
    }
  };
  replace_all("../../../../rtl/dot/mx_dot_accumulate.sv", file("mx_dot_accumulate.sv"));
  replace_all("../../../../rtl/", rtl.string() + "/");
  std::ofstream(file("wrong.json")) << text;
  expect(run(file("wrong.json"), "--group 8 --format mxfp8_e4m3"), 1, "FAIL");
}

}  // namespace
}  // namespace mx::sim::test
