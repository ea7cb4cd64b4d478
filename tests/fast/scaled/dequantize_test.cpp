// FP4 codes under real-valued scales to words: every code under every scale byte at every kind of
// tensor scale, every output, rounding and policy, by every set of vector instructions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "fast/cpu/targets.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/way_back.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/sample.hpp"

namespace mx::fast::test {
namespace {

/// Tensor scales: one, 1/2688 rounded, odd significands, the ends, subnormals, huge ones whose
/// products overflow.
constexpr std::uint32_t kTensorScales[] = {0x3F800000, 0x39C30C31, 0x3F800001, 0x3FFFFFFF,
                                           0x00000001, 0x00000003, 0x007FFFFF, 0x00800000,
                                           0x0B000001, 0x38D1B717, 0x7A123457, 0x7F7FFFFF};

struct DequantizeCount {
  std::uint64_t words = 0;
  std::uint64_t mismatches = 0;
  std::string first;
};

std::vector<std::byte> reference_words(const ScaledDequantizeJob& job, const BlockLayout& layout,
                                       std::span<const std::byte> codes,
                                       std::span<const std::byte> scales) {
  const DequantizeJob& b = job.blocks;
  const Quantizer quantizer =
      Quantizer::make({formats::fp32, b.format, {}, b.block, {0, job.tensor_scale}}).value();
  const std::size_t width = storage_bytes(b.output);
  const auto block = static_cast<std::size_t>(b.format.block_size);
  const std::size_t line_blocks = (layout.length + block - 1) / block;
  std::vector<std::byte> words(layout.elements() * width);
  for (std::size_t line = 0; line < layout.outer * layout.inner; ++line) {
    const std::size_t outer = line / layout.inner;
    const std::size_t inner = line % layout.inner;
    for (std::size_t at = 0; at < layout.length; ++at) {
      const std::size_t i = (outer * layout.length + at) * layout.inner + inner;
      const std::size_t s = (outer * line_blocks + at / block) * layout.inner + inner;
      const std::array code = {std::to_integer<std::uint64_t>(codes[i])};
      std::array<std::uint64_t, 1> value{};
      quantizer.dequantize_block(std::to_integer<std::uint64_t>(scales[s]), code, b.output, value,
                                 {b.rounding, b.dst_ftz});
      std::memcpy(words.data() + i * width, value.data(), width);
    }
  }
  return words;
}

void compare(const ScaledDequantizeJob& job, const BlockLayout& layout,
             std::span<const std::byte> codes, std::span<const std::byte> scales,
             DequantizeCount& count, int threads = 1) {
  const std::vector<std::byte> expected = reference_words(job, layout, codes, scales);
  const ScaledDequantizePlan plan = ScaledDequantizePlan::make(job).value();
  count.words += layout.elements();
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    Guarded words(expected.size());
    const bool done = plan.dequantize(layout, codes, scales, words.span(), threads);
    const auto at = std::ranges::mismatch(expected, words.span()).in1 - expected.begin();
    if (done && words.guards_hold() && at == std::ssize(expected)) continue;
    if (count.mismatches++ == 0) {
      count.first = fmt::format("{} to {}, tensor scale {:08X}, {}, {}: byte {}",
                                job.blocks.format.scale.name, job.blocks.output.name,
                                job.tensor_scale, token_of(job.blocks.block.rule), target, at);
    }
  }
}

/// Every code under every scale of a format, in its blocks.
struct EveryPair {
  explicit EveryPair(const BlockFormat& format) {
    for (std::uint64_t scale = 0; scale <= format.scale.code_mask(); ++scale) {
      scales.push_back(static_cast<std::byte>(scale));
      for (int i = 0; i < format.block_size; ++i) codes.push_back(static_cast<std::byte>(i & 15));
    }
  }
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
};

/// One that comes back exactly, and those that round scales and products to binary32: by products,
/// and by the quotient of scale and tensor scale.
constexpr ScaleRule kRules[] = {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Torchao,
                                ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Ct};

/// Is a scale under this tensor scale infinite in binary32?
bool overflows(ScaleRule rule, std::uint32_t tensor_scale) {
  if (way_back_of(rule) == WayBack::kExact) return false;
  return way_back_of(rule) == WayBack::kQuotient ? tensor_scale < 0x04000000
                                                 : tensor_scale >= 0x7A000000;
}

ScaledDequantizeJob job_of(std::string_view format, const ElementFormat& output) {
  const BlockFormat& known = *find_block_format(format);
  return {.blocks = {.format = known, .output = output, .block = {.rule = known.rule}}};
}

TEST(ScaledDequantize, EveryCodeUnderEveryScaleAtEveryTensorScale) {
  MX_NEEDS_CPU_PATH();
  DequantizeCount count;
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const std::string_view name : {"nvfp4", "e2m1_ue5m3_k16", "e2m1_ue5m3_k32"}) {
      for (const ScaleRule rule : kRules) {
        ScaledDequantizeJob job = job_of(name, *output);
        job.blocks.block.rule = rule;
        if (way_back_of(rule) != WayBack::kExact && name != "nvfp4") continue;
        const EveryPair all(job.blocks.format);
        for (const std::uint32_t scale : kTensorScales) {
          job.tensor_scale = scale;
          if (!ScaledDequantizePlan::make(job)) {
            EXPECT_TRUE(overflows(rule, scale)) << token_of(rule) << scale;
            continue;
          }
          compare(job, {1, all.codes.size(), 1}, all.codes, all.scales, count);
        }
      }
    }
  }
  EXPECT_EQ(count.mismatches, 0u) << count.first;
  EXPECT_GT(count.words, 300'000u);
}

