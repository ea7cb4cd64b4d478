// Netlists and their RTL (docs/proofs.md, P7): a small build is proved, and each kind of damage to
// its netlist is refuted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "sim/formal/properties.hpp"
#include "sim/formal/prover.hpp"
#include "sim/formal/published.hpp"
#include "sim/gates/circuit.hpp"
#include "sim/gates/flat_ports.hpp"
#include "sim/gates/registers.hpp"
#include "sim/netlist/tools.hpp"
#include "sim/rtl/formal_sources.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim::test {
namespace {

TEST(PublishedNetlists, AreThoseOfTheScriptThatMeasuresThem) {
  std::ifstream file(MX_SYNTH_REPORT);
  const std::string script{std::istreambuf_iterator<char>(file), {}};
  ASSERT_NE(script.find("mapped \"synth -flatten; abc -lut 6; opt_clean; "), std::string::npos);
  const std::size_t begin = script.find("sets=(\n") + 7;
  const std::string sets = script.substr(begin, script.find("\n)\n", begin) - begin) + "\n";
  std::string listed;
  for (const Published& each : kPublished) {
    listed += fmt::format("  \"{}{}{}\"\n", each.name, each.build.empty() ? "" : " ", each.build);
  }
  EXPECT_EQ(listed, sets);
  // Netlists are made of them, by the same commands.
  const std::vector<Obligation> netlists = netlist_obligations();
  ASSERT_EQ(netlists.size(), kPublished.size() + 1);
  EXPECT_TRUE(netlists[0].making.is_wide);
  for (std::size_t i = 0; i < kPublished.size(); ++i) {
    const Obligation& each = netlists[i + 1];
    EXPECT_EQ(each.name, fmt::format("P7.{}", kPublished[i].name));
    EXPECT_EQ(each.unit, unit_of(kPublished[i].build));
    EXPECT_EQ(each.making.rtl, hierarchy_of(kPublished[i].build));
    EXPECT_EQ(each.making.netlist, each.making.rtl + "synth -flatten\nabc -lut 6\nopt_clean\n");
  }
}

TEST(PublishedNetlists, ABuildIsAUnitAndItsParameters) {
  EXPECT_EQ(hierarchy_of(""), "hierarchy -check -top mx_quantizer\n");
  EXPECT_EQ(hierarchy_of("mx_dot"), "hierarchy -check -top mx_dot\n");
  EXPECT_EQ(hierarchy_of("Lanes=4 InFmtMask=2"),
            "hierarchy -check -top mx_quantizer -chparam Lanes 4 -chparam InFmtMask 2\n");
  EXPECT_EQ(hierarchy_of("mx_dequantizer ResMask=2"),
            "hierarchy -check -top mx_dequantizer -chparam ResMask 2\n");
  EXPECT_EQ(unit_of("Lanes=4"), "mx_quantizer");
  EXPECT_EQ(parameters_of("mx_dot"), "default parameters");
  EXPECT_EQ(parameters_of(""), "default parameters");
  EXPECT_EQ(parameters_of("mx_dequantizer ResMask=2"), "ResMask=2");
}

/// Verdicts of earlier runs are not this test's.
class NetlistProof : public ::testing::Test {
 protected:
  void SetUp() override {
    if (rtl_files().empty()) GTEST_SKIP() << "this build has no RTL: nothing is proved of it";
    cache_ = std::filesystem::temp_directory_path() / "mxgold_netlist_XXXXXX";
    ASSERT_NE(::mkdtemp(cache_.data()), nullptr);
    ::setenv("MXGOLD_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    if (cache_.empty()) return;
    ::unsetenv("MXGOLD_CACHE");
    std::filesystem::remove_all(cache_);
  }
  /// What is said of the small build once `damage` was done to its netlist.
  [[nodiscard]] FormalAnswer said_of(const std::string& name, const std::string& damage) const {
    const Obligation right = netlist_obligation(
        "small", "Lanes=2 BlockSize=16 InFmtMask=2 FmtMask=16 RoundMask=1 RuleMask=1 PolicyMask=0");
    return ask_solver({name, right.engine, right.text + damage, 0, right.making},
                      formal_sources({}), 300, cache_ + "/logs");
  }
  [[nodiscard]] std::string log_of(const std::string& name) const {
    std::ifstream file(cache_ + "/logs/" + name + ".log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string cache_;
};

TEST_F(NetlistProof, ASmallBuildIsProvedAndEachDamageRefuted) {
  EXPECT_EQ(said_of("right", "").verdict, FormalVerdict::kProved);
  const std::string log = log_of("right");
  const std::size_t at = log.find("MXGOLD REGISTERS");
  ASSERT_NE(at, std::string::npos);
  const std::string registers = log.substr(at, log.find('\n', at) - at);
  // Every register of the netlist is one of the RTL.
  const std::size_t netlist = registers.find("; netlist ");
  ASSERT_NE(netlist, std::string::npos) << registers;
  int of_netlist = 0;
  int of_both = 0;
  ASSERT_EQ(
      std::sscanf(registers.c_str() + netlist, "; netlist %d: %d paired", &of_netlist, &of_both), 2)
      << registers;
  EXPECT_GT(of_netlist, 100);
  EXPECT_EQ(of_netlist, of_both) << registers;

  struct Damage {
    const char* name;
    const char* commands;
  };
  for (const Damage& damage : {
           Damage{"inverted",
                  "mutate -list 1 -seed 5 -mode inv -o broken.ys t:$lut\n"
                  "script broken.ys\n"},
           Damage{"stuck",
                  "mutate -list 1 -seed 5 -mode const0 -o broken.ys t:$lut\n"
                  "script broken.ys\n"},
           Damage{"exchanged", "select -set one t:$_DFFE_PP_ %R\nchtype -set $_DFFE_PN_ @one\n"},
           Damage{"without_reset",
                  "mutate -list 1 -seed 5 -mode const1 -port R -o broken.ys t:$_DFF*_PN0*\n"
                  "script broken.ys\n"},
       }) {
    const FormalAnswer answer = said_of(damage.name, damage.commands);
    EXPECT_EQ(answer.verdict, FormalVerdict::kRefuted) << damage.name;
    EXPECT_NE(answer.example.find("Network1"), std::string::npos) << answer.example;
  }
}

constexpr const char* kWire = "aig 1 1 0 1 0\n2\n";

/// An input that is 1 in each beat: an output is its conjunction with another one.
TEST(Circuits, AnInputIsOneWhereAnotherOneIs) {
  const Circuit plain = parse_circuit(
      "aig 4 3 0 2 1\n8\n3\n\x02\x02",
      "input 0 0 last\ninput 1 0 valid\ninput 2 0 data\noutput 0 0 y\noutput 1 0 z\n");
  ASSERT_EQ(plain.gates.front(), (std::array<Literal, 2>{6, 4}));
  const Circuit made = with_one(plain, "last[0]", "valid[0]");
  EXPECT_EQ(made.gates, (std::vector<std::array<Literal, 2>>{{5, 3}, {6, 4}}));
  EXPECT_EQ(made.driven, (std::vector<Literal>{10, 8}));
  EXPECT_THROW((void)with_one(plain, "first[0]", "valid[0]"), ToolError);
  EXPECT_THROW((void)with_one(plain, "last[0]", "ready[0]"), ToolError);
}

TEST(Circuits, PortsThatAreNotTheSameAreRefused) {
  const Circuit one = parse_circuit(kWire, "input 0 0 a\noutput 0 0 y\n");
  const Circuit other = parse_circuit(kWire, "input 0 0 b\noutput 0 0 y\n");
  EXPECT_EQ(paired(one, one, "").outputs, 1u);
  EXPECT_THROW((void)paired(one, other, ""), ToolError);
}

/// Yosys 0.23 names two outputs that are one wire by the number of the second one.
TEST(Circuits, OutputsThatAreOneWireOrConstantsHaveTheirNames) {
  const char* const kTwo = "aig 2 2 0 3 0\n2\n2\n4\n";
  const Circuit both =
      parse_circuit(kTwo, "input 0 0 a\ninput 1 0 b\noutput 1 0 y\noutput 1 1 y\noutput 2 0 z\n");
  EXPECT_EQ(both.outputs, (std::vector<std::string>{"y[0]", "y[1]", "z[0]"}));
  EXPECT_EQ(both.driven, (std::vector<Literal>{2, 2, 4}));
  for (const char* const outputs : {"output 1 0 y\noutput 2 0 z\n",
                                    "output 0 0 y\noutput 1 0 y\noutput 1 1 y\noutput 2 0 z\n"}) {
    EXPECT_THROW((void)parse_circuit(kTwo, std::string("input 0 0 a\ninput 1 0 b\n") + outputs),
                 ToolError);
  }
}

TEST(Circuits, WhatIsNoCircuitIsRefused) {
  for (const char* const text :
       {"", "aag 1 1 0 1 0\n2\n", "aig 1 1 0 1 0\n4\n", "aig 2 1 0 1 1\n4\n",
        "aig 1 1 0 1 0 1\n2\n", "aig 1 1 0 1", "aig 4294967295 4294967295 0 1 0\n2\n"}) {
    EXPECT_THROW((void)parse_circuit(text, "input 0 0 a\noutput 0 0 y\n"), ToolError) << text;
  }
  EXPECT_THROW((void)parse_circuit(kWire, "input 0 0 a\n"), ToolError)
      << "an output without a name";
}

TEST(FlatPorts, OneRangeForEachWire) {
  EXPECT_EQ(with_flat_ports("  input [1:0][63:0] in;\n  wire [63:0] \\x.in[0] ;\n"
                            "  assign n1 = in[1] & ~(in[0]) | \\x.in[0] ;\n"),
            "  input [(1+1)*(63+1)-1:0] in;\n  wire [63:0] \\x.in[0] ;\n"
            "  assign n1 = in[1*64 +: 64] & ~(in[0*64 +: 64]) | \\x.in[0] ;\n");
}

}  // namespace
}  // namespace mx::sim::test
