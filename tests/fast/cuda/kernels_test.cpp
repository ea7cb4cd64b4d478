// The kernels' own source, lane by lane on the host, against the reference: every kernel, every
// short encoder, the loops over a grid, tails, packed and swizzled results, both directions at
// once.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include "fast/cuda/kernels.cuh"
// The kernels first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fast/cuda/dispatch.hpp"
#include "fast/cuda/plan.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast {

// Tests of a plan's kernels need what it computes with.
struct PlanAccess {
  [[nodiscard]] static const StreamPlan::Constants& of(const StreamPlan& plan) {
    return *plan.constants_;
  }
};

namespace test {
namespace {

/// Starts kernels on the shim, with at most `most` thread blocks, so that their loops go round.
void start(const StreamPlan::Constants& constants, const cuda::Call& call, unsigned most) {
  for (const cuda::Run* const run : {&call.run, &call.rows}) {
    if (run->out.scales == nullptr) continue;
    std::memset(run->out.scales, 0, cuda::bytes_to_clear(*run, constants.mode.block.block_size));
  }
  const auto begin = [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
    shim::launch(std::min(blocks, most), threads, [&] { kernel(values...); });
  };
  switch (constants.source) {
    case cpu::Source::kFp32:
      return cuda::start_kernel<cuda::Fp32>(constants.mode, call, begin);
    case cpu::Source::kBf16:
      return cuda::start_kernel<cuda::Bf16>(constants.mode, call, begin);
    case cpu::Source::kFp16:
      return cuda::start_kernel<cuda::Fp16>(constants.mode, call, begin);
  }
}

/// Buffers like those of a device: aligned.
template <class T>
struct Aligned {
  explicit Aligned(std::size_t count)
      : bytes(count * sizeof(T) + 64),
        data(
            reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(bytes.data()) + 63) / 64 * 64)) {
  }
  std::vector<std::byte> bytes;
  T* data;
};

StreamRunner by_kernels(unsigned most_blocks = 2) {
  return [most_blocks](const StreamPlan& plan, const StreamLayout& layout,
                       std::span<const std::byte> source, std::span<std::byte> codes,
                       std::span<std::byte> scales, std::span<std::uint16_t> status,
                       const StreamRandom& random) -> Status {
    const Aligned<std::byte> words(source.size());
    std::ranges::copy(source, words.data);
    const Aligned<std::byte> out(codes.size());
    const StreamResults results{out.data, scales.data(), status.empty() ? nullptr : status.data()};
    const StreamPlan::Constants& constants = PlanAccess::of(plan);
    const cuda::CheckedCall checked =
        cuda::check_call(plan, constants, layout, words.data, results, random);
    if (!checked.status) return checked.status;
    start(constants, checked.call, most_blocks);
    std::copy_n(out.data, codes.size(), codes.begin());
    return {};
  };
}

void expect_agreement(const StreamTally& tally, std::uint64_t floor) {
  EXPECT_GE(tally.elements, floor);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

TEST(CudaRowsKernel, AgreesInEveryFormatAndPacking) {
  StreamTally tally;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      const BlockJob job = stream_job(*source, *element);
      std::size_t piece = 0;
      const Sink judge = [&](std::span<const std::uint32_t> codes) {
        // Lines of five blocks, so that tiles of scales are ragged.
        const std::size_t lines = codes.size() / 160;
        const StreamLayout layout{{lines, 160, 1}, false, piece % 2 == 1, piece % 3 == 1};
        EXPECT_EQ(StreamPlan::make(job).value().kernel(layout), "rows");
        const std::vector<std::byte> words = to_bytes(*source, codes.first(lines * 160));
        compare_stream(job, layout, words, by_kernels(), tally);
        ++piece;
      };
      for (std::uint64_t seed = 0; seed < part(4, 2); ++seed) {
        random_blocks(*source, seed, part(480, 3), judge);
      }
      if (*source != formats::fp32) continue;
      std::size_t turn = 0;
      thresholds_at_every_scale(*source, *element, [&](std::span<const std::uint32_t> codes) {
        if (runs_whole() || random_number(turn++) % 6 == 0) judge(codes);
      });
    }
  }
  expect_agreement(tally, part(1'500'000, 8));
  for (std::size_t bit = 8; bit < 14; ++bit) {
    EXPECT_GT(tally.status_bits[bit], part(500, 12)) << bit;
  }
}

