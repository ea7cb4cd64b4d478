// SPDX-License-Identifier: Apache-2.0
// P4n's question (sim/gates/own_block.hpp) of a toy quantizer of two stages: what is a block's own,
// what is not, and what each control withholds.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/compile/compiled.hpp"
#include "sim/formal/prover.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::sim::test {
namespace {

/// A block is four bits; the second stage adds the block's random word, or its configuration.
constexpr std::string_view kToy = R"(module mx_quantizer (
    input wire clk_i, input wire rst_ni, input wire [3:0] s_axis_tdata, input wire [1:0] s_axis_tkeep,
    input wire s_axis_tlast, input wire [3:0] s_axis_tuser, input wire s_axis_tvalid,
    output wire s_axis_tready, input wire [3:0] rnd_i, output wire rnd_ready_o,
    output wire [3:0] m_axis_tdata, output wire m_axis_tkeep, output wire m_axis_tlast,
    output wire [3:0] m_axis_tuser, output wire m_axis_tvalid, input wire m_axis_tready
);
  wire en = m_axis_tready | ~v2;
  reg v1, v2;
  reg [9:0] s1, s2;
  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {v1, v2} <= 2'b00;
    else if (en) {v1, v2} <= {s_axis_tvalid, v1};
  always @(posedge clk_i)
    if (en) begin
      s1 <= {s_axis_tdata, s_axis_tkeep[0], s_axis_tlast, s_axis_tuser};
      s2 <= {s1[9:6] ^ (s1[0] ? rnd_i : s1[3:0]), s1[5:0]};
    end
  assign s_axis_tready = en;
  assign rnd_ready_o = en & v1;
  assign m_axis_tvalid = v2;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser} = s2;
endmodule
)";

/// Sums of beats up to tlast, over three stages that close up; no random words. What waits in a
/// stage counts where its valid bit is 1 alone.
constexpr std::string_view kSums = R"(module toy_sums (
    input wire clk_i, input wire rst_ni, input wire [3:0] s_axis_tdata, input wire s_axis_tlast,
    input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [7:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready
);
  reg v1, v2, v3, last1, last2, first;
  reg [3:0] d1, d2;
  reg [7:0] sum;
  wire go3 = ~v3 | m_axis_tready | ~last2;
  wire go2 = go3 | ~v2;
  wire go1 = go2 | ~v1;
  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {v1, v2, v3, first} <= 4'b0001;
    else begin
      if (go1) v1 <= s_axis_tvalid;
      if (go2) v2 <= v1;
      if (~v3 | m_axis_tready) v3 <= v2 & last2;
      if (go3 & v2) first <= last2;
    end
  always @(posedge clk_i) begin
    if (go1 & s_axis_tvalid) {d1, last1} <= {s_axis_tdata, s_axis_tlast};
    if (go2 & v1) {d2, last2} <= {d1, last1};
    if (go3 & v2) sum <= {4'd0, d2} + (first ? 8'd0 : sum);
  end
  assign s_axis_tready = go1;
  assign m_axis_tvalid = v3;
  assign m_axis_tdata = {4'd0, sum[3:0]};
endmodule
)";

class OwnBlock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_by_shell("yosys -V >/dev/null 2>&1").status != 0) GTEST_SKIP() << "needs yosys";
    cache_ = std::filesystem::temp_directory_path() / "mxgold_own_block_XXXXXX";
    ASSERT_NE(::mkdtemp(cache_.data()), nullptr);
    ::setenv("MXGOLD_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    if (cache_.empty()) return;
    ::unsetenv("MXGOLD_CACHE");
    std::filesystem::remove_all(cache_);
  }
  /// Of a toy with another text in the place of one.
  static FormalAnswer said_of(const std::string& right, const std::string& wrong,
                              const std::string& withheld = "", const std::string& one = "",
                              std::string_view toy = kToy) {
    std::string text(toy);
    if (!right.empty()) text.replace(text.find(right), right.size(), wrong);
    const RtlSource source{"toy.sv", text};
    return ask_solver({.name = "toy",
                       .engine = FormalEngine::kOwnBlock,
                       .text = withheld,
                       .making = {.rtl = "hierarchy -auto-top\n", .netlist = {}, .one = one}},
                      std::span(&source, 1), 60, "");
  }
  static FormalVerdict verdict_of(const std::string& right, const std::string& wrong) {
    return said_of(right, wrong).verdict;
  }

  /// The sums, where each beat ends one.
  static FormalVerdict sums_with(const std::string& right, const std::string& wrong) {
    return said_of(right, wrong, "", "s_axis_tlast[0]", kSums).verdict;
  }

  std::string cache_;
};

TEST_F(OwnBlock, IsAllThatAnAnswerLooksAt) {
  EXPECT_EQ(verdict_of("", ""), FormalVerdict::kProved);
  // The same answers by other ways: registers that wait, a spare one, an input that counts no more.
  EXPECT_EQ(verdict_of("(s1[0] ? rnd_i : s1[3:0])", "(s1[0] ? rnd_i : s1[3:0] & {4{v1}})"),
            FormalVerdict::kProved);
  EXPECT_EQ(verdict_of("s1[5:0]};", "s1[5:0]};\n      if (v2) ; else s1[9] <= s_axis_tdata[3];"),
            FormalVerdict::kProved);
}

