// Layouts of codes and scales: spec F5, by the text's own formulas.
#include "reference/tensor/packing.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/support/stream.hpp"

namespace mx {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes packed(Packing packing, const Bytes& codes) {
  Bytes out(packed_bytes(packing, codes.size()), 0xEE);
  pack(packing, codes, out);
  return out;
}

TEST(Packing, PutsElementsWhereTheTextSays) {
  const Bytes nibbles = {0x1, 0x2, 0x3, 0x4};
  EXPECT_EQ(packed(Packing::kNibbleLowFirst, nibbles), (Bytes{0x21, 0x43}));
  EXPECT_EQ(packed(Packing::kNibbleHighFirst, nibbles), (Bytes{0x12, 0x34}));
  EXPECT_EQ(packed(Packing::kSplitHalf, nibbles), (Bytes{0x31, 0x42}));
  EXPECT_EQ(packed(Packing::kBytePadded, {0x3F, 0x01}), (Bytes{0x3F, 0x01}));
  // 4 codes of 6 bits, the first in the low bits: 01, 02, 03, 3F.
  EXPECT_EQ(packed(Packing::kDense6, {0x01, 0x02, 0x03, 0x3F}), (Bytes{0x81, 0x30, 0xFC}));
  // spec F14.1: (1, 2) as fp4x2 is 42.
  EXPECT_EQ(packed(Packing::kNibbleLowFirst, {0x2, 0x4}), (Bytes{0x42}));
}

TEST(Packing, ComesBack) {
  oracle::Stream stream(800);
  std::size_t compared = 0;
  for (const Packing packing : {Packing::kBytePadded, Packing::kNibbleLowFirst,
                                Packing::kNibbleHighFirst, Packing::kSplitHalf, Packing::kDense6}) {
    EXPECT_EQ(parse_packing(packing_name(packing)), packing);
    for (std::size_t count = 0; count < 70; count += packing == Packing::kSplitHalf ? 2 : 1) {
      Bytes codes(count);
      for (std::uint8_t& code : codes) {
        code = static_cast<std::uint8_t>(stream.below(std::uint64_t{1} << packed_bits(packing)));
      }
      Bytes back(count, 0xEE);
      unpack(packing, packed(packing, codes), back);
      EXPECT_EQ(back, codes) << packing_name(packing) << ' ' << count;
      compared += count;
    }
  }
  EXPECT_GT(compared, 5000U);
  EXPECT_EQ(parse_packing("nibble"), std::nullopt);
  EXPECT_EQ(packed_bytes(Packing::kSplitHalf, 3), 0U);
  EXPECT_EQ(packed_bytes(Packing::kNibbleLowFirst, 3), 2U);
}

// Every slot of a few tiles: the formula, its inverse, and that nothing is hit twice.
TEST(Swizzle128x4, IsABijectionOntoItsTiles) {
  const Swizzle128x4 layout{.outer = 200, .inner = 10};
  EXPECT_EQ(layout.bytes(), 2U * 3 * 512);
  std::set<std::size_t> seen;
  for (std::size_t row = 0; row < 256; ++row) {
    for (std::size_t block = 0; block < 12; ++block) {
      const std::size_t offset = layout.offset(row, block);
      const std::size_t tile = (block / 4 * 4 + row / 128 * 128 / 128 * 12) / 4;
      EXPECT_EQ(offset, tile * 512 + (row % 32) * 16 + (row % 128) / 32 * 4 + block % 4);
      EXPECT_EQ(layout.place(offset).row, row);
      EXPECT_EQ(layout.place(offset).block, block);
      seen.insert(offset);
    }
  }
  EXPECT_EQ(seen.size(), layout.bytes());
  EXPECT_EQ(*seen.rbegin(), layout.bytes() - 1);
}

TEST(Swizzle128x4, ZeroFillsAndComesBack) {
  const Swizzle128x4 layout{.outer = 130, .inner = 5};
  Bytes scales(650, 0x7F), swizzled(layout.bytes(), 0xEE), back(scales.size());
  scales[7] = 0x42;
  swizzle(layout, scales, swizzled);
  unswizzle(layout, swizzled, back);
  EXPECT_EQ(back, scales);
  const auto zeros = static_cast<std::size_t>(std::count(swizzled.begin(), swizzled.end(), 0));
  EXPECT_EQ(zeros, layout.bytes() - scales.size());
}

}  // namespace
}  // namespace mx