TEST(CudaRowsKernel, AgreesOnTiesAwayOfFourBits) {
  StreamTally tally;
  for (const ElementFormat* source : ocp_sources()) {
    BlockJob job = stream_job(*source, formats::e2m1fn);
    job.element.rounding = Rounding::kTiesToAway;
    const Sink judge = [&](std::span<const std::uint32_t> codes) {
      const StreamLayout layout{{1, codes.size() / 32 * 32, 1}, false, true};
      const std::vector<std::byte> words = to_bytes(*source, codes.first(layout.shape.length));
      compare_stream(job, layout, words, by_kernels(), tally);
    };
    for (std::uint64_t seed = 0; seed < 4; ++seed) random_blocks(*source, seed, 480, judge);
    if (*source == formats::fp32) thresholds_at_every_scale(*source, formats::e2m1fn, judge);
  }
  expect_agreement(tally, 200'000);
}

TEST(CudaRowsKernel, AgreesUnderEveryRuleAndRounding) {
  StreamTally tally;
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : stream_rules()) {
      for (const auto& rounding : tokens<Rounding>()) {
        if (is_stochastic(rounding.value)) continue;
        const ElementFormat* element = ocp_elements()[seed % 6];
        BlockJob job = stream_job(*source, *element);
        job.block.rule = rule;
        job.element.rounding = rounding.value;
        const StreamLayout layout{{3, 32 * part(41, 8), 1}};
        compare_stream(job, layout, random_words(*source, ++seed, layout.shape.elements()),
                       by_kernels(), tally);
      }
    }
  }
  expect_agreement(tally, std::uint64_t{3} * 45 * 3 * 32 * part(41, 8));
}

TEST(CudaColumnsKernel, AgreesInEveryFormatPackingAndShape) {
  StreamTally tally;
  Part some(4);
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const BlockLayout& shape :
           {BlockLayout{1, 96, 160}, BlockLayout{2, 64, 32}, BlockLayout{1, 32, 288}}) {
        for (const bool packed : {false, true}) {
          const StreamLayout layout{shape, true, packed, seed % 2 == 0};
          // The seed goes on, taken or not.
          if (!some.takes(source->man_bits, element->canonical_nan, element->man_bits, shape.length,
                          packed, seed % 5)) {
            ++seed;
            continue;
          }
          BlockJob job = stream_job(*source, *element);
          job.block.rule = stream_rules()[seed % 5];
          if (seed % 4 == 3) job.element.rounding = Rounding::kToOdd;
          EXPECT_EQ(StreamPlan::make(job).value().kernel(layout), "columns");
          compare_stream(job, layout, random_words(*source, ++seed, shape.elements()), by_kernels(),
                         tally);
        }
      }
    }
  }
  expect_agreement(tally, part(800'000, 6));
}

TEST(CudaGeneralKernel, AgreesInEveryLayout) {
  StreamTally tally;
  Part some(3);
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const BlockLayout& shape : {BlockLayout{3, 70, 1}, BlockLayout{2, 33, 17},
                                       BlockLayout{1, 1100, 1}, BlockLayout{1, 1, 1}}) {
        for (const int block_size : {seed % 2 == 0 ? 32 : 7, seed % 3 == 0 ? 64 : 1024}) {
          BlockJob job = stream_job(*source, *element);
          job.format.block_size = block_size;
          job.block.rule = stream_rules()[++seed % 5];
          if (!some.takes(source->man_bits, element->canonical_nan, element->man_bits, shape.length,
                          block_size, seed % 5)) {
            continue;
          }
          const StreamLayout layout{shape, seed % 2 == 0, false, seed % 2 == 0 || shape.inner == 1};
          compare_stream(job, layout, random_words(*source, seed, shape.elements()), by_kernels(),
                         tally);
        }
      }
    }
  }
  expect_agreement(tally, part(80'000, 4));
}

TEST(CudaGeneralKernel, AgreesUnderStochasticRoundings) {
  StreamTally tally;
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const auto& rounding : tokens<Rounding>()) {
      if (!is_stochastic(rounding.value)) continue;
      for (const int bits : {1, 8, 16, 32}) {
        BlockJob job = stream_job(*source, *ocp_elements()[seed % 6]);
        job.element.rounding = rounding.value;
        job.element.random_bits = bits;
        const StreamLayout layout{{2, 96, seed % 2 == 0 ? 1u : 5u}};
        ++seed;
        compare_stream(job, layout, random_words(*source, seed, layout.shape.elements()),
                       by_kernels(), tally, {nullptr, seed * 0x9E3779B97F4A7C15, 3});
      }
    }
  }
  expect_agreement(tally, std::uint64_t{3} * 4 * 4 * 2 * 96);
}

