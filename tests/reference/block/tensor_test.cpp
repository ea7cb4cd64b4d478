// Dequantization and tensors: against the oracle, and against the laws that tie tensors to blocks.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/reference/judgement/block_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

// spec F12.2, every scale code and every element code, every output and overflow policy.
TEST(Dequantize, EveryScaleAndCode) {
  for (const BlockFormat& format : mx_block_formats()) {
    Report report;
    for (const char* name : {"fp32", "bf16", "fp16"}) {
      const ElementFormat& output = *find_format(name);
      const ElementOracle<TickField> judge(output);
      for (const Token<DequantOverflow>& overflow : tokens<DequantOverflow>()) {
        BlockPolicy policy;
        policy.dequant_overflow = overflow.value;
        const Quantizer quantizer = made(QuantizerConfig{formats::fp32, format, {}, policy});
        for (std::uint64_t scale = 0; scale < 256; ++scale) {
          // Scale codes in the middle behave alike: a stride there, all of them at the ends.
          if (scale > 40 && scale < 216 && scale % 8 != 7) continue;
          std::vector<std::uint64_t> codes(std::size_t{1} << format.element.bits);
          std::iota(codes.begin(), codes.end(), std::uint64_t{0});
          std::vector<std::uint64_t> values(codes.size());
          quantizer.dequantize_block(scale, codes, output, values);
          for (const std::uint64_t code : codes) {
            const std::uint64_t want = dequantize(judge, format, overflow.value, scale, code);
            report.check(values[code] == want, [&] {
              return std::string(format.name) + " to " + name + ' ' + std::string(overflow.text) +
                     " scale " + hex(scale) + " code " + hex(code) + ": got " + hex(values[code]) +
                     ", oracle " + hex(want);
            });
          }
        }
      }
    }
    EXPECT_EQ(report.exit_code(), 0) << report.text();
  }
}

// spec F2 item 11: scale times element is exact in binary32 unless it overflows.
TEST(Dequantize, ProductsAreExactInBinary32) {
  std::uint64_t exact = 0;
  for (const BlockFormat& format : mx_block_formats()) {
    const Quantizer quantizer = made(QuantizerConfig{formats::fp32, format, {}, {}});
    for (std::uint64_t scale = 0; scale < 255; ++scale) {
      for (std::uint64_t code = 0; code < std::uint64_t{1} << format.element.bits; ++code) {
        const Real element = value_of(format.element, code);
        if (!element.finite()) continue;
        std::uint64_t value = 0;
        quantizer.dequantize_block(scale, {&code, 1}, formats::fp32, {&value, 1});
        const Real got = value_of(formats::fp32, value);
        if (got.kind == Kind::kInf) {
          EXPECT_GT(scale, 127U);
          continue;
        }
        const Real want = scaled(element, value_of(format.scale, scale).exponent);
        ASSERT_EQ(TickField::make(got.significand, got.exponent),
                  TickField::make(want.significand, want.exponent));
        ++exact;
      }
    }
  }
  EXPECT_GT(exact, 200'000U);
}

/// A tensor of fp32 words with everything in it.
std::vector<std::byte> random_tensor(std::uint64_t elements, Stream& stream) {
  std::vector<std::byte> bytes(elements * 4);
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint32_t word = stream.next();
    if (i % 3 != 0) word = (word & 0x807FFFFF) | (100 + stream.next() % 40) << 23;
    std::memcpy(bytes.data() + i * 4, &word, 4);
  }
  return bytes;
}

std::uint64_t word_at(const std::vector<std::byte>& bytes, std::uint64_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + index * 4, 4);
  return word;
}

struct Quantized {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  TensorSummary summary;
  bool operator==(const Quantized& other) const {
    return codes == other.codes && scales == other.scales;
  }
};

