// SPDX-License-Identifier: Apache-2.0
// Answers as JSON, beside a library of JSON.
#include "golden/text/tree.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "reference/number/philox.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

std::string judged(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void expect_same(const Tree& tree, const Json& json) {
  EXPECT_EQ(tree.json(), judged(json, -1));
  EXPECT_EQ(tree.indented_json(), judged(json, 2));
}

TEST(Tree, IsWrittenAsTheLibraryWritesIt) {
  expect_same({}, nullptr);
  expect_same(true, true);
  expect_same(false, false);
  expect_same(0, 0);
  expect_same(-1, -1);
  expect_same(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min());
  expect_same(std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max());
  expect_same(std::uint8_t{255}, 255);
  expect_same("text", "text");
  expect_same(Tree::list(), Json::array());
  expect_same(Tree::record(), Json::object());
  expect_same(std::vector<std::string_view>{"a", "b"}, Json{"a", "b"});
  expect_same(Tree::list({"a", 1, false}), Json{"a", 1, false});
  Tree tree = {{"name", "x"}, {"none", Tree::list()}, {"inner", {{"deep", Tree::list({1, 2})}}}};
  Json json = {{"name", "x"}, {"none", Json::array()}, {"inner", {{"deep", {1, 2}}}}};
  expect_same(tree, json);
  tree["more"]["made"] = true;
  tree["list"].push_back({{"a", 1}});
  tree["list"].push_back(nullptr);
  tree["name"] = "y";
  json["more"]["made"] = true;
  json["list"].push_back({{"a", 1}});
  json["list"].push_back(nullptr);
  json["name"] = "y";
  expect_same(tree, json);
  tree.erase("none");
  tree.erase("never there");
  json.erase("none");
  tree.update({{"name", "z"}, {"last", 0}});
  json.update({{"name", "z"}, {"last", 0}});
  expect_same(tree, json);
}

TEST(Tree, EveryByteIsEscapedOrReplacedAsTheLibraryDoes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text = "a";
      text += static_cast<char>(first);
      text += static_cast<char>(second);
      EXPECT_EQ(Tree(text).json(), judged(text, -1)) << first << ' ' << second;
      text += "\x80z";
      EXPECT_EQ(Tree(text).json(), judged(text, -1)) << first << ' ' << second;
    }
  }
  std::size_t replaced = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    // Bytes of which many begin or continue a character.
    std::string text;
    for (std::uint32_t j = 0; j < 3; ++j) {
      const std::uint32_t word = counter_random(3, i, j, 32);
      for (const int shift : {0, 8, 16, 24})
        text += static_cast<char>(0x80 | (word >> shift & 0x7F));
    }
    const std::string wanted = judged(text, -1);
    EXPECT_EQ(Tree(text).json(), wanted);
    replaced += wanted.find("\xEF\xBF\xBD") != std::string::npos ? 1U : 0U;
  }
  EXPECT_GT(replaced, 1000U);
}

TEST(Tree, PartsAreFoundByName) {
  const Tree tree = {
      {"text", "t"}, {"truth", true}, {"number", 7}, {"list", Tree::list({"a", "b"})}};
  EXPECT_EQ(tree.at("text").text(), "t");
  EXPECT_EQ(tree.at("number").number(), 7U);
  EXPECT_EQ(tree.at("list").texts(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tree.at("list").at(1).text(), "b");
  EXPECT_THROW((void)tree.at("none"), std::out_of_range);
  EXPECT_THROW((void)tree.at("list").at(2), std::out_of_range);
  EXPECT_TRUE(tree.truth_of("truth"));
  EXPECT_FALSE(tree.truth_of("none"));
  EXPECT_EQ(tree.text_of("none", "otherwise"), "otherwise");
  EXPECT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree.name(3), "list");
}

}  // namespace
}  // namespace mx::golden
