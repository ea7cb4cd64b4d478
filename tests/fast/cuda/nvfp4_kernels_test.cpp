// The source of NVFP4's kernels, lane by lane on the host, against the reference.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include "fast/cuda_nvfp4/kernels.cuh"
// The kernels first.
#include <gtest/gtest.h>

#include <algorithm>

#include "fast/cuda/plan.hpp"
#include "fast/cuda_nvfp4/dispatch.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/nvfp4_judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast {

// Tests of a plan's kernels need what it computes with.
struct Nvfp4PlanAccess {
  [[nodiscard]] static const Nvfp4Plan::Constants& of(const Nvfp4Plan& plan) {
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

const auto kBegin = [](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
  shim::launch(std::min(blocks, 2U), threads, [&] { kernel(values...); });
};

template <class Function>
void with_words(cpu::Source words, const Function& f) {
  if (words == cpu::Source::kFp32) return f.template operator()<cuda::Fp32>();
  if (words == cpu::Source::kBf16) return f.template operator()<cuda::Bf16>();
  f.template operator()<cuda::Fp16>();
}

/// The kernels with at most two thread blocks, so that their loops go round.
Nvfp4Runner by_kernels() {
  return {[](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
             StreamAnswer& results, const std::uint32_t* tensor) -> Status {
            const Nvfp4Plan::Constants& constants = Nvfp4PlanAccess::of(plan);
            const Aligned words(source.size());
            std::ranges::copy(source, words.data);
            const Aligned codes(results.codes.size());
            const auto checked =
                cuda_nvfp4::check_there(plan, constants, layout, words.data,
                                        {codes.data, results.scales.data(),
                                         results.status.empty() ? nullptr : results.status.data()},
                                        tensor);
            if (!checked.status) return checked.status;
            std::fill_n(results.scales.data(),
                        cuda::bytes_to_clear(checked.call.there, constants.mode.block_size),
                        std::byte{0});
            with_words(constants.words, [&]<class Source>() {
              cuda_nvfp4::start_quantize<Source>(constants.mode, checked.call, kBegin);
            });
            std::copy_n(codes.data, results.codes.size(), results.codes.begin());
            return {};
          },
          [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> codes,
             std::span<const std::byte> scales, std::span<std::byte> words,
             const std::uint32_t* tensor) -> Status {
            const Nvfp4Plan::Constants& constants = Nvfp4PlanAccess::of(plan);
            const Aligned in(codes.size());
            std::ranges::copy(codes, in.data);
            const Aligned out(words.size());
            const auto checked = cuda_nvfp4::check_back(plan, constants, layout,
                                                        {in.data, scales.data()}, out.data, tensor);
            if (!checked.status) return checked.status;
            with_words(constants.words, [&]<class Words>() {
              cuda_nvfp4::start_dequantize<Words>(constants.mode, checked.call, kBegin);
            });
            std::copy_n(out.data, words.size(), words.begin());
            return {};
          }};
}

TEST(CudaNvfp4Kernels, AgreeWithTheReference) {
  StreamTally tally;
  DecodeTally back;
  std::uint64_t seed = 500;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const BlockLayout& shape :
           {BlockLayout{37, 160, 1}, BlockLayout{3, 70, 1}, BlockLayout{1, 64, 96}}) {
        for (const int flags : {1, 3, 5, 7}) {
          const Nvfp4Case one = nvfp4_case(*source, rule, 0x40490FDB);
          const StreamLayout layout{shape, true, (flags & 2) != 0, (flags & 4) != 0};
          compare_nvfp4(one, layout, nvfp4_words(*source, ++seed, shape.elements(), 0x40490FDB),
                        by_kernels(), flags == 3, tally);
          if (rule != ScaleRule::kNvfp4Exact) continue;
          compare_nvfp4_back(one, layout, by_kernels(), back);
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(back.mismatches, 0u) << back.first;
  EXPECT_EQ(tally.elements, 3u * 4 * 4 * (37 * 160 + 3 * 70 + 64 * 96));
}

}  // namespace
}  // namespace test
}  // namespace mx::fast
