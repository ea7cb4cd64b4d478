// SPDX-License-Identifier: Apache-2.0
// Values of ggml's blocks: some by hand, and digests of what the package gguf 0.19.0 makes of
// random blocks (gguf.quants.dequantize, NumPy 2.4.6; every NaN counted as 7FC00000).
#include <gtest/gtest.h>

#include <bit>

#include "cli/gguf/block_types.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/format/rows.hpp"

namespace mx::cli::test {
namespace {

const GgmlType& type_of(std::string_view name) {
  for (const GgmlType& type : ggml_types()) {
    if (type.name == name) return type;
  }
  throw std::out_of_range("no such type");
}

std::vector<std::uint32_t> values_of(const GgmlType& type, const std::string& blocks) {
  const auto bytes = static_cast<std::size_t>(type.bytes);
  const auto elements = static_cast<std::size_t>(type.elements);
  std::vector<std::uint32_t> values(blocks.size() / bytes * elements);
  for (std::size_t i = 0; i * bytes < blocks.size(); ++i) {
    ggml_values(type, reinterpret_cast<const std::byte*>(blocks.data()) + i * bytes,
                std::span(values).subspan(i * elements, elements));
  }
  return values;
}

std::vector<float> floats_of(std::string_view type, const std::string& blocks) {
  std::vector<float> floats;
  for (const std::uint32_t bits : values_of(type_of(type), blocks)) {
    floats.push_back(std::bit_cast<float>(bits));
  }
  return floats;
}

std::string random_blocks(const GgmlType& type) {
  constexpr int kBlocks = 40;
  std::uint64_t state = type.number;
  std::string bytes;
  for (int i = 0; i < kBlocks * type.bytes; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    bytes += static_cast<char>(state >> 56);
  }
  return bytes;
}

/// FNV-1a over words.
std::uint64_t digest(const std::vector<std::uint32_t>& values) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint32_t value : values) hash = (hash ^ value) * 0x100000001B3U;
  return hash;
}

struct Digest {
  const char* type;
  std::uint64_t gguf;
};
void PrintTo(const Digest& row, std::ostream* out) { *out << row.type; }

constexpr Digest kDigests[] = {
    {"Q4_0", 0x8720AE36A01BAF25},  {"Q4_1", 0xDDAD663568FA0C65},   {"Q5_0", 0x3E96030C54E2C325},
    {"Q5_1", 0x019B104221A2BE5E},  {"Q8_0", 0x0A76440210CD82A5},   {"Q2_K", 0x0656517540A7ACFE},
    {"Q3_K", 0x3C68EEF092985FE5},  {"Q4_K", 0x93E8CD23A420FDF4},   {"Q5_K", 0xBF6C162A99BFBEED},
    {"Q6_K", 0x091E09A59A383E0F},  {"IQ4_NL", 0xD8E73035784F8C65}, {"IQ4_XS", 0x336890996D8FE69B},
    {"TQ1_0", 0x11BD18F015D72325}, {"TQ2_0", 0x0106670DFE0F2325},  {"MXFP4", 0xED9676CCE5720725},
    {"NVFP4", 0xA512A02E9B4DEB25}};

class GgmlDigest : public testing::TestWithParam<Digest> {};

TEST_P(GgmlDigest, IsThatOfThePackage) {
  const GgmlType& type = type_of(GetParam().type);
  EXPECT_EQ(digest(values_of(type, random_blocks(type))), GetParam().gguf);
}

