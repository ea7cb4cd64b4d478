// Blocks of codes to words by the CPU path, on every set of vector instructions, against the
// reference: every code under every scale, layouts, and what has no plan.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <tuple>

#include "fast/cpu/targets.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/dequantize_judge.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

class CpuDequantize : public ::testing::TestWithParam<ElementFormat> {};

/// The formats of the table whose blocks the path knows on the way back.
std::vector<const ElementFormat*> path_elements() {
  std::vector<const ElementFormat*> all;
  for (const ElementFormat& each : all_formats()) {
    if (DequantizePlan::make(default_decoding(each, formats::fp32))) all.push_back(&each);
  }
  return all;
}

/// Every code of an element format under every code of a scale format: blocks of all codes.
struct EveryPair {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
};
EveryPair every_pair(const BlockFormat& format, std::size_t turn) {
  EveryPair all;
  for (std::uint64_t scale = 0; scale <= format.scale.code_mask(); ++scale) {
    // A part: a quarter of the scales, another in each turn.
    if (!runs_whole() && (random_number(scale) + turn) % 4 != 0) continue;
    all.scales.push_back(static_cast<std::byte>(scale));
    for (std::uint64_t code = 0; code < static_cast<std::uint64_t>(format.block_size); ++code) {
      all.codes.push_back(static_cast<std::byte>(code));
    }
  }
  return all;
}

void compare_every_pair(DequantizeJob job, DequantizeTally& tally, std::size_t turn) {
  job.format.block_size = 1 << job.format.element.bits;
  const EveryPair all = every_pair(job.format, turn);
  compare_decoding(job, {1, all.codes.size(), 1}, all.codes, all.scales, tally);
}

TEST(CpuDequantizeElements, AreAtLeastTwelve) {
  MX_NEEDS_CPU_PATH();
  EXPECT_GE(path_elements().size(), 12u);
}

// Every code under every scale, under each rounding; overflow and flushing take turns, so that each
// pair of them meets some of the formats.
TEST_P(CpuDequantize, AgreesOnEveryCodeUnderEveryScale) {
  MX_NEEDS_CPU_PATH();
  DequantizeTally tally;
  std::uint64_t formats_seen = 0;
  std::size_t turn = 0;
  std::size_t hand = 0;
  for (const ElementFormat* element : path_elements()) {
    ++formats_seen;
    for (const auto& overflow : tokens<DequantOverflow>()) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.block.dequant_overflow = overflow.value;
      if (overflow.value == DequantOverflow::kWrap) continue;  // has no plan
      compare_every_pair(job, tally, hand++);
    }
    for (const Rounding rounding : deterministic_roundings()) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.rounding = rounding;
      job.block.dequant_overflow = tokens<DequantOverflow>()[turn % 3].value;
      job.dst_ftz = tokens<ResultSubnormals>()[turn / 3 % 3].value;
      turn += 2;  // prime to the nine pairs
      compare_every_pair(job, tally, hand++);
    }
  }
  EXPECT_GE(formats_seen, 12u);
  EXPECT_GE(tally.elements, part(formats_seen * 12 * 8 * 256, 5));
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    EXPECT_GT(tally.classes[i], 100u) << name_of(static_cast<WordClass>(i));
  }
  RecordProperty("elements", fmt::format("{}", tally.elements));
}

/// Every code of a format that is a number, at every place of 64.
std::vector<std::byte> numbers_everywhere(const ElementFormat& format) {
  std::vector<std::byte> numbers;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    const ValueClass cls = decode(format, code).cls;
    if (cls == ValueClass::kNan || cls == ValueClass::kInf) continue;
    numbers.push_back(static_cast<std::byte>(code));
  }
  if (numbers.size() % 2 == 0) numbers.push_back(numbers[0]);  // prime to 64
  std::vector<std::byte> codes;
  for (int i = 0; i < 64; ++i) codes.insert(codes.end(), numbers.begin(), numbers.end());
  return codes;
}

