// SPDX-License-Identifier: Apache-2.0
// Texts with values in them, beside fmt.
#include "golden/text/filled.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace mx::golden {
namespace {

TEST(Filled, NumbersAreThoseOfFmt) {
  std::size_t count = 0;
  const auto same = [&]<typename Number>(Number n) {
    EXPECT_EQ(filled("{}", n), fmt::format("{}", n));
    EXPECT_EQ(filled("<{:6}>", n), fmt::format("<{:6}>", n));
    EXPECT_EQ(filled("<{:<6}>", n), fmt::format("<{:<6}>", n));
    EXPECT_EQ(filled("<{:>22}>", n), fmt::format("<{:>22}>", n));
    if constexpr (std::is_signed_v<Number>) {
      EXPECT_EQ(filled("<{:+}>", n), fmt::format("<{:+}>", n));
      EXPECT_EQ(filled("<{:+08}>", n), fmt::format("<{:+08}>", n));
    }
    EXPECT_EQ(filled("<{:x}|{:X}>", n, n), fmt::format("<{:x}|{:X}>", n, n));
    EXPECT_EQ(filled("<{:04x}|{:020X}>", n, n), fmt::format("<{:04x}|{:020X}>", n, n));
    EXPECT_EQ(filled("<{:0{}x}>", n, 9), fmt::format("<{:0{}x}>", n, 9));
    ++count;
  };
  for (const int n : {0, 1, -1, 9, 10, 255, 256, -255, 123456, -99999}) same(n);
  same(std::numeric_limits<int>::min());
  same(std::numeric_limits<std::int64_t>::min());
  same(std::numeric_limits<std::int64_t>::max());
  same(std::numeric_limits<std::uint64_t>::max());
  same(std::uint8_t{200});
  same(std::uint16_t{0xFFFF});
  EXPECT_EQ(count, 16U);
}

TEST(Filled, TextsAreThoseOfFmt) {
  const std::string empty;
  for (const std::string& text : {empty, std::string("a"), std::string("some words")}) {
    const std::string_view view = text;
    EXPECT_EQ(filled("{}|{}|{}", text, view, text.c_str()),
              fmt::format("{}|{}|{}", text, view, text));
    EXPECT_EQ(filled("<{:4}>", text), fmt::format("<{:4}>", text));
    EXPECT_EQ(filled("<{:<11}{}>", view, 'c'), fmt::format("<{:<11}{}>", view, 'c'));
    EXPECT_EQ(filled("<{:>11}>", view), fmt::format("<{:>11}>", view));
    EXPECT_EQ(filled("<{:<{}}>", view, 7), fmt::format("<{:<{}}>", view, 7));
    EXPECT_EQ(filled("<{:>{}}{}>", view, 0, view), fmt::format("<{:>{}}{}>", view, 0, view));
  }
  EXPECT_EQ(filled("no place"), "no place");
  EXPECT_EQ(filled(""), "");
  EXPECT_EQ(filled("{}", "\0after"), "");
}

TEST(Filled, ListsAreJoined) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "", "c"}, ", "), "a, , c");
}

}  // namespace
}  // namespace mx::golden
