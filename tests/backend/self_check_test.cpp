// The self-check of a fast path: it passes on what is right and sees one wrong bit.
#include "backend/tensor/self_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/tensor/tensor_quantizer.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/decode_kernel.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::backend {
namespace {

Quantizer quantizer_of(const ElementFormat& source, const ElementFormat& element) {
  return Quantizer::make({source, {"test", element, formats::e8m0, 32}, {}, {}, {}}).value();
}

/// The reference as a fast path, its answers spoilt by `spoil`.
template <typename Spoil>
FastQuantize spoilt(const Quantizer& reference, const Spoil& spoil) {
  return [&reference, spoil](const BlockedShape& shape, std::span<const std::byte> source,
                             std::span<std::byte> codes, std::span<std::byte> scales) {
    const auto made = quantize_tensor(reference, shape, Tail::kShort, source, {}, codes, scales);
    spoil(shape, codes, scales);
    return made ? std::string() : std::string(made.problem());
  };
}

TEST(BackendSelfCheck, PassesOnTheReferenceItself) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const Quantizer reference = quantizer_of(*source, formats::e4m3fn);
    EXPECT_EQ(self_check(reference, spoilt(reference, [](auto&&...) {})), "");
  }
}

TEST(BackendSelfCheck, SeesOneWrongBitOfOneCodeOrScale) {
  const Quantizer reference = quantizer_of(formats::fp32, formats::e4m3fn);
  const auto code = spoilt(reference, [](const BlockedShape&, std::span<std::byte> codes, auto&&) {
    codes[codes.size() - 1] ^= std::byte{1};
  });
  EXPECT_NE(self_check(reference, code).find("code of element"), std::string::npos);
  const auto scale =
      spoilt(reference, [](const BlockedShape&, auto&&, std::span<std::byte> scales) {
        scales[scales.size() / 2] ^= std::byte{1};
      });
  EXPECT_NE(self_check(reference, scale).find("scale of block"), std::string::npos);
  // One that fails along columns only.
  const auto column =
      spoilt(reference, [](const BlockedShape& shape, std::span<std::byte> codes, auto&&) {
        if (shape.inner > 1) codes[0] ^= std::byte{0x80};
      });
  EXPECT_NE(self_check(reference, column).find("code of element 0 "), std::string::npos);
  const FastQuantize refuses = [](auto&&...) { return "the shape is refused"; };
  EXPECT_NE(self_check(reference, refuses).find("refused"), std::string::npos);
}

// One that fails in tiles of several lines only, along lines or down columns.
TEST(BackendSelfCheck, SeesOneWrongBitInTiles) {
  const Quantizer reference = Quantizer::make({formats::fp32,
                                               *find_block_format("nvfp4_16x16"),
                                               {},
                                               {.rule = ScaleRule::kNvfp4Exact},
                                               {}})
                                  .value();
  EXPECT_EQ(self_check(reference, spoilt(reference, [](auto&&...) {})), "");
  for (const bool is_down : {false, true}) {
    const auto wrong =
        spoilt(reference, [=](const BlockedShape& shape, std::span<std::byte> codes, auto&&) {
          if (shape.lines > 1 && (shape.inner > 1) == is_down) codes.back() ^= std::byte{1};
        });
    EXPECT_NE(self_check(reference, wrong).find("code of element"), std::string::npos);
  }
}

// Faults of kernels that ordinary values do not show: the classes are there.
TEST(BackendSelfCheck, WordsHoldEveryClass) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const std::vector<std::byte> words = structured_words(*source, 32);
    const std::size_t size = storage_bytes(*source);
    std::vector<int> exponents((source->magnitude_mask() >> source->man_bits) + 1);
    int zeros = 0;
    int negative_zeros = 0;
    int subnormals = 0;
    int infinities = 0;
    int nans = 0;
    for (std::size_t i = 0; i < words.size() / size; ++i) {
      const std::uint64_t word = load_word(words.data() + i * size, size);
      const Unpacked x = decode(*source, word);
      ++exponents[(word & source->magnitude_mask()) >> source->man_bits];
      infinities += x.cls == ValueClass::kInf ? 1 : 0;
      nans += x.cls == ValueClass::kNan ? 1 : 0;
      const std::uint64_t magnitude = word & source->magnitude_mask();
      zeros += word == 0 ? 1 : 0;
      negative_zeros += magnitude == 0 && word != 0 ? 1 : 0;
      subnormals += magnitude != 0 && magnitude >> source->man_bits == 0 ? 1 : 0;
    }
    EXPECT_EQ(std::ranges::count(exponents, 0), 0) << "an exponent that never comes up";
    for (const int count : {zeros, negative_zeros, subnormals, infinities, nans}) {
      EXPECT_GT(count, 0);
    }
  }
}

}  // namespace
}  // namespace mx::backend
