// Layouts of codes and scales: spec F5, by the text's own formulas.
#include "reference/tensor/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reference/format/table.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "tests/support/stream.hpp"

namespace mx {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

Bytes packed(const CodeLayout& layout, const Bytes& codes) {
  Bytes out(layout.bytes(codes.size()).value(), std::byte{0xEE});
  pack(layout, codes, out);
  return out;
}

TEST(Packing, PutsElementsWhereTheTextSays) {
  const Bytes nibbles = bytes({0x1, 0x2, 0x3, 0x4});
  EXPECT_EQ(packed({Packing::kNibbleLowFirst}, nibbles), bytes({0x21, 0x43}));
  EXPECT_EQ(packed({Packing::kNibbleHighFirst}, nibbles), bytes({0x12, 0x34}));
  EXPECT_EQ(packed({Packing::kSplitHalf}, nibbles), bytes({0x31, 0x42}));
  EXPECT_EQ(packed({Packing::kSplitHalf, 2}, nibbles), bytes({0x21, 0x43}));
  EXPECT_EQ(packed({Packing::kBytePadded}, bytes({0x3F, 0x01})), bytes({0x3F, 0x01}));
  // 4 codes of 6 bits, the first in the low bits: 01, 02, 03, 3F.
  EXPECT_EQ(packed({Packing::kDense6}, bytes({0x01, 0x02, 0x03, 0x3F})), bytes({0x81, 0x30, 0xFC}));
  // spec F14.1: (1, 2) as fp4x2 is 42.
  EXPECT_EQ(packed({Packing::kNibbleLowFirst}, bytes({0x2, 0x4})), bytes({0x42}));
}

TEST(Packing, ComesBack) {
  oracle::Stream stream(800);
  std::size_t compared = 0;
  for (const PackingRow& row : packings()) {
    EXPECT_EQ(parse_packing(packing_name(row.packing)), row.packing);
    for (std::size_t count = 0; count < 70; count += row.packing == Packing::kSplitHalf ? 2 : 1) {
      Bytes codes(count);
      for (std::byte& code : codes) {
        code = static_cast<std::byte>(stream.below(std::uint64_t{1} << row.bits));
      }
      Bytes back(count, std::byte{0xEE});
      unpack({row.packing}, packed({row.packing}, codes), back);
      EXPECT_EQ(back, codes) << row.name << ' ' << count;
      compared += count;
    }
  }
  EXPECT_GT(compared, 5000U);
  EXPECT_EQ(parse_packing("nibble"), std::nullopt);
}

TEST(Packing, KnowsItsBytes) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(CodeLayout{Packing::kNibbleLowFirst}.bytes(3), 2U);
  EXPECT_EQ(CodeLayout{Packing::kNibbleLowFirst}.bytes(kMost), std::uint64_t{1} << 63);
  EXPECT_EQ(CodeLayout{Packing::kDense6}.bytes(5), 4U);
  EXPECT_EQ(CodeLayout{Packing::kDense6}.bytes(kMost), kMost / 4 * 3 + 3);
  EXPECT_EQ(CodeLayout{Packing::kBytePadded}.bytes(kMost), kMost);
  EXPECT_EQ(CodeLayout{Packing::kSplitHalf}.bytes(0), 0U);
  EXPECT_EQ(CodeLayout{Packing::kSplitHalf}.bytes(3), std::nullopt);
  for (const auto& [group, count, fits] : {std::tuple{32U, 96U, true},
                                           {32U, 32U, true},
                                           {32U, 0U, true},
                                           {32U, 31U, false},
                                           {32U, 33U, false},
                                           {3U, 6U, false},
                                           {2U, 6U, true}}) {
    const auto found = CodeLayout{Packing::kSplitHalf, group}.bytes(count);
    EXPECT_EQ(found, fits ? std::optional<std::uint64_t>(count / 2) : std::nullopt)
        << group << ' ' << count;
  }
}

TEST(Packing, HoldsCodesOfItsWidthAlone) {
  EXPECT_EQ(packing_problem(Packing::kDense6, formats::e2m3fn), "");
  EXPECT_EQ(packing_problem(Packing::kBytePadded, formats::e2m3fn), "");
  EXPECT_EQ(packing_problem(Packing::kDense6, formats::e2m1fn),
            "layout dense6 holds codes of 6 bits; those of e2m1fn have 4");
  EXPECT_EQ(packing_problem(Packing::kNibbleLowFirst, formats::e4m3fn),
            "layout nibble_low_first holds codes of 4 bits; those of e4m3fn have 8");
  EXPECT_EQ(packing_problem(Packing::kBytePadded, formats::fp16),
            "layout byte_padded holds codes of 1 to 8 bits; those of fp16 have 16");
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

// Each scale where the formula says, zeros elsewhere, for shapes around whole tiles.
TEST(Swizzle128x4, PutsScalesWhereTheFormulaSaysAndBringsThemBack) {
  for (const std::size_t rows : {0U, 1U, 127U, 128U, 129U, 130U}) {
    for (const std::size_t blocks : {0U, 1U, 3U, 4U, 5U, 8U}) {
      const Swizzle128x4 layout{rows, blocks};
      Bytes scales(rows * blocks), swizzled(layout.bytes(), std::byte{0xEE});
      for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = static_cast<std::byte>(i % 255 + 1);
      }
      Bytes expected(layout.bytes()), back(scales.size());
      for (std::size_t i = 0; i < scales.size(); ++i) {
        expected[layout.offset(i / blocks, i % blocks)] = scales[i];
      }
      swizzle(layout, scales, swizzled);
      EXPECT_EQ(swizzled, expected) << rows << " x " << blocks;
      unswizzle(layout, swizzled, back);
      EXPECT_EQ(back, scales) << rows << " x " << blocks;
      const auto zeros = std::ranges::count(swizzled, std::byte{0});
      EXPECT_EQ(static_cast<std::size_t>(zeros), layout.bytes() - scales.size());
    }
  }
}

TEST(ScaleLayouts, HoldScalesOfOneByteAlongOneAxis) {
  const auto problem = [](const char* format) {
    return scale_layout_problem(ScaleLayout::kSwizzle128x4, *find_block_format(format));
  };
  for (const ScaleLayoutRow& row : scale_layouts()) {
    EXPECT_EQ(parse_scale_layout(scale_layout_name(row.layout)), row.layout);
  }
  EXPECT_EQ(parse_scale_layout("swizzle"), std::nullopt);
  EXPECT_EQ(problem("mxfp8_e4m3"), "");
  EXPECT_EQ(problem("nvfp4"), "");
  EXPECT_EQ(problem("fp8_e4m3_fp32_row"),
            "layout swizzle_128x4 holds one-byte scales of blocks along one axis; "
            "fp8_e4m3_fp32_row has none");
  EXPECT_NE(problem("fp8_e5m2_fp32_128x128"), "");
  EXPECT_EQ(scale_layout_problem(ScaleLayout::kPlane, *find_block_format("fp8_e4m3_fp32_row")), "");
}

}  // namespace
}  // namespace mx
