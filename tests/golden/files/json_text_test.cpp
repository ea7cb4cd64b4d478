// JSON of strangers: read, or discarded where it is none or nests too deeply.
#include "golden/bytes/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace mx::golden {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonText, NestsAsDeeplyAsFilesDo) {
  EXPECT_FALSE(nests_too_deeply(nested(kDeepestJson)));
  EXPECT_TRUE(nests_too_deeply(nested(kDeepestJson + 1)));
  EXPECT_TRUE(nests_too_deeply(R"({"a": )" + nested(kDeepestJson) + "}"));
  EXPECT_FALSE(json_of_text(nested(kDeepestJson)).is_discarded());
  EXPECT_TRUE(json_of_text(nested(1000000)).is_discarded());
}

TEST(JsonText, BracketsBesideEachOtherAndInStringsAreNoDepth) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[], ";
  EXPECT_FALSE(nests_too_deeply("[" + many + "1]"));
  const std::string text = R"({"\"[[[[": ")" + std::string(1000, '[') + R"(\\"})";
  EXPECT_FALSE(nests_too_deeply(text));
  EXPECT_EQ(json_of_text(text).size(), 1U);
}

TEST(JsonText, WhatIsNoJsonIsDiscarded) {
  for (const char* const text : {"", "{", "[1,]", "\"\xFF\"", "]]"}) {
    EXPECT_TRUE(json_of_text(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace mx::golden
