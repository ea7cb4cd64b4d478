// The way back of the CUDA path: every code under every scale, policies and layouts; one body for
// the host program and the device program.
#include <gtest/gtest.h>

#include "reference/format/rows.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/cuda/dequantize_judge.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

/// The formats of the table whose blocks the path knows on the way back.
std::vector<const ElementFormat*> path_elements() {
  std::vector<const ElementFormat*> all;
  for (const ElementFormat& each : all_formats()) {
    if (StreamDequantizePlan::make(default_decoding(each, formats::fp32))) all.push_back(&each);
  }
  return all;
}

class CudaDequantize : public ::testing::TestWithParam<ElementFormat> {};

// Under each rounding; overflow and flushing take turns, so that each pair of them meets some of
// the formats.
TEST_P(CudaDequantize, AgreesOnEveryCodeUnderEveryScale) {
  DequantizeTally tally;
  std::uint64_t formats_seen = 0;
  std::size_t turn = 0;
  for (const ElementFormat* element : path_elements()) {
    ++formats_seen;
    const bool packs = element->bits == 4 || element->bits == 6;
    for (const auto& overflow : tokens<DequantOverflow>()) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.block.dequant_overflow = overflow.value;
      if (overflow.value == DequantOverflow::kWrap) continue;  // has no plan
      compare_every_pair(job, 32, false, false, dequantize_backend(), tally);
      compare_every_pair(job, 16, packs, true, dequantize_backend(), tally);
    }
    for (const Rounding rounding : deterministic_roundings()) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.rounding = rounding;
      job.block.dequant_overflow = tokens<DequantOverflow>()[turn % 3].value;
      job.dst_ftz = tokens<ResultSubnormals>()[turn / 3 % 3].value;
      turn += 2;  // prime to the nine pairs
      compare_every_pair(job, 32, packs, turn % 4 == 0, dequantize_backend(), tally);
    }
  }
  EXPECT_GE(formats_seen, 12u);
  EXPECT_GE(tally.elements, formats_seen * 15 * 32 * 256);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    EXPECT_GT(tally.classes[i], 100u) << name_of(static_cast<WordClass>(i));
  }
}

