// Tensors whose blocks are tiles, whole axes or whole tensors, and the tensor level.
#include <gtest/gtest.h>

#include <cstring>

#include "reference/tensor/tensor.hpp"
#include "tests/reference/judgement/rules_sweep.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

std::vector<std::uint64_t> random_matrix(std::size_t elements, Stream& stream) {
  std::vector<std::uint64_t> words(elements);
  for (std::uint64_t& x : words) x = (stream.next() & 0x807FFFFF) | (110 + stream.below(20)) << 23;
  return words;
}

std::vector<std::byte> bytes_of(const std::vector<std::uint64_t>& words) {
  std::vector<std::byte> bytes(words.size() * 4);
  for (std::size_t i = 0; i < words.size(); ++i) std::memcpy(&bytes[i * 4], &words[i], 4);
  return bytes;
}

/// A batch of matrices cut into tiles by hand, each quantized as a block.
TEST(Tiles, AreBlocksLineByLine) {
  Stream stream(820);
  const std::uint64_t batch = 2, rows = 35, columns = 50;
  const std::vector<std::uint64_t> words = random_matrix(batch * rows * columns, stream);
  QuantizerConfig config{formats::fp32, *find_block_format("nvfp4_16x16"), {}, {}};
  config.block.rule = ScaleRule::kNvfp4Exact;
  config.tensor = tensor_level(config, tensor_amax(formats::fp32, {}, bytes_of(words)));
  const Quantizer quantizer = made(config);
  const std::vector<std::uint64_t> dims = {batch, rows, columns};
  const auto shape = BlockedShape::make(dims, -1, config.format);
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->scales, 2U * 3 * 4);
  std::vector<std::byte> codes(words.size()), scales(shape->scales), values(words.size() * 4);
  EXPECT_TRUE(quantize_tensor(quantizer, *shape, Tail::kShort, bytes_of(words), {}, codes, scales));
  EXPECT_TRUE(
      dequantize_tensor(quantizer, *shape, Tail::kShort, codes, scales, formats::fp32, values));
  std::size_t scale = 0;
  for (std::uint64_t b = 0; b < batch; ++b) {
    for (std::uint64_t row = 0; row < rows; row += 16) {
      for (std::uint64_t column = 0; column < columns; column += 16) {
        std::vector<std::uint64_t> block, where;
        for (std::uint64_t r = row; r < std::min(rows, row + 16); ++r) {
          for (std::uint64_t c = column; c < std::min(columns, column + 16); ++c) {
            where.push_back((b * rows + r) * columns + c);
            block.push_back(words[where.back()]);
          }
        }
        std::vector<std::uint64_t> want(block.size()), back(block.size());
        const BlockResult result = quantizer.quantize_block(block, {}, want);
        quantizer.dequantize_block(result.scale_code, want, formats::fp32, back);
        EXPECT_EQ(static_cast<std::uint64_t>(scales[scale++]), result.scale_code);
        for (std::size_t i = 0; i < block.size(); ++i) {
          EXPECT_EQ(static_cast<std::uint64_t>(codes[where[i]]), want[i]);
          std::uint32_t value = 0;
          std::memcpy(&value, &values[where[i] * 4], 4);
          EXPECT_EQ(value, back[i]);
        }
      }
    }
  }
}

