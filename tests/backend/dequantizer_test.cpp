// Tensors on their way back by the fast path beside the reference.
#include "backend/tensor/tensor_dequantizer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "fast/cpu/targets.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"

namespace mx::backend {
namespace {

QuantizerConfig config_of(const ElementFormat& element, int block) {
  return {formats::fp32, {"test", element, formats::e8m0, block}, {}, {}, {}};
}

TEST(BackendDequantizer, AgreesInEveryPortionOfEveryShape) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ElementFormat* element :
         {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8}) {
      const QuantizerConfig config = config_of(*element, 16);
      const auto fast = TensorDequantizer::make(config, *output, Choice::kCpu).value();
      EXPECT_EQ(fast.self_check(), "");
      const auto model = TensorDequantizer::make(config, *output, Choice::kReference).value();
      for (const std::array<std::uint64_t, 3>& sizes : {std::array<std::uint64_t, 3>{3, 7, 30},
                                                        {2, 33, 5},
                                                        {40, 1, 12},
                                                        {1, 1, 1},
                                                        {3, 0, 2}}) {
        for (const int axis : {0, 1, 2}) {
          const BlockedShape shape = BlockedShape::make(sizes, axis, config.format).value();
          std::vector<std::byte> codes(shape.elements);
          std::vector<std::byte> scales(shape.scales);
          for (std::size_t i = 0; i < codes.size(); ++i) {
            codes[i] = static_cast<std::byte>(i * 37 & element->code_mask());
          }
          for (std::size_t i = 0; i < scales.size(); ++i) {
            scales[i] = static_cast<std::byte>(i * 11 % 5 == 0 ? i * 51 : 100 + i % 60);
          }
          std::vector<std::byte> expected(shape.elements * storage_bytes(*output));
          const TensorSummary wanted =
              model.dequantize_all(shape, codes, scales, expected, 1).value();
          for (const std::uint64_t step :
               {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 40}) {
            std::vector<std::byte> values(expected.size());
            TensorSummary summary;
            const std::uint64_t portions = fast.portions(shape).count;
            for (std::uint64_t first = 0; first < portions; first += step) {
              summary += fast.dequantize(shape, codes, scales, values, first,
                                         std::min(portions, first + step))
                             .value();
            }
            EXPECT_TRUE(values == expected) << element->name << " to " << output->name;
            EXPECT_EQ(summary.blocks, wanted.blocks);
            EXPECT_EQ(summary.elements, wanted.elements);
            EXPECT_EQ(summary.nan_scales, wanted.nan_scales);
          }
        }
      }
    }
  }
}

TEST(BackendDequantizer, AgreesUnderRealScales) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const std::string_view name : {"nvfp4", "nvfp4_16x16", "e2m1_ue5m3_k32"}) {
      QuantizerConfig config{formats::fp32, *find_block_format(name), {}, {}, {}};
      config.block.rule = config.format.rule;
      for (const std::uint32_t scale : {0x3F800000U, 0x39C30C31U, 0x00000003U, 0x7A123457U}) {
        config.tensor.scale = scale;
        const auto fast = TensorDequantizer::make(config, *output, Choice::kCpu).value();
        EXPECT_TRUE(fast.is_fast());
        EXPECT_EQ(fast.self_check(), "");
        if (name != "nvfp4") break;
        config.block.rule = ScaleRule::kNvfp4Torchao;
        const auto rounds = TensorDequantizer::make(config, *output, Choice::kAuto).value();
        EXPECT_EQ(rounds.self_check(), "");
        config.block.rule = ScaleRule::kNvfp4Exact;
      }
    }
  }
}

TEST(BackendDequantizer, NamesWhatIsNoCode) {
  const auto fast =
      TensorDequantizer::make(config_of(formats::e2m1fn, 4), formats::fp32, Choice::kAuto).value();
  const auto shape =
      BlockedShape::make(std::array<std::uint64_t, 1>{8}, 0, config_of(formats::e2m1fn, 4).format)
          .value();
  std::vector<std::byte> codes(8);
  const std::vector<std::byte> scales(2, std::byte{0x7F});
  std::vector<std::byte> values(32);
  codes[6] = std::byte{0x10};
  const std::string wanted = "element 6: 10 has bits above the 4 of e2m1fn";
  EXPECT_EQ(fast.dequantize(shape, codes, scales, values, 0, fast.portions(shape).count).problem(),
            wanted);
  EXPECT_EQ(fast.dequantize_all(shape, codes, scales, values, 2).problem(), wanted);
}

TEST(BackendDequantizer, ChoosesAndSaysWhy) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  const QuantizerConfig config = config_of(formats::e4m3fn, 32);
  const auto wide = TensorDequantizer::make(config, formats::fp64, Choice::kAuto).value();
  EXPECT_EQ(wide.path(), "reference");
  EXPECT_NE(wide.why_reference(), "");
  EXPECT_NE(TensorDequantizer::make(config, formats::fp64, Choice::kCpu).problem(), "");
}

}  // namespace
}  // namespace mx::backend