Quantized quantize_all(const Quantizer& quantizer, const BlockedShape& shape, Tail tail,
                       const std::vector<std::byte>& source, CounterRandom random = {}) {
  const auto k = static_cast<std::uint64_t>(quantizer.config().format.block_size);
  const std::uint64_t stored =
      tail == Tail::kShort ? shape.elements : shape.outer * shape.blocks * k * shape.inner;
  Quantized out{std::vector<std::byte>(stored), std::vector<std::byte>(shape.scales), {}};
  out.summary =
      quantize_tensor(quantizer, shape, tail, source, random, out.codes, out.scales).value();
  return out;
}

QuantizerConfig stochastic_config(int block_size) {
  QuantizerConfig config{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}};
  config.format.block_size = block_size;
  config.element.rounding = Rounding::kStochasticA;
  config.element.random_bits = 12;
  return config;
}

// A tensor is its blocks: each block of the C-order walk, with R from the element's index.
TEST(Tensor, IsItsBlocks) {
  Stream stream(400);
  struct Case {
    std::vector<std::uint64_t> shape;
    std::int64_t axis;
    int block_size;
  };
  std::uint64_t blocks = 0;
  for (const Case& c :
       {Case{{7, 70}, -1, 32}, Case{{70, 7}, 0, 32}, Case{{3, 37, 5}, 1, 16}, Case{{5}, 0, 32},
        Case{{64}, -1, 32}, Case{{}, 0, 32}, Case{{2, 3, 4}, -3, 1}, Case{{2, 1030}, 1, 1024},
        Case{{4, 0, 3}, 0, 32}, Case{{4, 0}, 1, 32}}) {
    const Quantizer quantizer = made(stochastic_config(c.block_size));
    const auto shape = BlockedShape::make(c.shape, c.axis, c.block_size);
    ASSERT_TRUE(shape.has_value());
    const std::vector<std::byte> source = random_tensor(shape->elements, stream);
    const CounterRandom random{test_seed(), 3};
    const Quantized got = quantize_all(quantizer, *shape, Tail::kShort, source, random);
    std::uint64_t nan_scales = 0;
    for (std::uint64_t outer = 0; outer < shape->outer; ++outer) {
      for (std::uint64_t b = 0; b < shape->blocks; ++b) {
        for (std::uint64_t inner = 0; inner < shape->inner; ++inner) {
          std::vector<std::uint64_t> block;
          std::vector<std::uint32_t> words;
          std::vector<std::uint64_t> at;
          const auto k = static_cast<std::uint64_t>(c.block_size);
          for (std::uint64_t i = b * k; i < std::min((b + 1) * k, shape->length); ++i) {
            at.push_back((outer * shape->length + i) * shape->inner + inner);
            block.push_back(word_at(source, at.back()));
            words.push_back(counter_random(random.seed, random.tensor, at.back(), 12));
          }
          std::vector<std::uint64_t> codes(block.size());
          const BlockResult want = quantizer.quantize_block(block, words, codes);
          for (std::size_t i = 0; i < at.size(); ++i) {
            EXPECT_EQ(static_cast<std::uint64_t>(got.codes[at[i]]), codes[i]);
          }
          const std::uint64_t scale = (outer * shape->blocks + b) * shape->inner + inner;
          EXPECT_EQ(static_cast<std::uint64_t>(got.scales[scale]), want.scale_code);
          nan_scales += (want.flags & kBlockNanScale) != 0 ? 1 : 0;
          ++blocks;
        }
      }
    }
    EXPECT_EQ(got.summary.blocks, shape->scales);
    EXPECT_EQ(got.summary.elements, shape->elements);
    EXPECT_EQ(got.summary.nan_scales, nan_scales);
  }
  EXPECT_GT(blocks, 100U);
}

