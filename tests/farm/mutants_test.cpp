// Mutants of two builds in several parts, each part with a netlist and a compiler of its own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

constexpr const char* kRtl = MX_SOURCE_DIR "/rtl";

TEST(FarmedMutants, HaveTheVerdictsOfOneProgramWhateverTheShards) {
  const Scratch scratch;
  const Words command = {"mutate",  "--rtl", kRtl,     "--build", "2x16,8x32",
                         "--count", "120",   "--seed", "5"};
  std::string first;
  for (const char* shards : {"1", "3"}) {
    const ProgramEnd end = farm(scratch.path(shards), {"--shards", shards}, command);
    if (end.status == 3) GTEST_SKIP() << end.err;
    ASSERT_EQ(end.status, 0) << end.out << end.err;
    const std::string result = text_of(scratch.path(shards) + "/result.json");
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << shards;
  }
  const auto farmed = nlohmann::json::parse(first);
  EXPECT_EQ(farmed.at("result").at("parts"), 3);
  Words alone = command;
  alone.emplace_back("--json");
  const ProgramEnd end = run_program(alone);
  ASSERT_EQ(end.status, 0) << end.err;
  const auto whole = nlohmann::json::parse(end.out);
  EXPECT_EQ(farmed.at("compared"), 240);
  for (const auto& [verdict, count] : farmed.at("result").at("counts").items()) {
    std::uint64_t sum = 0;
    for (const auto& build : whole.at("builds")) sum += build.at(verdict).get<std::uint64_t>();
    EXPECT_EQ(count, sum) << verdict;
  }
}

// Negative control: a mutant that is proved equivalent judges nothing.
TEST(FarmedMutants, WhereNothingIsJudgedThereIsNoPass) {
  const Scratch scratch;
  const ProgramEnd drawn = run_program({"mutate", "--rtl", kRtl, "--build", "2x16", "--count", "40",
                                        "--seed", "5", "--quick", "--json"});
  if (drawn.status == 3) GTEST_SKIP() << drawn.err;
  std::string equivalent;
  const auto report = nlohmann::json::parse(drawn.out);
  for (const auto& mutant : report.at("builds").at(0).at("mutants")) {
    if (mutant.at("verdict") == "equivalent") equivalent = mutant.at("command");
  }
  ASSERT_FALSE(equivalent.empty());
  const std::string file = scratch.write("one.txt", equivalent + " -src equivalent\n");
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "1"},
                              {"mutate", "--rtl", kRtl, "--build", "2x16", "--mutants", file});
  EXPECT_EQ(end.status, 3) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "NOTHING JUDGED: 1 of 1 shards")) << end.out;
}

}  // namespace
}  // namespace mx::cli::test