// Scale formats other than e8m0, those with a zero and those of less than 8 bits.
TEST_P(CudaDequantize, AgreesUnderOtherScales) {
  DequantizeTally tally;
  std::uint64_t scales = 0;
  for (const ElementFormat& scale : all_formats()) {
    for (const ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::int8}) {
      DequantizeJob job = default_decoding(*element, GetParam());
      job.format.scale = scale;
      if (!StreamDequantizePlan::make(job) || !Quantizer::problem(config_of(job)).empty()) continue;
      ++scales;
      compare_every_pair(job, 64, false, scales % 2 == 0, dequantize_backend(), tally);
    }
  }
  EXPECT_GE(scales, 3u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

TEST_P(CudaDequantize, AgreesInEveryLayout) {
  DequantizeTally tally;
  unsigned seed = 0;
  std::uint64_t fast = 0;
  for (const ElementFormat* element :
       {&formats::e4m3fn, &formats::e5m2, &formats::e3m2fn, &formats::e2m1fn, &formats::int8}) {
    for (const BlockLayout& shape :
         {BlockLayout{3, 70, 1}, BlockLayout{2, 40, 33}, BlockLayout{1, 129, 1},
          BlockLayout{130, 160, 1}, BlockLayout{5, 1, 7}, BlockLayout{2, 96, 200},
          BlockLayout{1, 64, 72}, BlockLayout{1, 1100, 17}}) {
      for (const int block_size : {1, 5, 8, 16, 32, 1024}) {
        DequantizeJob job = default_decoding(*element, GetParam());
        job.format.block_size = block_size;
        const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
        for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
          const StreamLayout layout{shape, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
          if (!plan.layout_problem(layout).empty()) continue;
          if (plan.kernel(layout) != "general") ++fast;
          const LaidOut in = turns(job, shape, ++seed);
          compare_stream_decoding(job, layout, in.codes, in.scales, dequantize_backend(), tally);
        }
      }
    }
  }
  EXPECT_GT(fast, 100u);
  EXPECT_GT(tally.elements, 5'000'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

INSTANTIATE_TEST_SUITE_P(All, CudaDequantize,
                         ::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                         [](const auto& each) { return std::string(each.param.name); });

// Negative control: one wrong code, and one wrong scale, are seen.
TEST(CudaDequantizeJudge, SeesOneWrongCode) {
  const DequantizeJob job = default_decoding(formats::e4m3fn, formats::bf16);
  const BlockLayout shape{4, 96, 1};
  LaidOut in = turns(job, shape, 1);
  in.codes[100] = std::byte{0x38};
  in.scales[3] = std::byte{127};
  for (const bool is_scale : {false, true}) {
    DequantizeTally tally;
    compare_stream_decoding(
        job, {shape}, in.codes, in.scales,
        [&](const StreamDequantizePlan& plan, const StreamLayout& layout,
            std::span<const std::byte> codes, std::span<const std::byte> scales,
            std::span<std::byte> words) {
          LaidOut other{{codes.begin(), codes.end()}, {scales.begin(), scales.end()}};
          (is_scale ? other.scales[3] : other.codes[100]) ^= std::byte{1};
          return dequantize_backend()(plan, layout, other.codes, other.scales, words);
        },
        tally);
    EXPECT_GE(tally.mismatches, is_scale ? 20u : 1u);
    EXPECT_LE(tally.mismatches, is_scale ? 32u : 1u);
  }
}

TEST(CudaDequantizePlan, SaysWhatItDoesNotTake) {
  DequantizeJob job = default_decoding(formats::e2m1fn, formats::bf16);
  const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
  EXPECT_EQ(plan.kernel({{7, 96, 1}, false, true}), "rows");
  EXPECT_EQ(plan.kernel({{7, 95, 1}}), "general");
  EXPECT_EQ(plan.kernel({{1, 64, 96}, true}), "columns");
  EXPECT_EQ(plan.kernel({{1, 64, 96}}), "general");
  EXPECT_NE(plan.layout_problem({{3, 7, 5}, false, false, true}), "");
  EXPECT_NE(plan.layout_problem({{3, 7, 1}, false, true}), "");
  alignas(16) std::array<std::byte, 64> bytes{};
  const StreamCodes from{bytes.data(), bytes.data()};
  EXPECT_EQ(plan.launch(nullptr, {{1, 16, 1}}, from, nullptr).error, Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, {{1, 16, 1}}, {bytes.data(), nullptr}, bytes.data()).error,
            Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, {{1, 16, 1}}, from, bytes.data() + 1).error, Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, {{3, 7, 1}, false, true}, from, bytes.data()).error,
            Error::kBadLayout);
  EXPECT_TRUE(plan.launch(nullptr, {{0, 32, 1}}, {}, nullptr));
  EXPECT_EQ(plan.copy_and_run({{1, 16, 1}}, bytes, bytes, bytes).error, Error::kBadSize);
  job.format.scale = formats::ue4m3;
  EXPECT_FALSE(StreamDequantizePlan::make(job));
  job = default_decoding(formats::e2m1fn, formats::fp64);
  EXPECT_FALSE(StreamDequantizePlan::make(job));
}

// Bits above a code's width are not read; a scale with such bits makes its block NaN.
TEST(CudaDequantizePlan, HoldsToTheWidthsOfCodes) {
  DequantizeJob job = default_decoding(formats::e2m1fn, formats::fp32);
  job.format.scale.bits = 6;
  job.format.scale.max_code = 62;
  job.format.scale.canonical_nan = 63;
  job.format.scale.bias = 31;
  const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
  const std::vector<std::byte> codes(64, std::byte{0xF2});
  const std::array<std::byte, 2> scales = {std::byte{31}, std::byte{31 + 64}};
  std::array<std::uint32_t, 64> words{};
  ASSERT_TRUE(dequantize_backend()(plan, {{1, 64, 1}}, codes, scales,
                                   std::as_writable_bytes(std::span(words))));
  EXPECT_EQ(words[31], 0x3F800000u);
  EXPECT_EQ(words[32], 0x7FC00000u);
}

}  // namespace
}  // namespace mx::fast::test
