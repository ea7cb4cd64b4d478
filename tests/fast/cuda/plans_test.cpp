// What has no plan, what plans refuse, and layouts on the host.
#include <gtest/gtest.h>

#include <functional>

#include "reference/format/rows.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

StreamPlan default_plan(const ElementFormat& element = formats::e4m3fn) {
  return StreamPlan::make(stream_job(formats::fp32, element)).value();
}

TEST(CudaPlan, SaysWhyThereIsNone) {
  const std::vector<std::function<void(BlockJob&)>> changes = {
      [](BlockJob& j) { j.source = formats::fp64; },
      [](BlockJob& j) { j.source.bias = 126; },
      [](BlockJob& j) { j.format.element = formats::hif8; },
      [](BlockJob& j) { j.format.scale = formats::ue4m3; },
      [](BlockJob& j) { j.format.tile_lines = 2; },
      [](BlockJob& j) { j.element.random_bits = 33; },
      [](BlockJob& j) { j.element.staging = Staging::kViaBf16; },
      [](BlockJob& j) { j.element.staging = Staging::kViaUnbounded; },
      [](BlockJob& j) {
        j.block.rule = ScaleRule::kRceil;
        j.block.ratio_op = RatioOp::kBf16Div;
      },
      [](BlockJob& j) {
        j.block.rule = ScaleRule::kRceilLog2f;
        j.block.ratio_op = RatioOp::kFp32Inverse;
      },
      [](BlockJob& j) { j.block.rule = ScaleRule::kNearestLog; },
      [](BlockJob& j) { j.block.elem_scaling = ElemScaling::kFp32Mul; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    BlockJob job = stream_job(formats::fp32, formats::e4m3fn);
    ASSERT_TRUE(StreamPlan::make(job));
    changes[i](job);
    const Checked<StreamPlan> plan = StreamPlan::make(job);
    ASSERT_FALSE(plan) << "change " << i;
    EXPECT_TRUE(plan.problem().starts_with("no fast path: ")) << plan.problem();
    EXPECT_EQ(plan.problem().find('\n'), std::string_view::npos);
  }
}

TEST(CudaPlan, SaysWhichLayoutsItDoesNotTake) {
  const StreamPlan bytes = default_plan();
  const StreamPlan nibbles = default_plan(formats::e2m1fn);
  const StreamPlan sixes = default_plan(formats::e3m2fn);
  EXPECT_EQ(bytes.layout_problem({{3, 7, 5}}), "");
  EXPECT_EQ(bytes.layout_problem({{3, 7, 5}, false, true}), "");
  EXPECT_NE(bytes.layout_problem({{3, 7, 5}, false, false, true}), "");
  EXPECT_EQ(bytes.layout_problem({{3, 7, 5}, true, false, true}), "");
  EXPECT_NE(nibbles.layout_problem({{3, 7, 1}, false, true}), "");
  EXPECT_EQ(nibbles.layout_problem({{1, 7, 1}, false, true}), "");
  EXPECT_EQ(nibbles.layout_problem({{3, 6, 1}, false, true}), "");
  EXPECT_NE(sixes.layout_problem({{3, 6, 1}, false, true}), "");
  EXPECT_NE(nibbles.layout_problem({{3, 6, 2}, false, true}), "");
  EXPECT_NE(bytes.layout_problem({{std::size_t{1} << 40, std::size_t{1} << 40, 1}}), "");
  BlockJob odd = stream_job(formats::fp32, formats::e2m1fn);
  odd.format.block_size = 7;
  EXPECT_NE(StreamPlan::make(odd).value().layout_problem({{1, 14, 1}, false, true}), "");
}

TEST(CudaPlan, RefusesPointers) {
  const StreamPlan plan = default_plan();
  const StreamLayout layout{{1, 32, 1}};
  alignas(16) std::array<std::byte, 144> words{};
  std::array<std::byte, 32> codes{};
  std::array<std::byte, 1> scales{};
  const StreamResults results{codes.data(), scales.data()};
  EXPECT_EQ(plan.launch(nullptr, layout, nullptr, results).error, Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, layout, words.data() + 1, results).error, Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, layout, words.data(), {codes.data(), nullptr}).error,
            Error::kBadPointer);
  EXPECT_EQ(plan.launch(nullptr, {{3, 7, 5}, false, false, true}, words.data(), results).error,
            Error::kBadLayout);
  EXPECT_TRUE(plan.launch(nullptr, {{0, 32, 1}}, nullptr, {}));
  EXPECT_TRUE(plan.run_on_host(layout, words.data() + 1, results));
  EXPECT_EQ(plan.launch_both(nullptr, 33, 32, false, false, words.data(), results, results).error,
            Error::kBadLayout);
}

TEST(CudaPlan, ChoosesTheKernelByTheLayout) {
  const StreamPlan plan = default_plan();
  EXPECT_EQ(plan.kernel({{7, 96, 1}}), "rows");
  EXPECT_EQ(plan.kernel({{7, 95, 1}}), "general");
  EXPECT_EQ(plan.kernel({{1, 64, 96}, true}), "columns");
  EXPECT_EQ(plan.kernel({{1, 64, 96}}), "general");
  BlockJob drawing = stream_job(formats::fp32, formats::e4m3fn);
  drawing.element.rounding = Rounding::kStochasticA;
  EXPECT_EQ(StreamPlan::make(drawing).value().kernel({{7, 96, 1}}), "rows");
}

TEST(CudaPlan, SaysWhyNothingRunsWithoutADevice) {
  if (device_available()) GTEST_SKIP() << "there is a device";
  const std::vector<std::byte> words(128);
  std::vector<std::byte> codes(32);
  std::vector<std::byte> scales(1);
  const Status outcome = default_plan().copy_and_run({{1, 32, 1}}, words, {codes, scales, {}});
  EXPECT_EQ(outcome.error, Error::kNoDevice);
  EXPECT_EQ(outcome.detail, device_problem());
  EXPECT_FALSE(device_problem().empty());
  EXPECT_EQ(
      default_plan()
          .copy_and_run_both(1, 32, false, false, words, {codes, scales, {}}, {codes, scales, {}})
          .error,
      Error::kBadSize);
  EXPECT_EQ(default_plan().copy_and_run({{1, 31, 1}}, words, {codes, scales, {}}).error,
            Error::kBadSize);
}

// spec F12 by hand: the example block of spec F17, G15, and its tail of +0.
TEST(CudaHost, GivesTheWorkedExample) {
  const std::vector<std::byte> words =
      to_bytes(formats::fp32, std::array{0x40490FDBu, 0xBF400000u, 0x3C000000u, 0x3A83126Fu});
  std::array<std::uint8_t, 4> codes{};
  std::array<std::uint8_t, 1> scales{};
  std::array<std::uint16_t, 1> status{};
  ASSERT_TRUE(default_plan().run_on_host({{1, 4, 1}}, words.data(),
                                         {codes.data(), scales.data(), status.data()}));
  EXPECT_EQ(codes, (std::array<std::uint8_t, 4>{0x7D, 0xEC, 0x38, 0x20}));
  EXPECT_EQ(scales[0], 0x78);
  EXPECT_EQ(status[0], 0x0078);
}

}  // namespace
}  // namespace mx::fast::test