// Blocking a matrix along axis 0 is transposing it, blocking along axis 1 and transposing back.
TEST(Tensor, AxisIsTranspose) {
  Stream stream(401);
  constexpr std::uint64_t kRows = 45;
  constexpr std::uint64_t kColumns = 19;
  const std::vector<std::byte> source = random_tensor(kRows * kColumns, stream);
  std::vector<std::byte> turned(source.size());
  for (std::uint64_t r = 0; r < kRows; ++r) {
    for (std::uint64_t c = 0; c < kColumns; ++c) {
      std::memcpy(turned.data() + (c * kRows + r) * 4, source.data() + (r * kColumns + c) * 4, 4);
    }
  }
  QuantizerConfig config{formats::fp32, *find_block_format("mxfp6_e3m2"), {}, {}};
  config.block.rule = ScaleRule::kRceil;
  const Quantizer quantizer = made(config);
  const std::uint64_t matrix[] = {kRows, kColumns};
  const std::uint64_t transposed[] = {kColumns, kRows};
  const Quantized a =
      quantize_all(quantizer, *BlockedShape::make(matrix, 0, 32), Tail::kShort, source);
  const Quantized b =
      quantize_all(quantizer, *BlockedShape::make(transposed, 1, 32), Tail::kShort, turned);
  for (std::uint64_t r = 0; r < kRows; ++r) {
    for (std::uint64_t c = 0; c < kColumns; ++c) {
      ASSERT_EQ(a.codes[r * kColumns + c], b.codes[c * kRows + r]);
    }
  }
  for (std::uint64_t c = 0; c < kColumns; ++c) {
    for (std::uint64_t block = 0; block < 2; ++block) {
      ASSERT_EQ(a.scales[block * kColumns + c], b.scales[c * 2 + block]);
    }
  }
}

// A padded tensor holds the short one's codes and scales, and zero codes in the padding.
TEST(Tensor, ZeroPaddingAddsZeroCodes) {
  Stream stream(402);
  for (const std::int64_t axis : {0, 1, 2}) {
    const std::uint64_t dims[] = {3, 41, 5};
    const Quantizer quantizer = made(stochastic_config(16));
    const BlockedShape shape = *BlockedShape::make(dims, axis, 16);
    const std::vector<std::byte> source = random_tensor(shape.elements, stream);
    const Quantized small = quantize_all(quantizer, shape, Tail::kShort, source, {9, 1});
    const Quantized padded = quantize_all(quantizer, shape, Tail::kZeroPad, source, {9, 1});
    EXPECT_EQ(small.scales, padded.scales);
    const std::uint64_t length = shape.blocks * 16;
    std::uint64_t padding = 0;
    for (std::uint64_t outer = 0; outer < shape.outer; ++outer) {
      for (std::uint64_t i = 0; i < length; ++i) {
        for (std::uint64_t inner = 0; inner < shape.inner; ++inner) {
          const std::byte code = padded.codes[(outer * length + i) * shape.inner + inner];
          if (i < shape.length) {
            EXPECT_EQ(code, small.codes[(outer * shape.length + i) * shape.inner + inner]);
          } else {
            EXPECT_EQ(code, std::byte{0});
            ++padding;
          }
        }
      }
    }
    EXPECT_GT(padding, 0U);
  }
}

// Any split of the block range gives the same bytes: random words depend on the element alone.
TEST(Tensor, SplitsAnywhere) {
  Stream stream(403);
  const std::uint64_t dims[] = {4, 100, 3};
  const Quantizer quantizer = made(stochastic_config(32));
  const BlockedShape shape = *BlockedShape::make(dims, 1, 32);
  const std::vector<std::byte> source = random_tensor(shape.elements, stream);
  const CounterRandom random{test_seed(), 7};
  const Quantized whole = quantize_all(quantizer, shape, Tail::kShort, source, random);
  std::vector<std::byte> values(shape.elements * 4);
  EXPECT_TRUE(dequantize_tensor(quantizer, shape, Tail::kShort, whole.codes, whole.scales,
                                formats::fp32, values));
  for (const std::uint64_t cut :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{17}, shape.scales - 1, shape.scales}) {
    Quantized split{
        std::vector<std::byte>(shape.elements), std::vector<std::byte>(shape.scales), {}};
    std::vector<std::byte> back(values.size());
    // The later part first: order must not matter either.
    const TensorSummary second = quantize_tensor(quantizer, shape, Tail::kShort, source, random,
                                                 split.codes, split.scales, cut)
                                     .value();
    const TensorSummary first = quantize_tensor(quantizer, shape, Tail::kShort, source, random,
                                                split.codes, split.scales, 0, cut)
                                    .value();
    EXPECT_TRUE(split == whole) << cut;
    EXPECT_EQ(first.blocks + second.blocks, shape.scales);
    EXPECT_EQ(first.elements + second.elements, shape.elements);
    EXPECT_EQ(first.flags | second.flags, whole.summary.flags);
    EXPECT_TRUE(dequantize_tensor(quantizer, shape, Tail::kShort, whole.codes, whole.scales,
                                  formats::fp32, back, cut));
    EXPECT_TRUE(dequantize_tensor(quantizer, shape, Tail::kShort, whole.codes, whole.scales,
                                  formats::fp32, back, 0, cut));
    EXPECT_EQ(back, values) << cut;
  }
}