TEST_F(OwnBlock, EveryPortOfTheBlockCounts) {
  for (const char* const port :
       {"s_axis_tdata[0]", "s_axis_tdata[3]", "s_axis_tkeep[0]", "s_axis_tlast[0]",
        "s_axis_tuser[0]", "s_axis_tuser[3]", "rnd_i[2]"}) {
    EXPECT_EQ(said_of("", "", port).verdict, FormalVerdict::kRefuted) << port;
  }
  EXPECT_EQ(said_of("", "", "s_axis_tkeep[1]").verdict, FormalVerdict::kProved)
      << "the upper bit of tkeep is looked at by nothing";
}

TEST_F(OwnBlock, WhatIsOfAnotherBlockIsNamed) {
  const FormalAnswer next = said_of("s1[5:0]};", "s1[5:1], s_axis_tuser[0]};");
  EXPECT_EQ(next.verdict, FormalVerdict::kRefuted);
  EXPECT_NE(next.example.find("m_axis_tuser[0]"), std::string::npos) << next.example;
  const FormalAnswer before = said_of("^ (s1[0] ? rnd_i", "^ (s2[0] ? rnd_i");
  EXPECT_EQ(before.verdict, FormalVerdict::kRefuted);
  EXPECT_NE(before.example.find("s2["), std::string::npos) << before.example;
  // In a stall only, and only where two wait.
  EXPECT_EQ(verdict_of("    if (en) begin", "    if (en | v1 & v2 & s1[3]) begin"),
            FormalVerdict::kRefuted);
}

TEST_F(OwnBlock, TheRandomWordIsThatOfItsTurn) {
  EXPECT_EQ(verdict_of("rnd_ready_o = en & v1", "rnd_ready_o = en & v2"), FormalVerdict::kRefuted);
  EXPECT_EQ(verdict_of("rnd_ready_o = en & v1", "rnd_ready_o = en & (v1 | v2)"),
            FormalVerdict::kRefuted);
}

TEST_F(OwnBlock, TheHandshakeLooksAtNoData) {
  EXPECT_EQ(verdict_of("m_axis_tvalid = v2", "m_axis_tvalid = v2 & ~s2[9]"),
            FormalVerdict::kRefuted);
  EXPECT_EQ(verdict_of("s_axis_tready = en", "s_axis_tready = en & ~s_axis_tdata[0]"),
            FormalVerdict::kRefuted);
}

TEST_F(OwnBlock, WhatAnswersNothingIsNotProved) {
  const FormalAnswer none = said_of("  assign m_axis_tvalid = v2;",
                                    "  reg v3;\n"
                                    "  always @(posedge clk_i or negedge rst_ni)\n"
                                    "    if (!rst_ni) v3 <= 1'b0; else v3 <= v3 & v2;\n"
                                    "  assign m_axis_tvalid = v3;");
  EXPECT_EQ(none.verdict, FormalVerdict::kRefuted);
  EXPECT_NE(none.example.find("no block leaves"), std::string::npos) << none.example;
  // A register that adds up what went by is no function of a block.
  EXPECT_EQ(verdict_of("s1[9:6] ^", "s1[9:6] ^ s2[9:6] ^"), FormalVerdict::kRefuted);
}

TEST_F(OwnBlock, OfBeatsThatEndWhatTheyBegin) {
  EXPECT_EQ(sums_with("", ""), FormalVerdict::kProved);
  EXPECT_EQ(said_of("", "", "s_axis_tdata[1]", "s_axis_tlast[0]", kSums).verdict,
            FormalVerdict::kRefuted);
  // Where they go on, ready hangs on tlast, and sums on beats before.
  EXPECT_EQ(said_of("", "", "", "", kSums).verdict, FormalVerdict::kRefuted);
  // A sum goes on past tlast, or behind a reset; a stage loads where nothing comes, or in a stall.
  EXPECT_EQ(sums_with("first <= last2", "first <= 1'b0"), FormalVerdict::kRefuted);
  EXPECT_EQ(sums_with("v3, first} <= 4'b0001", "v3, first} <= 4'b0000"), FormalVerdict::kRefuted);
  EXPECT_EQ(sums_with("if (go2 & v1) {d2", "if (go2) {d2"), FormalVerdict::kProved);
  EXPECT_EQ(sums_with("if (go2 & v1) {d2", "if (go2 | v1) {d2"), FormalVerdict::kRefuted);
  EXPECT_EQ(sums_with("if (go3 & v2) sum", "if (go3) sum"), FormalVerdict::kRefuted);
  // A bit that no reset sets, and on which valid hangs.
  EXPECT_EQ(sums_with("{v1, v2, v3, first} <= 4'b0001", "{v1, v3, first} <= 3'b001"),
            FormalVerdict::kRefuted);
}

TEST_F(OwnBlock, PortsThatAreMissingAreSaid) {
  EXPECT_THROW((void)said_of("output wire rnd_ready_o", "output wire other_o"), ToolError);
  EXPECT_THROW((void)said_of("", "", "", "s_axis_tlast[1]"), ToolError);
}

}  // namespace
}  // namespace mx::sim::test
