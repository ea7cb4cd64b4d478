#include "cli/tensors/packing.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cli/base/error.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

std::vector<std::byte> packed(std::string_view name, const std::vector<std::byte>& codes) {
  std::vector<std::byte> result(packed_bytes(name, codes.size()));
  pack(name, codes, result);
  return result;
}

TEST(Packing, PutsNibblesWhereTheirNamesSay) {
  EXPECT_EQ(packed("nibble_low_first", bytes({1, 2, 0xF})), bytes({0x21, 0x0F}));
  EXPECT_EQ(packed("nibble_high_first", bytes({1, 2, 0xF})), bytes({0x12, 0xF0}));
}

TEST(Packing, PutsFourSixBitCodesInThreeBytes) {
  EXPECT_EQ(packed("dense6", bytes({0x3F, 0, 0, 0})), bytes({0x3F, 0, 0}));
  EXPECT_EQ(packed("dense6", bytes({0, 0x3F, 0, 0})), bytes({0xC0, 0x0F, 0}));
  EXPECT_EQ(packed("dense6", bytes({0, 0, 0x3F, 0})), bytes({0, 0xF0, 0x03}));
  EXPECT_EQ(packed("dense6", bytes({0, 0, 0, 0x3F, 1})), bytes({0, 0, 0xFC, 0x01}));
}

TEST(Packing, ComesBackForEveryLengthAndCode) {
  for (const auto& [name, bits] :
       {std::pair{"nibble_low_first", 4}, {"nibble_high_first", 4}, {"dense6", 6}}) {
    for (std::size_t size = 0; size < 70; ++size) {
      std::vector<std::byte> codes;
      for (std::size_t i = 0; i < size; ++i) {
        codes.push_back(static_cast<std::byte>((i * 37 + size) & ((1U << bits) - 1)));
      }
      std::vector<std::byte> back(size);
      unpack(name, packed(name, codes), back);
      EXPECT_EQ(back, codes) << name << " " << size;
    }
  }
}

TEST(Packing, RefusesLayoutsOfAnotherWidth) {
  EXPECT_EQ(require_packing("", formats::e4m3fn), "");
  EXPECT_EQ(require_packing("byte_padded", formats::e2m3fn), "");
  EXPECT_EQ(require_packing("dense6", formats::e2m3fn), "dense6");
  EXPECT_THROW((void)require_packing("dense6", formats::e2m1fn), Error);
  EXPECT_THROW((void)require_packing("nibble_low_first", formats::e4m3fn), Error);
  EXPECT_THROW((void)require_packing("nible", formats::e2m1fn), Error);
}

}  // namespace
}  // namespace mx::cli