// Sources and outputs of every storage width; the way back equals dequantizing block by block.
TEST(Tensor, StorageWidths) {
  Stream stream(404);
  std::uint64_t compared = 0;
  for (const char* source_name : {"fp64", "fp32", "bf16", "fp16"}) {
    for (const char* output_name : {"fp64", "fp32", "bf16", "fp16"}) {
      const ElementFormat& source = *find_format(source_name);
      const ElementFormat& output = *find_format(output_name);
      const Quantizer quantizer =
          made(QuantizerConfig{source, *find_block_format("mxint8"), {}, {}});
      const std::uint64_t dims[] = {50};
      const BlockedShape shape = *BlockedShape::make(dims, 0, 32);
      const std::size_t width = storage_bytes(source);
      std::vector<std::byte> words(50 * width);
      std::vector<std::uint64_t> patterns =
          block_around((source.max_code >> source.man_bits) / 2 << source.man_bits | 1, source,
                       formats::int8, 50, stream);
      for (std::size_t i = 0; i < 50; ++i) std::memcpy(&words[i * width], &patterns[i], width);
      const Quantized got = quantize_all(quantizer, shape, Tail::kShort, words);
      std::vector<std::byte> values(50 * storage_bytes(output));
      EXPECT_TRUE(
          dequantize_tensor(quantizer, shape, Tail::kShort, got.codes, got.scales, output, values));
      for (std::size_t begin = 0; begin < 50; begin += 32) {
        const std::size_t count = std::min<std::size_t>(32, 50 - begin);
        std::vector<std::uint64_t> codes(count);
        std::vector<std::uint64_t> back(count);
        const BlockResult block =
            quantizer.quantize_block(std::span(patterns).subspan(begin, count), {}, codes);
        quantizer.dequantize_block(block.scale_code, codes, output, back);
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(static_cast<std::uint64_t>(got.codes[begin + i]), codes[i]);
          std::uint64_t value = 0;
          std::memcpy(&value, &values[(begin + i) * storage_bytes(output)], storage_bytes(output));
          EXPECT_EQ(value, back[i]);
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 16U * 50);
}

TEST(BlockedShape, RefusesWhatDoesNotFit) {
  using Dims = std::vector<std::uint64_t>;
  EXPECT_FALSE(BlockedShape::make(Dims{4, 4}, 2, 32).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{4, 4}, -3, 32).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{4, 4}, 0, 0).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{}, 1, 32).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{1ULL << 32, 1ULL << 32}, 0, 32).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{~0ULL}, 0, 32).has_value());
  EXPECT_FALSE(BlockedShape::make(Dims{1ULL << 61, 0, 1ULL << 61}, 0, 32).has_value());
  // Padding to whole blocks must fit as well.
  EXPECT_FALSE(BlockedShape::make(Dims{1, 1ULL << 59}, 0, 1024).has_value());
  const auto scalar = BlockedShape::make(Dims{}, -1, 32);
  ASSERT_TRUE(scalar.has_value());
  EXPECT_EQ(scalar->elements, 1U);
  EXPECT_EQ(scalar->scales, 1U);
}

}  // namespace
}  // namespace mx::oracle
