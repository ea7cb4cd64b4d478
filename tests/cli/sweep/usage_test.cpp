// What `mxgold sweep` and `mxgold merge` say of devices, scales and words on their command lines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

/// Where the tests cli_sweep_lanes.build.* have left their builds.
ProgramEnd swept(std::vector<std::string> options) {
  setenv("MXGOLD_CACHE", MX_CACHE, 1);
  const std::vector<std::string> all = {"sweep", "--source", "bf16", "--format", "e2m1fn"};
  options.insert(options.begin(), all.begin(), all.end());
  return run_program(options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Refusal {
  std::vector<std::string> options;
  std::string says;
};

TEST(SweepUsage, WhatCannotBeSweptIsSaid) {
  for (const auto& [options, says] :
       {Refusal{{"--dut", "gpu"}, "known: reference, cpu, rtl, netlist"},
        Refusal{{"--dut", "rtl", "--words", "all"}, "--words all"},
        Refusal{{"--dut", "reference", "--words", "some"}, "known: all, block"},
        Refusal{{"--dut", "reference", "--scale", "255"}, "--scale 255: give scale codes"},
        Refusal{{"--dut", "reference", "--scale", "1x"}, "--scale 1x: give scale codes"},
        Refusal{{"--dut", "cpu", "--scale", "3"}, "have no scale"},
        Refusal{{"--dut", "rtl", "--overflow", "propagate_inf"}, "overflow propagate_inf"},
        Refusal{{"--dut", "rtl", "--rounding", "stochastic_a"}, "no certificate"},
        Refusal{{"--dut", "rtl", "--rounding", "stochastic_b", "--random", "7"}, "built for"},
        Refusal{{"--dut", "cuda-host", "--rounding", "stochastic_a", "--random", "7"},
                "draws its words"},
        Refusal{{"--dut", "rtl:/none"}, "no mx_quantizer.sv"},
        Refusal{{"--dut", "netlist:ties_to_away_for_even"}, "faults are chosen where"}}) {
    const ProgramEnd end = swept(options);
    EXPECT_EQ(end.status, 2) << options[1] << end.err;
    EXPECT_TRUE(has(end.err, says)) << end.err;
  }
}

TEST(SweepUsage, WhatADeviceLacksIsLeftOutByNameAndTheRestIsSwept) {
  const Scratch scratch;
  const std::string file = scratch.path("r.json");
  const ProgramEnd end = run_program(
      {"sweep", "--source", "bf16", "--format", "hif8,e2m1fn", "--dut", "cpu", "-o", file});
  const std::string named = "source bf16, destination hif8 by cpu: no fast path";
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(has(end.err, "left out: " + named)) << end.err;
  EXPECT_TRUE(has(end.out, "PASS 1/1 conversions; source bf16, destination e2m1fn")) << end.out;
  EXPECT_TRUE(has(end.out, "not compared: " + named)) << end.out;
  const ProgramEnd merged = run_program({"merge", file});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(has(merged.out, "not compared: " + named)) << merged.out;
  EXPECT_TRUE(has(run_program({"merge", "--markdown", file}).out, "Not compared: " + named));
  EXPECT_TRUE(has(run_program({"merge", "--json", file}).out,
                  "\"conversion\": \"source bf16, destination hif8\""));
  const ProgramEnd none =
      run_program({"sweep", "--source", "bf16", "--format", "hif8", "--dut", "cpu"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(has(none.err, "nothing to sweep: source bf16, destination hif8 by cpu")) << none.err;
}

TEST(SweepUsage, VerdictsSayWhatWasComparedAndWhatWasNot) {
  const Scratch scratch;
  const std::string file = scratch.path("r.json");
  const ProgramEnd end = swept({"--dut", "netlist", "--scale", "127,130", "-o", file});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(has(end.out, "words compared (their codes; flags are not), 0 mismatches")) << end.out;
  EXPECT_TRUE(has(end.out, "words left out: no block under this scale holds them")) << end.out;
  const ProgramEnd merged = run_program({"merge", file});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(has(merged.out, "scale 82, words of a block, netlist (sources ")) << merged.out;
  EXPECT_TRUE(has(merged.out, "words compared (their codes; flags are not)")) << merged.out;
  const std::string other = scratch.path("drawn.json");
  const ProgramEnd drawn = swept({"--dut", "netlist", "--rounding", "stochastic_a", "--random-bits",
                                  "8", "--random", "255", "-o", other});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_TRUE(has(drawn.out, "words of a block, R 255, dut netlist")) << drawn.out;
  EXPECT_EQ(run_program({"merge", file, other}).status, 0);
  const ProgramEnd table = run_program({"merge", "--markdown", file});
  EXPECT_TRUE(has(table.out, "words, codes compared")) << table.out;
}

}  // namespace
}  // namespace mx::cli::test
