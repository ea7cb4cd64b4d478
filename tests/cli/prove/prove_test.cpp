// Statements about the RTL for every input: one of each kind is proved, its control is refuted, and
// a fault of the RTL is found by the statements about the part that it is in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/compile/compiled.hpp"
#include "sim/formal/obligation.hpp"
#include "sim/formal/prover.hpp"
#include "sim/formal/published.hpp"
#include "sim/rtl/load.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

#define MX_NEEDS_RTL() \
  if (sim::rtl_files().empty()) GTEST_SKIP() << "this build has no RTL: nothing is proved of it"

/// Verdicts of earlier runs are not this test's.
class Prove : public ::testing::Test {
 protected:
  void SetUp() override {
    cache_ = std::filesystem::temp_directory_path() / "mxgold_prove_XXXXXX";
    ASSERT_NE(::mkdtemp(cache_.data()), nullptr);
    ::setenv("MXGOLD_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("MXGOLD_CACHE");
    std::filesystem::remove_all(cache_);
  }

  std::string cache_;
};

TEST(ProveList, HasEveryStatementOnceAndAControlForEach) {
  std::set<std::string> names;
  for (const sim::Obligation& each : sim::obligations()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.statement.empty()) << each.name;
    EXPECT_NE(each.text, each.broken) << each.name;
  }
  // Lanes, alone, with their flags and in the core: six formats by two kinds of rounding; five
  // rules by six formats, the order, three widths, two streams by two kinds of rounding and two of
  // several beats by two engines, answers of a block's own for eight builds and the published ones
  // whose blocks have one beat (six quantizers; of the other units 5 + 3 + 2 + 3), three builds,
  // the core's scale, flags, lanes and record; the netlists of the published builds and of 64
  // lanes.
  EXPECT_EQ(names.size(), 3u * 2 * 6 + 5 * 6 + 1 + 3 + 2 * 2 + 2 * 2 + 8 + 6 + 13 + 3 + 4 +
                              sim::kPublished.size() + 1);
  const ProgramEnd end = run_program({"prove", "--list"});
  EXPECT_EQ(end.status, 0) << end.err;
  for (const std::string& name : names) EXPECT_NE(end.out.find(name + " "), std::string::npos);
}

TEST_F(Prove, OneStatementOfEachKind) {
  MX_NEEDS_RTL();
  // P4t stands for P4 and P4b, of which each takes a minute alone: formal.all asks them.
  const ProgramEnd end =
      run_program({"prove", "P1.e2m1fn", "P1s.e2m1fn", "P1f.e2m1fn", "P2.rceil.e2m1fn", "P2.order",
                   "P3.lanes2", "P4n.16x16", "P4n.amax_bf16", "P4t.8x16", "P6.bf16_e2m1fn",
                   "--json", "--logs", cache_ + "/logs"});
  ASSERT_EQ(end.status, 0) << end.out << end.err;
  const auto json = nlohmann::json::parse(end.out);
  EXPECT_EQ(json.at("proved"), 10);
  for (const auto& each : json.at("statements")) {
    EXPECT_EQ(each.at("verdict"), "proved") << each;
    EXPECT_EQ(each.at("control"), "REFUTED") << each;
    const std::string log = cache_ + "/logs/" + each.at("name").get<std::string>();
    EXPECT_TRUE(std::filesystem::exists(log + ".log"));
    EXPECT_TRUE(std::filesystem::exists(log + ".control.log"));
  }
  EXPECT_NE(json.at("open").get<std::string>().find("several beats"), std::string::npos);
  double seconds = 0;
  for (const auto& each : json.at("costs")) {
    EXPECT_GT(each.at("cpu_seconds"), 0.0) << each;
    EXPECT_GT(each.at("control_cpu_seconds"), 0.0) << each;
    seconds += each.at("cpu_seconds").get<double>();
  }
  double summed = 0;
  for (const auto& each : json.at("statements")) summed += each.at("cpu_seconds").get<double>();
  EXPECT_NEAR(seconds, summed, 1e-6);
}

TEST_F(Prove, FindsFaultsOfTheRtlWithAnInput) {
  MX_NEEDS_RTL();
  const ProgramEnd lane =
      run_program({"prove", "P1.e2m1fn", "--fault", "sources_flushed", "--without-control"});
  EXPECT_EQ(lane.status, 1) << lane.out << lane.err;
  EXPECT_NE(lane.out.find("word="), std::string::npos) << lane.out;
  EXPECT_NE(lane.out.find("FAIL: 0 of 1"), std::string::npos) << lane.out;
  const ProgramEnd scale =
      run_program({"prove", "P2.ceil.e2m1fn", "--fault", "ceil_mask_4fffff", "--without-control"});
  EXPECT_EQ(scale.status, 1) << scale.out << scale.err;
  // It is a fault of one rule: the statements about another one hold.
  const ProgramEnd other =
      run_program({"prove", "P2.floor.e2m1fn", "--fault", "ceil_mask_4fffff", "--without-control"});
  EXPECT_EQ(other.status, 0) << other.out << other.err;
}

