#include "cli/text/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "cli/base/chunks.hpp"
#include "cli/options/policies.hpp"
#include "cli/tensors/plan.hpp"
#include "reference/catalog/aliases.hpp"

namespace mx::cli {
namespace {

TEST(Names, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("floor", "floor"), 0);
  EXPECT_EQ(edit_distance("flor", "floor"), 1);
  EXPECT_EQ(edit_distance("e4m3nf", "e4m3fn"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Names, SuggestsTheNearestOnlyIfItIsNear) {
  const std::vector<std::string_view> rules = {"floor", "ceil", "rceil", "even_up", "even_down"};
  EXPECT_EQ(nearest_name("flor", rules), "floor");
  EXPECT_EQ(nearest_name("even-down", rules), "even_down");
  EXPECT_EQ(nearest_name("rciel", rules), "rceil");
  EXPECT_EQ(nearest_name("zzzzzzzzzzzz", rules), "");
  EXPECT_NE(unknown_name("rule", "flor", rules).find("did you mean 'floor'?"), std::string::npos);
  EXPECT_EQ(unknown_name("rule", "zzzzzzzzzzzz", rules),
            "unknown rule 'zzzzzzzzzzzz'; known: floor, ceil, rceil, even_up, even_down");
}

TEST(Names, ASpellingOfItsOwnFindsEveryName) {
  const auto respelt = [](std::string_view name) {
    std::string text;
    for (const char c : name) {
      if (c != '_') text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
  };
  std::vector<std::vector<std::string_view>> lists(1);
  for (const ElementFormat& format : all_formats()) lists[0].push_back(format.name);
  for (const BlockFormat& format : all_block_formats()) lists[0].push_back(format.name);
  for (const PolicyOption& field : policy_options()) lists.push_back(field.values());
  std::size_t count = 0;
  for (const std::vector<std::string_view>& names : lists) {
    for (const std::string_view name : names) {
      EXPECT_EQ(nearest_name(respelt(name), names), name);
      ++count;
    }
  }
  EXPECT_GE(count, 150U);
}

TEST(Names, WhatOthersCallThingsIsSuggested) {
  std::vector<std::string_view> roundings, formats;
  for (const Token<Rounding>& token : tokens<Rounding>()) roundings.push_back(token.text);
  for (const ElementFormat& format : all_formats()) formats.push_back(format.name);
  const std::pair<std::string_view, std::string_view> kRoundings[] = {
      {"rne", "ties_to_even"},    {"RNA", "ties_to_away"},    {"rtz", "toward_zero"},
      {"rtp", "toward_positive"}, {"rtn", "toward_negative"}, {"sr", "stochastic_a"}};
  for (const auto& [given, wanted] : kRoundings) EXPECT_EQ(nearest_name(given, roundings), wanted);
  EXPECT_EQ(nearest_name("float8_e4m3fn", formats), "e4m3fn");
  EXPECT_EQ(nearest_name("fp4", formats), "e2m1fn");
  EXPECT_EQ(nearest_name("rne", formats), "");  // not where it is no answer
}

TEST(Names, EveryAliasIsFoldedAndStandsForAName) {
  std::vector<std::string_view> known;
  for (const Token<Rounding>& token : tokens<Rounding>()) known.push_back(token.text);
  for (const Token<Overflow>& token : tokens<Overflow>()) known.push_back(token.text);
  for (const ElementFormat& format : all_formats()) known.push_back(format.name);
  for (const BlockFormat& format : all_block_formats()) known.push_back(format.name);
  EXPECT_GE(aliases().size(), 50U);
  for (const Alias& alias : aliases()) {
    EXPECT_EQ(folded(alias.elsewhere), alias.elsewhere);
    EXPECT_NE(std::ranges::find(known, alias.here), known.end()) << alias.here;
    EXPECT_EQ(std::ranges::find(known, alias.elsewhere), known.end()) << alias.elsewhere;
  }
}

TEST(Names, OneNameElsewhereMayBeSeveralHere) {
  EXPECT_EQ(name_here("FP8"), "e4m3fn");
  EXPECT_EQ(name_here("fp8", 1), "e5m2");
  EXPECT_EQ(name_here("fp8", 2), "e4m3fnuz");
  EXPECT_EQ(name_here("fp8", 3), "");
  EXPECT_EQ(name_here("rne", 1), "");
  EXPECT_EQ(name_here("nobody's"), "");
}

TEST(Names, WithoutASuggestionALongerListIsGiven) {
  const std::vector<std::string> names = {"aaaaaaaa", "bbbbbbbb"};
  std::vector<std::string_view> many;
  for (int i = 0; i < 40; ++i) many.push_back(names[static_cast<std::size_t>(i % 2)]);
  EXPECT_NE(unknown_name("fault", "nosuch", many).find("known: aaaaaaaa"), std::string::npos);
  EXPECT_EQ(unknown_name("fault", "aaaaaaa", many).find("known:"), std::string::npos);
}

TEST(Names, PrintSafely) {
  EXPECT_EQ(printable("a\n\x1B\xFF"), "'a\\x0A\\x1B\\xFF'");
  EXPECT_EQ(printable(std::string(300, 'x')).size(), 205U);
}

TEST(Names, FormatsAreBlocksOrElementsButNoScales) {
  EXPECT_NE(require_format("mxfp4").block, nullptr);
  EXPECT_EQ(require_format("e4m3fn").block, nullptr);
  EXPECT_EQ(require_format("int8").element->name, "int8");
  EXPECT_THROW((void)require_format("e8m0"), Error);
  EXPECT_THROW((void)require_format("mxfp5"), Error);
}

TEST(Policies, EveryTokenOfEveryFieldGoesInAndComesOut) {
  int tokens_seen = 0;
  for (const PolicyOption& field : policy_options()) {
    for (const std::string_view token : field.values()) {
      Policies policies;
      EXPECT_TRUE(field.set(policies, token)) << field.name;
      EXPECT_EQ(field.get(policies), token);
      for (const PolicyOption& other : policy_options()) {
        if (other.name == field.name) continue;
        EXPECT_EQ(other.get(policies), other.get(Policies{}));
      }
      ++tokens_seen;
    }
    Policies policies;
    EXPECT_FALSE(field.set(policies, "no_such_token"));
    EXPECT_EQ(policies, Policies{});
  }
  EXPECT_GT(tokens_seen, 60);
}

TEST(Policies, MetadataComesBackAsTheRecipe) {
  Recipe recipe;
  recipe.format = require_format("mxint8");
  recipe.block_size = 7;
  recipe.axis = -3;
  recipe.policies.block.dequant_overflow = DequantOverflow::kNan;
  const Recipe back = recipe_of("x", metadata_of(recipe));
  EXPECT_EQ(back.format.name, "mxint8");
  EXPECT_EQ(back.block_size, 7);
  EXPECT_EQ(back.axis, -3);
  EXPECT_EQ(back.policies.block.dequant_overflow, DequantOverflow::kNan);
}

TEST(Policies, BadMetadataIsBadInput) {
  Recipe recipe;
  recipe.format = require_format("mxfp4");
  for (const auto& [key, value] : {std::pair{"format", "mxfp5"},
                                   {"format", "\n"},
                                   {"block_size", "0"},
                                   {"block_size", "1025"},
                                   {"block_size", "3x"},
                                   {"axis", ""},
                                   {"axis", "1e3"},
                                   {"dequant_overflow", "bend"}}) {
    auto metadata = metadata_of(recipe);
    metadata[key] = value;
    try {
      (void)recipe_of("x.safetensors", metadata);
      ADD_FAILURE() << key << "=" << value;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::kBadInput);
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
    metadata.erase(key);
    if (std::string_view(key) != "dequant_overflow") {
      EXPECT_THROW((void)recipe_of("x", metadata), Error);
    }
  }
}

TEST(Chunks, CoverTheRangeOnceWhateverTheThreads) {
  for (const int threads : {1, 2, 7}) {
    std::vector<int> seen(1003, 0);
    for_each_chunk(seen.size(), 10, threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) ++seen[i];
    });
    for (const int count : seen) ASSERT_EQ(count, 1);
  }
  for_each_chunk(0, 10, 2, [](std::uint64_t, std::uint64_t) { FAIL(); });
}

TEST(Chunks, PassOnTheProblemOfAThread) {
  EXPECT_THROW(for_each_chunk(100, 1, 3,
                              [](std::uint64_t first, std::uint64_t) {
                                if (first == 50) throw Error(Exit::kBadInput, "50");
                              }),
               Error);
}

}  // namespace
}  // namespace mx::cli
