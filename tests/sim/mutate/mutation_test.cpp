// Lists of mutations: read, written and drawn.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/mutate/campaign.hpp"
#include "sim/netlist/mutation.hpp"

namespace mx::sim {
namespace {

constexpr const char* kLine =
    "mutate -mode cnot1 -module mx_quantizer -cell $flatten\\u_core.$or$mx_lane_align.sv:62$1021 "
    "-port Y -portbit 2 -ctrlbit 3 -wire u_core.x -wirebit 7 -src mx_quantizer.sv:143.5-160.4 "
    "-src folder/mx_lane_align.sv:62.27-62.54 -src mx_quantizer_core.sv:435.9-476.8";

TEST(Mutation, IsReadFromALineOfYosys) {
  const auto mutation = parse_mutation(kLine);
  ASSERT_TRUE(mutation.has_value());
  EXPECT_EQ(mutation->mode, "cnot1");
  EXPECT_EQ(mutation->cell, "$flatten\\u_core.$or$mx_lane_align.sv:62$1021");
  EXPECT_EQ(mutation->port, "Y");
  EXPECT_EQ(mutation->bit, 2);
  EXPECT_EQ(mutation->control, 3);
  EXPECT_EQ(mutation->wire, "u_core.x");
  EXPECT_EQ(mutation->wire_bit, 7);
  EXPECT_EQ(mutation->source, "mx_lane_align.sv:62.27-62.54");
}

TEST(Mutation, CommandsAreReadBack) {
  const Mutation mutation = parse_mutation(kLine).value();
  Mutation again = parse_mutation(mutation.command(0)).value();
  again.wire = mutation.wire;
  again.wire_bit = mutation.wire_bit;
  again.source = mutation.source;
  EXPECT_EQ(again, mutation);
  EXPECT_NE(mutation.command(5).find(" -ctrl mutsel 16 5 "), std::string::npos);
}

TEST(Mutation, OtherLinesAreRefused) {
  for (const char* line :
       {"", "log x", "mutate", "mutate -mode inv", "mutate -mode inv -cell a -port Y -portbit x",
        "mutate -mode inv -cell a -port Y -portbit", "mutate -mode inv -cell a -port Y -other 1"}) {
    EXPECT_FALSE(parse_mutation(line).has_value()) << line;
  }
}

TEST(Mutation, OfAClockOrOfNoEnableIsNoneOfLogic) {
  const Mutation data{.mode = "inv", .cell = "$memrd$\\store$mx_lane.sv:1$2", .port = "DATA"};
  EXPECT_TRUE(data.is_of_logic());
  Mutation other = data;
  other.port = "EN";
  EXPECT_FALSE(other.is_of_logic()) << "an asynchronous read has none";
  other.cell = "$memwr$\\store$mx_lane.sv:1$3";
  EXPECT_TRUE(other.is_of_logic());
  other.port = "CLK";
  EXPECT_FALSE(other.is_of_logic());
}

std::vector<Mutation> numbered(int count) {
  std::vector<Mutation> all;
  for (int i = 0; i < count; ++i)
    all.push_back({.mode = "inv", .cell = "c", .port = "Y", .bit = i});
  return all;
}

TEST(Mutation, AreDrawnOnceEachByTheSeed) {
  const std::vector<Mutation> all = numbered(100);
  const std::vector<Mutation> drawn = draw_mutations(all, 30, 1);
  EXPECT_EQ(drawn.size(), 30U);
  std::set<int> bits;
  for (const Mutation& each : drawn) bits.insert(each.bit);
  EXPECT_EQ(bits.size(), 30U);
  EXPECT_EQ(draw_mutations(all, 30, 1), drawn);
  EXPECT_NE(draw_mutations(all, 30, 2), drawn);
  EXPECT_EQ(draw_mutations(all, 1000, 1), all);
}

TEST(Mutation, EachIsAsLikely) {
  const std::vector<Mutation> all = numbered(10);
  std::vector<int> hits(10, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const Mutation& each : draw_mutations(all, 3, seed))
      ++hits[static_cast<std::size_t>(each.bit)];
  }
  // 1200 expected, deviation 29.
  for (const int count : hits) EXPECT_NEAR(count, 1200, 150);
}

TEST(Campaign, CountsAddUp) {
  Campaign campaign;
  for (const MutantVerdict verdict :
       {MutantVerdict::kKilled, MutantVerdict::kKilled, MutantVerdict::kEquivalent,
        MutantVerdict::kInvalid, MutantVerdict::kSurvivor, MutantVerdict::kUndecided}) {
    campaign.mutants.emplace_back().verdict = verdict;
  }
  EXPECT_EQ(campaign.count(MutantVerdict::kKilled), 2U);
  // Survivors and undecided ones count against the score.
  EXPECT_EQ(campaign.judged(), 4U);
}

}  // namespace
}  // namespace mx::sim