// A vector with a NaN or infinity takes another way than one of numbers alone.
TEST_P(CpuDequantize, AgreesOnNumbersAloneAtEveryPlace) {
  MX_NEEDS_CPU_PATH();
  DequantizeTally tally;
  for (const ElementFormat* element : path_elements()) {
    const std::vector<std::byte> codes = numbers_everywhere(*element);
    for (const int block_size : {16, 32, 64, 96, 128}) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.format.block_size = block_size;
      const BlockLayout layout{1, codes.size(), 1};
      std::vector<std::byte> scales(layout.blocks(static_cast<std::size_t>(block_size)));
      for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::byte>(i * 5 / 4);
      compare_decoding(job, layout, codes, scales, tally);
      // The middle of the scales, where every result is a normal number.
      for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = static_cast<std::byte>(GetParam() == formats::fp16 ? 127 + i % 3 : 90 + i % 80);
      }
      compare_decoding(job, layout, codes, scales, tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 500'000u);
}

// Scale formats other than e8m0, those with a zero and those of less than 8 bits.
TEST_P(CpuDequantize, AgreesUnderOtherScales) {
  MX_NEEDS_CPU_PATH();
  DequantizeTally tally;
  std::uint64_t scales = 0;
  for (const ElementFormat& scale : all_formats()) {
    for (const ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::int8}) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.format.scale = scale;
      if (!DequantizePlan::make(job) || !Quantizer::problem(config_of(job)).empty()) continue;
      ++scales;
      compare_every_pair(job, tally, scales);
    }
  }
  EXPECT_GE(scales, 3u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

// Lengths, axes, block sizes and threads, at odd addresses, all scales in turn.
TEST_P(CpuDequantize, AgreesInEveryLayout) {
  MX_NEEDS_CPU_PATH();
  DequantizeTally tally;
  std::vector<BlockLayout> layouts = {{3, 70, 1}, {1, 64, 96},   {2, 40, 33},
                                      {5, 1, 7},  {1, 1100, 17}, {4, 96, 1},
                                      {9, 37, 1}, {3, 2048, 1},  {1, 300'001, 1}};
  for (std::size_t length = 1; length < 140; ++length) layouts.push_back({1, length, 1});
  Part some(8);
  for (const BlockLayout& layout : layouts) {
    for (const int block_size : {1, 5, 8, 16, 32, 33, 64, 1024}) {
      for (const ElementFormat* element : {&formats::e4m3fn, &formats::e2m1fn}) {
        if (!some.takes(layout.elements(), block_size, element->bits)) continue;
        DequantizeJob job = default_decoding(*element, GetParam());
        job.format.block_size = block_size;
        const std::size_t blocks = layout.blocks(static_cast<std::size_t>(block_size));
        // One byte more in front: the codes and scales lie at odd addresses.
        std::vector<std::byte> codes(layout.elements() + 1);
        std::vector<std::byte> scales(blocks + 1);
        for (std::size_t i = 0; i < codes.size(); ++i) {
          codes[i] = static_cast<std::byte>(i * 37 % (1U << element->bits));
        }
        for (std::size_t i = 0; i < scales.size(); ++i) {
          scales[i] = static_cast<std::byte>(i * 101 + i / 7);
        }
        const int threads = layout.elements() > 100'000 ? 3 : 1;
        compare_decoding(job, layout, std::span(codes).subspan(1), std::span(scales).subspan(1),
                         tally, threads);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(1'000'000, 3));
}

INSTANTIATE_TEST_SUITE_P(All, CpuDequantize,
                         ::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(CpuDequantizePlan, SaysWhyThereIsNone) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::function<void(DequantizeJob&)>> changes = {
      [](DequantizeJob& j) { j.output = formats::fp64; },
      [](DequantizeJob& j) { j.output.bias = 126; },
      [](DequantizeJob& j) { j.format.element = formats::hif8; },
      [](DequantizeJob& j) { j.format.element = formats::bf16; },
      [](DequantizeJob& j) { j.format.scale = formats::ue4m3; },
      [](DequantizeJob& j) { j.format.tile_lines = 2; },
      [](DequantizeJob& j) { j.format.block_size = 1025; },
      [](DequantizeJob& j) { j.format.tensor_scale = TensorScale::kFp32; },
      [](DequantizeJob& j) { j.block.rule = ScaleRule::kNvfp4Torchao; },
      [](DequantizeJob& j) { j.block.dequant_overflow = DequantOverflow::kWrap; },
      [](DequantizeJob& j) { j.dst_ftz = ResultSubnormals::kFlushAfterUnboundedRounding; },
      [](DequantizeJob& j) { j.rounding = Rounding::kStochasticB; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DequantizeJob job = default_decoding(formats::e4m3fn, formats::bf16);
    ASSERT_TRUE(DequantizePlan::make(job));
    changes[i](job);
    const Checked<DequantizePlan> plan = DequantizePlan::make(job);
    ASSERT_FALSE(plan) << "change " << i;
    EXPECT_TRUE(plan.problem().starts_with("no fast path: ")) << plan.problem();
  }
}

TEST(CpuDequantizePlan, RefusesSpansThatDoNotFit) {
  MX_NEEDS_CPU_PATH();
  const auto plan = DequantizePlan::make(default_decoding(formats::e5m2, formats::bf16)).value();
  const std::vector<std::byte> codes(66);
  const std::vector<std::byte> scales(3);
  std::vector<std::byte> words(132);
  const BlockLayout layout{1, 66, 1};
  EXPECT_TRUE(plan.dequantize(layout, codes, scales, words));
  EXPECT_FALSE(plan.dequantize({1, 65, 1}, codes, scales, words));
  EXPECT_FALSE(plan.dequantize(layout, std::span(codes).first(65), scales, words));
  EXPECT_FALSE(plan.dequantize(layout, codes, std::span(scales).first(2), words));
  EXPECT_FALSE(plan.dequantize(layout, codes, scales, std::span(words).first(131)));
  EXPECT_TRUE(plan.dequantize({1, 0, 1}, {}, {}, {}));
}

// A bit above the width of a code or of a scale, in every place, along both kinds of axis, under
// every kind of scale.
TEST(CpuDequantizePlan, ReportsStrayBits) {
  MX_NEEDS_CPU_PATH();
  DequantizeJob job = default_decoding(formats::e2m1fn, formats::fp32);
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    for (const BlockLayout& layout : {BlockLayout{1, 75, 1}, BlockLayout{1, 25, 3}}) {
      for (const unsigned scale : {127u, 255u}) {
        const DequantizePlan plan = DequantizePlan::make(job).value();
        std::vector<std::byte> codes(75, std::byte{0x0F});
        const std::vector<std::byte> scales(3, static_cast<std::byte>(scale));
        std::vector<std::byte> words(std::size_t{4} * 75);
        EXPECT_TRUE(plan.dequantize(layout, codes, scales, words));
        for (std::byte& code : codes) {
          code = std::byte{0x1F};
          EXPECT_FALSE(plan.dequantize(layout, codes, scales, words)) << target;
          code = std::byte{0x0F};
        }
      }
    }
  }
  job.format.scale.bits = 6;
  job.format.scale.max_code = 62;
  job.format.scale.canonical_nan = 63;
  const Checked<DequantizePlan> narrow = DequantizePlan::make(job);
  ASSERT_TRUE(narrow) << narrow.problem();
  const std::vector<std::byte> codes(32);
  std::vector<std::byte> words(128);
  EXPECT_TRUE(narrow->dequantize({1, 32, 1}, codes, std::vector{std::byte{63}}, words));
  EXPECT_FALSE(narrow->dequantize({1, 32, 1}, codes, std::vector{std::byte{64}}, words));
}

}  // namespace
}  // namespace mx::fast::test