// The fast kernels, too, draw for each element by its place in the source, from the counter or from
// the words given; lanes beyond the end read none.
TEST(CudaRowsAndColumnsKernels, AgreeUnderStochasticRoundings) {
  StreamTally tally;
  Part some(3);
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const auto& rounding : tokens<Rounding>()) {
      if (!is_stochastic(rounding.value)) continue;
      for (const int bits : {1, 8, 16, 32}) {
        for (const bool in_columns : {false, true}) {
          BlockJob job = stream_job(*source, *ocp_elements()[seed % 6]);
          job.element.rounding = rounding.value;
          job.element.random_bits = bits;
          job.block.rule = stream_rules()[seed % 5];
          const StreamLayout layout = in_columns ? StreamLayout{{2, 64, 96}, true, seed % 2 == 0}
                                                 : StreamLayout{{5, 96, 1}, false, seed % 2 == 0};
          EXPECT_EQ(StreamPlan::make(job).value().kernel(layout), in_columns ? "columns" : "rows");
          std::vector<std::uint32_t> given(layout.shape.elements());
          for (std::size_t i = 0; i < given.size(); ++i) {
            given[i] = static_cast<std::uint32_t>(i * 0x9E3779B9) >> (32 - bits);
          }
          const StreamRandom counter{nullptr, ++seed * 0x9E3779B97F4A7C15, 3};
          if (!some.takes(source->man_bits, rounding.value, bits, in_columns, seed % 3, seed % 5)) {
            continue;
          }
          compare_stream(job, layout, random_words(*source, seed, layout.shape.elements()),
                         by_kernels(), tally, seed % 3 == 0 ? StreamRandom{given.data()} : counter);
        }
      }
    }
  }
  expect_agreement(tally, part(std::size_t{3} * 4 * 4 * (5 * 96 + 2 * 64 * 96), 4));
}

TEST(CudaBothKernel, AgreesInBothDirectionsFromOneRead) {
  StreamTally tally;
  Part some(3);
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const int flags : {0, 1, 2, 3}) {
        if (!some.takes(source->man_bits, element->canonical_nan, element->man_bits, flags,
                        seed % 4)) {
          ++seed;
          continue;
        }
        const bool with_status = (flags & 1) != 0;
        const std::size_t rows = 64;
        const std::size_t columns = seed % 2 == 0 ? 160 : 96;
        const bool packed = seed % 3 == 0;
        const bool swizzled = seed % 4 < 2;
        BlockJob job = stream_job(*source, *element);
        if ((flags & 2) != 0) job.element.rounding = Rounding::kStochasticA;
        const BothRandom random{{nullptr, seed + 7, 1}, {nullptr, seed + 9, 2}};
        const StreamPlan plan = StreamPlan::make(job).value();
        const std::vector<std::byte> source_words = random_words(*source, ++seed, rows * columns);
        const Aligned<std::byte> words(source_words.size());
        std::ranges::copy(source_words, words.data);
        const StreamLayout layouts[2] = {{{rows, columns, 1}, false, packed, swizzled},
                                         {{1, rows, columns}, true, packed, swizzled}};
        StreamAnswer got[2];
        StreamResults results[2];
        const Aligned<std::byte> codes[2] = {Aligned<std::byte>(rows * columns),
                                             Aligned<std::byte>(rows * columns)};
        for (int d = 0; d < 2; ++d) {
          const StreamSizes sizes = plan.sizes(layouts[d]);
          got[d].scales.assign(sizes.scale_bytes, std::byte{0xA5});
          got[d].status.assign(with_status ? sizes.status_words : 0, 0xA5A5);
          results[d] = {codes[d].data, got[d].scales.data(),
                        with_status ? got[d].status.data() : nullptr};
        }
        const StreamPlan::Constants& constants = PlanAccess::of(plan);
        const cuda::CheckedCall checked =
            cuda::check_both(plan, constants, rows, columns, packed, swizzled, words.data,
                             results[0], results[1], random);
        ASSERT_TRUE(checked.status) << checked.status.detail;
        start(constants, checked.call, 2);
        for (int d = 0; d < 2; ++d) {
          const std::size_t bytes = plan.sizes(layouts[d]).code_bytes;
          got[d].codes.assign(codes[d].data, codes[d].data + bytes);
          compare_answers(
              reference_answer(job, layouts[d], source_words,
                               d == 0 ? random.rows : random.columns),
              got[d], fmt::format("{} to {}, direction {}", source->name, element->name, d), tally);
          tally.elements += rows * columns;
        }
      }
    }
  }
  expect_agreement(tally, part(std::size_t{18} * 4 * 2 * 64 * 96, 4));
}

// Negative control of the shim: a lane that leaves early is seen.
TEST(CudaShim, SeesLanesThatNeverCome) {
  EXPECT_THROW(shim::launch(1, 32,
                            [] {
                              if (threadIdx.x == 5) return;
                              static_cast<void>(__shfl_xor_sync(0xFFFFFFFF, 1, 1));
                            }),
               std::logic_error);
}

}  // namespace
}  // namespace test
}  // namespace mx::fast