TEST(ScaledDequantize, EveryRoundingAndPolicy) {
  MX_NEEDS_CPU_PATH();
  DequantizeCount count;
  Part some(6);
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    ScaledDequantizeJob job = job_of("nvfp4", *output);
    const EveryPair all(job.blocks.format);
    for (const ScaleRule rule : kRules) {
      job.blocks.block.rule = rule;
      for (const Rounding rounding : deterministic_roundings()) {
        for (const DequantOverflow overflow :
             {DequantOverflow::kInf, DequantOverflow::kSaturate, DequantOverflow::kNan}) {
          for (const ResultSubnormals ftz :
               {ResultSubnormals::kKeep, ResultSubnormals::kFlushBeforeRounding,
                ResultSubnormals::kFlushAfterRounding}) {
            job.blocks.rounding = rounding;
            job.blocks.block.dequant_overflow = overflow;
            job.blocks.dst_ftz = ftz;
            for (const std::uint32_t scale :
                 {0x39C30C31U, 0x00000003U, 0x33800001U, 0x47123457U, 0x7A123457U}) {
              job.tensor_scale = scale;
              if (!some.takes(output->man_bits, rule, rounding, overflow, ftz, scale)) continue;
              if (overflows(rule, scale) && !ScaledDequantizePlan::make(job)) continue;
              compare(job, {1, all.codes.size(), 1}, all.codes, all.scales, count);
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(count.mismatches, 0u) << count.first;
  EXPECT_GT(count.words, part(1'500'000, 8));
}

TEST(ScaledDequantize, EveryLayoutBlockSizeAndThreadCount) {
  MX_NEEDS_CPU_PATH();
  DequantizeCount count;
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const int block : {1, 5, 16, 32, 48, 1024}) {
      ScaledDequantizeJob job = job_of("nvfp4", *output);
      job.blocks.format.block_size = block;
      job.tensor_scale = 0x39C30C31;
      for (const BlockLayout& layout :
           {BlockLayout{3, 70, 1}, BlockLayout{1, 64, 96}, BlockLayout{2, 40, 33},
            BlockLayout{5, 1, 7}, BlockLayout{1, 1100, 17}, BlockLayout{1, 4099, 1}}) {
        std::vector<std::byte> codes(layout.elements());
        std::vector<std::byte> scales(layout.blocks(static_cast<std::size_t>(block)));
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = std::byte(i * 37 / 3 & 15);
        for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = std::byte(i * 11 & 127);
        compare(job, layout, codes, scales, count, block % 3 + 1);
      }
    }
  }
  EXPECT_EQ(count.mismatches, 0u) << count.first;
  EXPECT_GT(count.words, 400'000u);
}

TEST(ScaledDequantize, RefusesWhatIsNoCodeAndWhatHasNoPath) {
  MX_NEEDS_CPU_PATH();
  const ScaledDequantizeJob job = job_of("nvfp4", formats::bf16);
  const ScaledDequantizePlan plan = ScaledDequantizePlan::make(job).value();
  EXPECT_EQ(plan.block_size(), 16);
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    for (const BlockLayout& layout : {BlockLayout{1, 37, 1}, BlockLayout{1, 20, 3}}) {
      std::vector<std::byte> codes(layout.elements(), std::byte{7});
      std::vector<std::byte> scales(layout.blocks(16), std::byte{0x38});
      std::vector<std::byte> words(2 * codes.size());
      EXPECT_TRUE(plan.dequantize(layout, codes, scales, words));
      for (const std::size_t at : {std::size_t{3}, codes.size() - 1}) {
        codes[at] = std::byte{0x10};
        EXPECT_FALSE(plan.dequantize(layout, codes, scales, words)) << at;
        codes[at] = std::byte{7};
      }
      scales.back() = std::byte{0x80};
      EXPECT_FALSE(plan.dequantize(layout, codes, scales, words));
      scales.back() = std::byte{0x38};
      EXPECT_FALSE(
          plan.dequantize(layout, codes, scales, std::span(words).first(words.size() - 1)));
    }
  }
  const auto problem = [](const ScaledDequantizeJob& refused) {
    return std::string(ScaledDequantizePlan::make(refused).problem());
  };
  ScaledDequantizeJob axis = job_of("nvfp4", formats::fp32);
  axis.blocks.format.extent = BlockExtent::kAxis;
  EXPECT_EQ(problem(axis), "no fast path: blocks of another shape");
  EXPECT_EQ(problem(job_of("nvfp4", formats::fp64)),
            "no fast path: words other than fp32, bf16 and fp16");
  EXPECT_EQ(problem(job_of("mxfp4", formats::fp32)), "no fast path: the scale format");
  ScaledDequantizeJob infinite = job;
  infinite.tensor_scale = 0x7F800000;
  EXPECT_EQ(problem(infinite), "no fast path: the tensor scale");
  ScaledDequantizeJob drawn = job;
  drawn.blocks.rounding = Rounding::kStochasticA;
  EXPECT_EQ(problem(drawn), "no fast path: the rounding is stochastic");
}

}  // namespace
}  // namespace mx::fast::test
