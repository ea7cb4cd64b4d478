// Philox4x32-10 against the vectors published with Random123 (kat_vectors).
#include "reference/number/philox.hpp"

#include <gtest/gtest.h>

#include "golden/points/draw.hpp"

namespace mx::golden {
namespace {

TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, 0),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, ~std::uint64_t{0}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, DrawFollowsTheCounter) {
  Draw draw(7, 9, 0x100000003);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (const std::uint32_t word : philox4x32({3, 1, 9, block}, 7)) EXPECT_EQ(draw.word(), word);
  }
}

TEST(Philox, BelowIsTheHighProduct) {
  Draw draw(1, 2, 3);
  Draw same(1, 2, 3);
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 33,
                                ~std::uint64_t{0}, std::uint64_t{0x123456789ABCDEF}}) {
    const unsigned __int128 product = static_cast<unsigned __int128>(same.word64()) * n;
    EXPECT_EQ(draw.below(n), static_cast<std::uint64_t>(product >> 64));
  }
}

}  // namespace
}  // namespace mx::golden