TEST_F(Prove, KeepsWhatWasDecided) {
  MX_NEEDS_RTL();
  const std::vector<std::string> command = {"prove", "P2.order"};
  const ProgramEnd first = run_program(command);
  EXPECT_NE(first.err.find("proving P2.order"), std::string::npos) << first.err;
  const ProgramEnd second = run_program(command);
  EXPECT_EQ(second.err, "");
  EXPECT_EQ(second.out, first.out);
}

TEST_F(Prove, TimeThatIsOverIsNoProof) {
  MX_NEEDS_RTL();
  const ProgramEnd end =
      run_program({"prove", "P3.lanes32", "--seconds", "1", "--without-control"});
  EXPECT_EQ(end.status, 4) << end.out << end.err;
  EXPECT_NE(end.out.find("UNDECIDED"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("FAIL: 0 of 1"), std::string::npos) << end.out;
}

/// A folder of one's own: our RTL as it is, then with a change, then without a module.
TEST_F(Prove, TheRtlOfAFolder) {
  MX_NEEDS_RTL();
  namespace fs = std::filesystem;
  const std::string folder = cache_ + "/rtl";
  for (const sim::RtlSource& each : sim::rtl_sources()) {
    sim::write_file_below(fs::path(folder) / each.name, each.text);
  }
  const std::vector<std::string> command = {"prove", "P2.order", "--rtl", folder};
  const ProgramEnd same = run_program(command);
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  const fs::path key = fs::path(folder) / "mx_key.sv";
  std::string text = sim::whole_file(key);
  const std::string_view right = "nonzero_i & carry &";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "nonzero_i & ~carry &");
  sim::write_file_below(key, text);
  const ProgramEnd other = run_program(command);
  EXPECT_EQ(other.status, 1) << other.out << other.err;
  fs::remove(key);
  const ProgramEnd less = run_program(command);
  EXPECT_EQ(less.status, 3) << less.out << less.err;
  EXPECT_NE(less.err.find("mx_key"), std::string::npos) << less.err;
  fs::remove(fs::path(folder) / "mx_quantizer.sv");
  const ProgramEnd none = run_program(command);
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("--rtl " + folder + ": no mx_quantizer.sv there; give"),
            std::string::npos)
      << none.err;
  const ProgramEnd unit = run_program({"prove", "P4n.deq_full", "--rtl", folder});
  EXPECT_EQ(unit.status, 3);
  EXPECT_NE(unit.err.find("no dequantizer/mx_dequantizer.sv there; give"), std::string::npos)
      << unit.err;
  const ProgramEnd both =
      run_program({"prove", "P2.order", "--rtl", folder, "--fault", "sources_flushed"});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("leave out --rtl"), std::string::npos) << both.err;
}

TEST_F(Prove, WhatCannotBeAskedIsSaid) {
  const ProgramEnd name = run_program({"prove", "P9"});
  EXPECT_EQ(name.status, 2);
  EXPECT_NE(name.err.find("--list"), std::string::npos) << name.err;
  MX_NEEDS_RTL();
  const ProgramEnd fault = run_program({"prove", "P2.order", "--fault", "none_such"});
  EXPECT_EQ(fault.status, 3);
  EXPECT_NE(fault.err.find("mxgold list faults"), std::string::npos) << fault.err;
  const ProgramEnd unit = run_program({"prove", "P2.order", "--fault", "deq_ties_away"});
  EXPECT_EQ(unit.status, 3);
  EXPECT_NE(unit.err.find("a fault of mx_dequantizer, and P2.order is about mx_quantizer"),
            std::string::npos)
      << unit.err;
  // Without names, what is about the unit of the fault.
  const ProgramEnd plan = run_program({"prove", "--fault", "deq_ties_away", "--dry-run"});
  EXPECT_EQ(nlohmann::json::parse(plan.out).at("parts"), 5 + 5) << plan.out << plan.err;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", cache_.c_str(), 1);
  const ProgramEnd tool = run_program({"prove", "P2.order"});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(tool.status, 3);
  EXPECT_NE(tool.err.find("install the package yosys"), std::string::npos) << tool.err;
}

}  // namespace
}  // namespace mx::cli::test