TEST(Extents, AreTheWholeAxisAndTheWholeTensor) {
  Stream stream(821);
  const std::vector<std::uint64_t> dims = {3, 700, 2};
  const std::vector<std::uint64_t> words = random_matrix(4200, stream);
  const auto row = BlockedShape::make(dims, 1, *find_block_format("fp8_e4m3_fp32_row"));
  const auto tensor = BlockedShape::make(dims, 1, *find_block_format("fp8_e4m3_fp32_tensor"));
  ASSERT_TRUE(row && tensor);
  EXPECT_EQ(row->scales, 6U);
  EXPECT_EQ(tensor->scales, 1U);
  for (const char* name : {"fp8_e4m3_fp32_row", "fp8_e4m3_fp32_tensor"}) {
    QuantizerConfig config{formats::fp32, *find_block_format(name), {}, {}};
    config.block.rule = config.format.rule;
    const auto shape = *BlockedShape::make(dims, 1, config.format);
    std::vector<std::byte> codes(words.size()), scales(shape.scales * scale_bytes(config.format));
    EXPECT_TRUE(
        quantize_tensor(made(config), shape, Tail::kShort, bytes_of(words), {}, codes, scales));
    for (std::size_t s = 0; s < shape.scales; ++s) {
      std::uint64_t amax = 0;
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t line = i / 1400 * 2 + i % 2;  // axis 1: 700 elements, 2 apart
        if (shape.scales == 1 || line == s) amax = std::max(amax, words[i] & 0x7FFFFFFF);
      }
      const Real x = value_of(formats::fp32, amax);
      const Extended want =
          fl32(over(extended(x), extended(largest_magnitude(config.format.element))));
      std::uint32_t got = 0;
      std::memcpy(&got, &scales[s * 4], 4);
      EXPECT_EQ(
          dyadic(value_of(formats::fp32, got).significand, value_of(formats::fp32, got).exponent),
          want.magnitude)
          << name << ' ' << s;
    }
  }
}

// A tensor's level given as a scale is used as given; the derived one is what the rule stores.
TEST(TensorLevels, AreDerivedOrGiven) {
  Stream stream(822);
  Report report;
  for (const ScaleRule rule : {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Te,
                               ScaleRule::kNvfp4Torchao, ScaleRule::kNvfp44over6}) {
    QuantizerConfig config{formats::fp32, *find_block_format("nvfp4"), {}, {}};
    config.block.rule = rule;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t amax = 1 + stream.below(0x7F7FFFFF);
      const TensorLevel level = tensor_level(config, decode(formats::fp32, amax));
      const Real x = value_of(formats::fp32, amax);
      const BlockCase block{config.source, config.format, {}, config.block};
      const Extended want = stored_tensor_scale(block, dyadic(x.significand, x.exponent));
      const Real got = value_of(formats::fp32, level.scale);
      report.check(level.amax == amax && dyadic(got.significand, got.exponent) == want.magnitude,
                   [&] { return hex(amax, 8) + " gave " + hex(level.scale, 8); });
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

TEST(HifxTensors, StoreFourBytesAScale) {
  Stream stream(823);
  QuantizerConfig config{formats::fp32, *find_block_format("hifx4"), {}, {}};
  config.block.rule = ScaleRule::kHif4;
  const Quantizer quantizer = made(config);
  const std::vector<std::uint64_t> words = random_matrix(100, stream), dims = {100};
  const auto shape = *BlockedShape::make(dims, 0, config.format);
  ASSERT_EQ(scale_bytes(config.format), 4U);
  std::vector<std::byte> codes(100), scales(shape.scales * 4), values(400);
  EXPECT_TRUE(quantize_tensor(quantizer, shape, Tail::kShort, bytes_of(words), {}, codes, scales));
  EXPECT_TRUE(
      dequantize_tensor(quantizer, shape, Tail::kShort, codes, scales, formats::fp32, values));
  for (std::size_t begin = 0; begin < 100; begin += 64) {
    const std::size_t count = std::min<std::size_t>(64, 100 - begin);
    std::vector<std::uint64_t> want(count), back(count);
    const BlockResult result =
        quantizer.quantize_block(std::span(words).subspan(begin, count), {}, want);
    std::uint32_t scale = 0;
    std::memcpy(&scale, &scales[begin / 64 * 4], 4);
    EXPECT_EQ(scale, result.scale_code);
    quantizer.dequantize_block(scale, want, formats::fp32, back);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, &values[(begin + i) * 4], 4);
      EXPECT_EQ(value, back[i]);
      EXPECT_EQ(static_cast<std::uint64_t>(codes[begin + i]), want[i]);
    }
  }
}

}  // namespace
}  // namespace mx::oracle
