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

}  // namespace
}  // namespace mx::cli::test
