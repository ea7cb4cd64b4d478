// SPDX-License-Identifier: Apache-2.0
// Identify names a system for what its rows define, and for nothing else: every profile beside
// every surface, by the names in the rows' own lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "golden/questions/profile_facts.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test::defined_test {
namespace {

/// Is a name in a list of names separated by blanks?
bool lists(std::string_view list, std::string_view name) {
  const std::string padded = " " + std::string(list) + " ";
  return list == "*" || padded.find(" " + std::string(name) + " ") != std::string::npos ||
         (padded.find(" binary* ") != std::string::npos && name.starts_with("binary"));
}

/// Has a profile a row for a surface, as its facts say them?
bool defines(const Profile& profile, const Surface& surface) {
  const Tree facts = facts_of(profile);
  const Tree& rows = facts.at(surface.is_block ? "blocks" : "elements");
  return std::ranges::any_of(rows, [&](const Tree& row) {
    return lists(row.at(surface.is_block ? "formats" : "destinations").text(), surface.target()) &&
           lists(row.at("sources").text(), surface.source.name);
  });
}

TEST(Defined, NobodyIsACandidateForWhatIsNotDefined) {
  FormatCatalog catalog;
  std::size_t named = 0;
  std::size_t left_out = 0;
  for (const Surface& surface : all_surfaces(catalog)) {
    const std::vector<Candidate> candidates = candidates_of(surface);
    for (const Profile& profile : all_profiles()) {
      const bool is_named = std::ranges::any_of(
          candidates, [&](const Candidate& each) { return each.profile == &profile; });
      if (is_named) {
        EXPECT_TRUE(defines(profile, surface)) << profile.name << " " << surface.name();
      }
      ++(is_named ? named : left_out);
    }
  }
  EXPECT_GT(named, 1000U);
  EXPECT_GT(left_out, named);
}

// Control: a profile that has no row is not named, and its rows would say so.
TEST(Defined, AFormatWithoutARowIsSeen) {
  const Profile& ggml = *find_profile("ggml");
  EXPECT_TRUE(defines(ggml, surface("fp32", "mxfp4")));
  EXPECT_FALSE(defines(ggml, surface("fp16", "mxfp4")));
  EXPECT_FALSE(defines(ggml, surface("fp32", "mxfp8_e4m3")));
  EXPECT_FALSE(defines(ggml, surface("fp32", "e4m3fn")));
}

/// Every row says in which direction it holds, and whose text says so.
TEST(Defined, EveryRowHasADirectionAndASource) {
  for (const Profile& profile : all_profiles()) {
    const Tree facts = facts_of(profile);
    for (const char* const kind : {"elements", "blocks"}) {
      for (const Tree& row : facts.at(kind)) {
        EXPECT_EQ(row.at("direction").text(), kind == std::string("blocks") ? "both" : "to");
        EXPECT_FALSE(row.at("source").text().empty()) << profile.name;
      }
    }
  }
}

}  // namespace
}  // namespace mx::golden::test::defined_test