TEST_P(GgmlDigest, SeesEveryByteOfABlock) {
  const GgmlType& type = type_of(GetParam().type);
  const auto bytes = static_cast<std::size_t>(type.bytes);
  for (std::size_t changed = 0; changed < bytes; ++changed) {
    std::string blocks = random_blocks(type);
    for (std::size_t at = changed; at < blocks.size(); at += bytes) {
      blocks[at] = static_cast<char>(blocks[at] ^ 0x55);
    }
    EXPECT_NE(digest(values_of(type, blocks)), GetParam().gguf) << "byte " << changed;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GgmlDigest, testing::ValuesIn(kDigests),
                         [](const auto& row) { return std::string(row.param.type); });

// Every type but Q8_K, which no version of the package dequantizes, has a digest.
TEST(GgmlTypes, HaveDigests) { EXPECT_EQ(ggml_types().size(), std::size(kDigests) + 1); }

TEST(GgmlValues, OfQ4ZeroByHand) {
  // fp16 0.5; byte j: element j in the low bits, j + 16 in the high ones; code 8 is 0.
  std::string block("\x00\x38", 2);
  block += std::string(15, '\x88') + '\xF0';
  const std::vector<float> values = floats_of("Q4_0", block);
  EXPECT_EQ(values[0], 0.0F);
  EXPECT_EQ(values[15], -4.0F);
  EXPECT_EQ(values[31], 3.5F);
}

TEST(GgmlValues, OfMxfp4ByHand) {
  // Scale byte 128 is 2; codes 1 (0.5), 7 (6), 9 (-0.5) and 8, which is +0.
  std::string block = "\x80";
  block += std::string(13, '\0') + "\x71" + "\x89" + std::string(1, '\0');
  const std::vector<std::uint32_t> bits = values_of(type_of("MXFP4"), block);
  EXPECT_EQ(bits[13], std::bit_cast<std::uint32_t>(1.0F));
  EXPECT_EQ(bits[29], std::bit_cast<std::uint32_t>(12.0F));
  EXPECT_EQ(bits[14], std::bit_cast<std::uint32_t>(-1.0F));
  EXPECT_EQ(bits[30], 0U);
  // 6 * 2^127 is beyond binary32; FF counts as 2^128.
  block[0] = '\xFE';
  EXPECT_EQ(values_of(type_of("MXFP4"), block)[29], fp32::kInfinity);
  EXPECT_EQ(values_of(type_of("MXFP4"), block)[13], std::bit_cast<std::uint32_t>(0x1P126F));
  block[0] = '\xFF';
  EXPECT_EQ(values_of(type_of("MXFP4"), block)[13], std::bit_cast<std::uint32_t>(0x1P127F));
  block[0] = '\x00';  // 2^-127
  EXPECT_EQ(values_of(type_of("MXFP4"), block)[13], std::bit_cast<std::uint32_t>(0x1P-128F));
}

TEST(GgmlValues, OfNvfp4ByHand) {
  // Scales 38 (1), 7E (448), 7F (nothing), 01 (2^-9), each of 16 elements in 8 bytes.
  const std::string block = std::string("\x38\x7E\x7F\x01", 4) + std::string(32, '\x72');
  const std::vector<float> values = floats_of("NVFP4", block);
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[8], 6.0F);
  EXPECT_EQ(values[16], 448.0F);
  EXPECT_EQ(values[24], 2688.0F);
  EXPECT_EQ(values[40], 0.0F);
  EXPECT_EQ(values[48], 0x1P-9F);
}

TEST(GgmlValues, OfQ8KByHand) {
  // binary32 0.25, signed codes, then sums that values do not need.
  std::string block("\x00\x00\x80\x3E", 4);
  block += std::string(1, '\x80') + std::string(254, '\x04') + '\x7F' + std::string(32, '\x55');
  const std::vector<float> values = floats_of("Q8_K", block);
  EXPECT_EQ(values[0], -32.0F);
  EXPECT_EQ(values[1], 1.0F);
  EXPECT_EQ(values[255], 31.75F);
}

// The host's arithmetic against the reference's integers: fp16 d and m, all codes of Q4_1.
TEST(GgmlValues, AreProductsAndSumsRoundedOnceEach) {
  const GgmlType& type = type_of("Q4_1");
  int compared = 0;
  for (std::uint32_t d = 0x0001; d < 0x7C00; d += 0x0107) {
    for (std::uint32_t m = 0x8001; m < 0xFC00; m += 0x0307) {
      std::string block = {static_cast<char>(d & 0xFF), static_cast<char>(d >> 8),
                           static_cast<char>(m & 0xFF), static_cast<char>(m >> 8)};
      for (int i = 0; i < 16; ++i) block += static_cast<char>(i);
      const std::vector<std::uint32_t> values = values_of(type, block);
      const fp32::Bits step = fp32::round(decode(formats::fp16, d));
      const fp32::Bits least = fp32::round(decode(formats::fp16, m));
      for (std::uint32_t i = 0; i < 16; ++i, ++compared) {
        const fp32::Bits product = fp32::multiply(step, fp32::from_integer(i));
        ASSERT_EQ(values[i], fp32::add(product, least)) << d << " " << m << " " << i;
      }
    }
  }
  EXPECT_GT(compared, 50'000);
}

}  // namespace
}  // namespace mx::cli::test
