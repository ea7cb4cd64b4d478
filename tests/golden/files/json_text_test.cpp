// JSON of strangers: read, or discarded where it is none or nests too deeply.
#include "golden/bytes/json_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_whole.hpp"

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

TEST(JsonText, ANameThatAnObjectHasTwiceIsFound) {
  for (const char* const text : {R"({"a": 1, "a": 2})", R"([{"x": {"a": 1, "b": {}, "a": 1}}])",
                                 R"({"a": 1, "\u0061": 2})"}) {
    EXPECT_EQ(repeated_name(text), "a") << text;
    EXPECT_TRUE(json_of_text(text).is_discarded()) << text;
    EXPECT_EQ(repetition(text), "the name \"a\" appears twice in one object");
    EXPECT_THROW(static_cast<void>(json_of_file("x.json", text)), VectorError);
  }
  for (const char* const text : {R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})", R"({"a": 1, "a")",
                                 R"(["a", "a"])", "{}", ""}) {
    EXPECT_EQ(repeated_name(text), std::nullopt) << text;
  }
  EXPECT_EQ(repetition("{\"\\u001b\": 1, \"\\u001b\": 2}"),
            R"(the name "\u001b" appears twice in one object)");
}

// Another number, or no number, is refused: get<T>() of the library would convert it.
TEST(JsonWhole, IsANumberThatTheTypeHolds) {
  const auto of = [](const char* text) { return nlohmann::ordered_json::parse(text); };
  EXPECT_EQ(whole<std::uint64_t>(of("18446744073709551615")),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(whole<int>(of("-2147483648")), std::numeric_limits<int>::min());
  EXPECT_EQ(whole<std::uint32_t>(of("4294967295")), std::numeric_limits<std::uint32_t>::max());
  for (const char* text :
       {"-1", "1.5", "1.5e300", "-0.0", "18446744073709551616", "true", "\"1\"", "null", "[1]"}) {
    EXPECT_THROW(static_cast<void>(whole<std::uint64_t>(of(text))), nlohmann::json::exception)
        << text;
  }
  for (const char* text : {"2147483648", "-2147483649", "4294967298", "2.0"}) {
    EXPECT_THROW(static_cast<void>(whole<int>(of(text))), nlohmann::json::exception) << text;
  }
}

}  // namespace
}  // namespace mx::golden
