// The source of the kernels of the way back, lane by lane on the host, against the reference: every
// kernel, every short decoder, the loops over a grid, tails, packed codes and swizzled scales.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include "fast/cuda_dequantize/kernels.cuh"
// The kernels first.
#include <gtest/gtest.h>

#include <algorithm>

#include "fast/cuda_dequantize/dispatch.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/dequantize_judge.hpp"
#include "tests/fast/sample.hpp"

namespace mx::fast {

// Tests of a plan's kernels need what it computes with.
struct DequantizePlanAccess {
  [[nodiscard]] static const StreamDequantizePlan::Constants& of(const StreamDequantizePlan& plan) {
    return *plan.constants_;
  }
};

namespace test {
namespace {

/// Bytes at a multiple of 64, like those of a device.
struct Aligned {
  explicit Aligned(std::size_t count)
      : bytes(count + 64),
        data(bytes.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64) % 64) {}
  std::vector<std::byte> bytes;
  std::byte* data;
};

void start(const StreamDequantizePlan::Constants& constants, const cuda_dequantize::Call& call,
           unsigned most) {
  const auto begin = [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
    shim::launch(std::min(blocks, most), threads, [&] { kernel(values...); });
  };
  switch (constants.words) {
    case dequantize::Words::kFp32:
      return cuda_dequantize::start_kernel<cuda::Fp32>(constants.mode, call, begin);
    case dequantize::Words::kBf16:
      return cuda_dequantize::start_kernel<cuda::Bf16>(constants.mode, call, begin);
    case dequantize::Words::kFp16:
      return cuda_dequantize::start_kernel<cuda::Fp16>(constants.mode, call, begin);
  }
}

/// The kernels with at most two thread blocks, so that their loops go round; words that a kernel
/// writes beyond the last count as wrong.
DequantizeRunner by_kernels() {
  return [](const StreamDequantizePlan& plan, const StreamLayout& layout,
            std::span<const std::byte> codes, std::span<const std::byte> scales,
            std::span<std::byte> words) -> Status {
    const Aligned in(codes.size());
    std::ranges::copy(codes, in.data);
    const Aligned out(words.size() + 64);
    std::fill_n(out.data, words.size() + 64, std::byte{0xA5});
    const StreamDequantizePlan::Constants& constants = DequantizePlanAccess::of(plan);
    const cuda_dequantize::CheckedCall checked =
        cuda_dequantize::check_call(plan, constants, layout, {in.data, scales.data()}, out.data);
    if (!checked.status) return checked.status;
    start(constants, checked.call, 2);
    std::copy_n(out.data, words.size(), words.begin());
    const bool kept = std::all_of(out.data + words.size(), out.data + words.size() + 64,
                                  [](std::byte b) { return b == std::byte{0xA5}; });
    return kept ? Status{} : Status{Error::kBadSize, "words beyond the last"};
  };
}

const ElementFormat* const kElements[] = {&formats::e4m3fn,   &formats::e5m2,    &formats::e3m2fn,
                                          &formats::e2m3fn,   &formats::e2m1fn,  &formats::int8,
                                          &formats::e4m3fnuz, &formats::e5m2fnuz};
const ElementFormat* const kWords[] = {&formats::fp32, &formats::bf16, &formats::fp16};

TEST(CudaDequantizeKernels, AgreeOnEveryCodeUnderEveryScale) {
  DequantizeTally tally;
  Part some(3);
  for (const ElementFormat* words : kWords) {
    for (const ElementFormat* element : kElements) {
      std::size_t turn = 0;
      for (const auto& overflow : tokens<DequantOverflow>()) {
        if (overflow.value == DequantOverflow::kWrap) continue;  // has no plan
        for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardNegative}) {
          DequantizeJob job = default_decoding(*element, *words);
          job.block.dequant_overflow = overflow.value;
          job.rounding = rounding;
          job.dst_ftz = tokens<ResultSubnormals>()[turn / 2 % 3].value;
          // The turns go on, taken or not.
          const bool is_taken = some.takes(words->man_bits, element->canonical_nan, element->bits,
                                           overflow.value, rounding, job.dst_ftz, turn % 6);
          const bool packed = element->bits < 8 && turn % 3 != 1;
          if (is_taken) {
            compare_every_pair(job, turn % 3 == 0 ? 32 : 16, packed, turn % 2 == 1, by_kernels(),
                               tally);
          }
          ++turn;
        }
      }
    }
  }
  EXPECT_GT(tally.elements, part(3'000'000, 6));
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

TEST(CudaDequantizeKernels, AgreeInEveryShapeAndPacking) {
  DequantizeTally tally;
  Part some(8);
  unsigned seed = 0;
  std::array<std::uint64_t, 3> kernels{};
  for (const ElementFormat* words : kWords) {
    for (const ElementFormat* element : kElements) {
      for (const BlockLayout& shape :
           {BlockLayout{130, 160, 1}, BlockLayout{1, 2048, 3}, BlockLayout{2, 96, 72},
            BlockLayout{1, 32, 136}, BlockLayout{3, 70, 1}, BlockLayout{2, 33, 17}}) {
        for (const int block_size : {8, 32, 7}) {
          DequantizeJob job = default_decoding(*element, *words);
          job.format.block_size = block_size;
          const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
          for (const int flags : {1, 3, 5, 7}) {
            const StreamLayout layout{shape, true, (flags & 2) != 0, (flags & 4) != 0};
            if (!plan.layout_problem(layout).empty()) continue;
            const std::string_view kernel = plan.kernel(layout);
            if (!some.takes(words->man_bits, element->canonical_nan, shape.length, block_size,
                            flags, kernel.size())) {
              continue;
            }
            ++kernels[kernel == "rows" ? 0 : kernel == "columns" ? 1 : 2];
            const LaidOut in = turns(job, shape, ++seed);
            compare_stream_decoding(job, layout, in.codes, in.scales, by_kernels(), tally);
          }
        }
      }
    }
  }
  for (const std::uint64_t each : kernels) EXPECT_GT(each, part(50, 12));
  EXPECT_GT(tally.elements, part(4'000'000, 12));
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

// The short decoder has most of the blocks that tensors have: the tests above went by it.
TEST(CudaDequantizeKernels, HaveAShortDecoderForTheCommonFormats) {
  for (const ElementFormat* words : kWords) {
    for (const ElementFormat* element : kElements) {
      const auto plan = StreamDequantizePlan::make(default_decoding(*element, *words)).value();
      const StreamDequantizePlan::Constants& constants = DequantizePlanAccess::of(plan);
      // Its top field is that of fp16's infinities.
      if (*element == formats::e5m2fnuz && *words == formats::fp16) {
        EXPECT_EQ(constants.codes, cuda_dequantize::Codes::kAny);
        continue;
      }
      EXPECT_NE(constants.codes, cuda_dequantize::Codes::kAny) << element->name;
      const bool is_fp16 = *words == formats::fp16;
      EXPECT_LE(constants.mode.low, is_fp16 ? -24 : -100) << element->name;
      EXPECT_GE(constants.mode.high, is_fp16 ? 0 : 100) << element->name;
    }
  }
}

}  // namespace
}  // namespace test
}  // namespace mx::fast
