// SPDX-License-Identifier: Apache-2.0
// Layouts on threads and by vectors are those of the reference, bit for bit.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "backend/layout/packing.hpp"
#include "backend/layout/scale_layout.hpp"
#include "tests/support/stream.hpp"

namespace mx::backend {
namespace {

using Bytes = std::vector<std::byte>;

Bytes drawn(std::size_t count, int bits, std::uint32_t seed) {
  oracle::Stream stream(seed);
  Bytes codes(count);
  for (std::byte& code : codes) {
    code = static_cast<std::byte>(stream.below(std::uint64_t{1} << bits));
  }
  return codes;
}

// Lengths around the pieces that threads take, and odd ones.
TEST(CodePacker, GivesTheBytesOfTheReference) {
  for (const PackingRow& row : packings()) {
    for (const std::uint64_t group : {0U, 32U, 1022U}) {
      const bool is_split = row.packing == Packing::kSplitHalf;
      if (group != 0 && !is_split) continue;
      const CodeLayout layout{row.packing, group};
      const CodePacker packer(layout);
      EXPECT_EQ(packer.self_check(), "") << row.name;
      constexpr std::size_t kPiece = 1 << 17;
      for (const std::size_t about :
           {std::size_t{0}, std::size_t{2}, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece + 7}) {
        const std::size_t whole = group == 0 ? 2 : group;
        const std::size_t count = is_split ? about / whole * whole : about;
        const Bytes codes = drawn(count, row.bits, 7);
        Bytes expected(layout.bytes(count).value());
        Bytes packed(expected.size(), std::byte{0xEE});
        Bytes back(count, std::byte{0xEE});
        mx::pack(layout, codes, expected);
        packer.pack(codes, packed, 3);
        EXPECT_EQ(packed, expected) << row.name << ' ' << count;
        packer.unpack(packed, back, 3);
        EXPECT_EQ(back, codes) << row.name << ' ' << count;
      }
    }
  }
}

TEST(CodePacker, RefusesSpansThatDoNotFit) {
  const CodePacker packer({Packing::kDense6});
  Bytes codes(8), packed(6);
  packer.pack(codes, packed);
  EXPECT_THROW(packer.pack(codes, std::span(packed).first(5)), std::logic_error);
  EXPECT_THROW(packer.unpack(std::span(packed).first(5), codes), std::logic_error);
  EXPECT_THROW(packer.pack(std::span(codes).first(7), std::span(packed).first(5)),
               std::logic_error);
  const CodePacker halves({Packing::kSplitHalf, 4});
  EXPECT_THROW(halves.pack(std::span(codes).first(6), std::span(packed).first(3)),
               std::logic_error);
}

TEST(ScaleMatrix, GivesTheBytesOfTheReference) {
  for (const std::uint64_t rows : {1U, 128U, 1000U, 1025U}) {
    for (const std::uint64_t blocks : {1U, 4U, 300U}) {
      const ScaleMatrix matrix{ScaleLayout::kSwizzle128x4, rows, blocks};
      const Swizzle128x4 tiles{rows, blocks};
      const Bytes plane = drawn(matrix.plane_bytes().value(), 8, 9);
      ASSERT_EQ(matrix.bytes(), tiles.bytes());
      Bytes expected(tiles.bytes()), laid_out(tiles.bytes(), std::byte{0xEE}), back(plane.size());
      swizzle(tiles, plane, expected);
      lay_out(matrix, plane, laid_out, 3);
      EXPECT_EQ(laid_out, expected) << rows << " x " << blocks;
      bring_back(matrix, laid_out, back, 3);
      EXPECT_EQ(back, plane) << rows << " x " << blocks;
    }
  }
}

TEST(ScaleMatrix, KnowsItsBytes) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 62;
  const auto bytes = [](ScaleLayout layout, std::uint64_t rows, std::uint64_t blocks) {
    return ScaleMatrix{layout, rows, blocks}.bytes();
  };
  EXPECT_EQ(bytes(ScaleLayout::kPlane, 3, 5), 15U);
  EXPECT_EQ(bytes(ScaleLayout::kPlane, kHalf, 1), kHalf);
  EXPECT_EQ(bytes(ScaleLayout::kPlane, kHalf, 2), std::nullopt);
  EXPECT_EQ(bytes(ScaleLayout::kPlane, kHalf, 0), 0U);
  EXPECT_EQ(bytes(ScaleLayout::kSwizzle128x4, 129, 5), 256U * 8);
  EXPECT_EQ(bytes(ScaleLayout::kSwizzle128x4, 0, 5), 0U);
  EXPECT_EQ(bytes(ScaleLayout::kSwizzle128x4, kHalf, 1), std::nullopt);
  EXPECT_EQ(bytes(ScaleLayout::kSwizzle128x4, 1, ~std::uint64_t{0}), std::nullopt);
  EXPECT_EQ(bytes(ScaleLayout::kSwizzle128x4, ~std::uint64_t{0}, 1), std::nullopt);
}

}  // namespace
}  // namespace mx::backend
