// What has no plan, and what plans refuse.
#include <gtest/gtest.h>

#include <functional>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"

namespace mx::fast::test {
namespace {

TEST(CpuPlan, SaysWhyThereIsNone) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::function<void(BlockJob&)>> changes = {
      [](BlockJob& j) { j.source = formats::fp64; },
      [](BlockJob& j) { j.format.element = formats::hif8; },
      [](BlockJob& j) { j.format.element = formats::bf16; },
      [](BlockJob& j) { j.format.scale = formats::ue4m3; },
      [](BlockJob& j) { j.format.tile_lines = 2; },
      [](BlockJob& j) { j.format.block_size = 1025; },
      [](BlockJob& j) { j.element.rounding = Rounding::kStochasticA; },
      [](BlockJob& j) { j.element.staging = Staging::kViaBf16; },
      [](BlockJob& j) { j.element.src_ftz = SourceSubnormals::kFlush; },
      [](BlockJob& j) { j.element.dst_ftz = ResultSubnormals::kFlushAfterRounding; },
      [](BlockJob& j) { j.block.rule = ScaleRule::kNearestVal; },
      [](BlockJob& j) { j.element.staging = Staging::kViaUnbounded; },
      [](BlockJob& j) {
        j.block.rule = ScaleRule::kRceil;
        j.block.ratio_op = RatioOp::kBf16Div;
      },
      [](BlockJob& j) {
        j.block.rule = ScaleRule::kRceilLog2f;
        j.block.ratio_op = RatioOp::kFp32Inverse;
      },
      [](BlockJob& j) { j.block.amax_over = AmaxOver::kFiniteOnly; },
      [](BlockJob& j) { j.block.inf_block = InfBlock::kScaleMax; },
      [](BlockJob& j) { j.block.nan_scale_codes = NanScaleCodes::kAsComputed; },
      [](BlockJob& j) { j.block.elem_scaling = ElemScaling::kFp32Mul; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    BlockJob job = default_job(formats::fp32, formats::e4m3fn);
    ASSERT_TRUE(BlockPlan::make(job));
    changes[i](job);
    const Checked<BlockPlan> plan = BlockPlan::make(job);
    ASSERT_FALSE(plan) << "change " << i;
    EXPECT_TRUE(plan.problem().starts_with("no fast path: ")) << plan.problem();
    EXPECT_EQ(plan.problem().find('\n'), std::string_view::npos);
  }
}

// A descriptor that differs from the row in one fact is another format, whatever it is called.
TEST(CpuPlan, ReadsFactsAndNotNames) {
  MX_NEEDS_CPU_PATH();
  BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  job.source.bias = 126;
  EXPECT_FALSE(BlockPlan::make(job));
}

TEST(CpuPlan, RefusesSpansThatDoNotFit) {
  MX_NEEDS_CPU_PATH();
  const BlockPlan plan = BlockPlan::make(default_job(formats::bf16, formats::e5m2)).value();
  const std::vector<std::byte> words(2 * 66);
  std::vector<std::byte> codes(66);
  std::vector<std::byte> scales(3);
  std::vector<std::uint16_t> status(3);
  const BlockLayout layout{1, 66, 1};
  EXPECT_TRUE(plan.quantize(layout, words, codes, scales, status));
  EXPECT_FALSE(plan.quantize({1, 65, 1}, words, codes, scales, status));
  EXPECT_FALSE(plan.quantize(layout, std::span(words).first(131), codes, scales, status));
  EXPECT_FALSE(plan.quantize(layout, words, std::span(codes).first(65), scales, status));
  EXPECT_FALSE(plan.quantize(layout, words, codes, std::span(scales).first(2), status));
  EXPECT_FALSE(plan.quantize(layout, words, codes, scales, std::span(status).first(2)));
  EXPECT_TRUE(plan.quantize({1, 0, 1}, {}, {}, {}));
  EXPECT_FALSE(
      ElementPlan::make({formats::fp32, formats::e4m3fn, {}}).value().convert(words, codes));
}

}  // namespace
}  // namespace mx::fast::test
