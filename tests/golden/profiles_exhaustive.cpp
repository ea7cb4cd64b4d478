// Every surface that profiles have in common: identification from at most 1,000 inputs.
#include <gtest/gtest.h>

#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test {
namespace {

class EverySurface : public testing::TestWithParam<std::size_t> {};

constexpr std::size_t kShards = 8;

TEST_P(EverySurface, IsIdentified) {
  FormatCatalog catalog;
  const std::vector<Surface> surfaces = all_surfaces(catalog);
  ASSERT_GT(surfaces.size(), 300U);
  Acceptance acceptance;
  for (std::size_t i = GetParam(); i < surfaces.size(); i += kShards) {
    accept(surfaces[i], acceptance);
  }
  for (const std::string& problem : acceptance.problems) ADD_FAILURE() << problem;
  EXPECT_GT(acceptance.logs, surfaces.size() / kShards);
  EXPECT_LE(acceptance.longest, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Shards, EverySurface, testing::Range<std::size_t>(0, kShards));

}  // namespace
}  // namespace mx::golden::test
