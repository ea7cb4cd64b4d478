// Numbers as text and back.
#include "golden/bytes/number_text.hpp"

#include <gtest/gtest.h>

namespace mx::golden {
namespace {

TEST(NumberText, HexHasTheDigitsOfItsBits) {
  EXPECT_EQ(hex(0xA, 4), "a");
  EXPECT_EQ(hex(0xA, 6), "0a");
  EXPECT_EQ(hex(0x3F800000, 32), "3f800000");
}

TEST(NumberText, HexIsReadWhole) {
  EXPECT_EQ(parse_hex("3F80"), 0x3F80U);
  EXPECT_EQ(parse_hex("ffffffffffffffff"), ~std::uint64_t{0});
  for (const char* text : {"", "0x1", "-1", " 1", "1 ", "g", "10000000000000000"}) {
    EXPECT_FALSE(parse_hex(text)) << text;
  }
}

TEST(NumberText, ShardsLieBelowTheirCount) {
  const auto shard = parse_shard("3/8");
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 3U);
  EXPECT_EQ(shard->count, 8U);
  for (const char* text :
       {"", "3", "/", "3/", "/8", "8/8", "0/0", "-1/8", "1/8 ", "1/2/3", "a/b"}) {
    EXPECT_FALSE(parse_shard(text)) << text;
  }
}

}  // namespace
}  // namespace mx::golden
