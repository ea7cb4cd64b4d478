// The source of NVFP4's kernels, lane by lane on the host, against the reference.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include "fast/cuda_nvfp4/tiles.cuh"
// The kernels first.
#include <gtest/gtest.h>

#include <algorithm>

#include "fast/cuda/plan.hpp"
#include "fast/cuda_nvfp4/dispatch.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"

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

Status both_by_kernels(const Nvfp4Plan& plan, const Nvfp4Plan& down, const Nvfp4Both& shape,
                       std::span<const std::byte> source, std::span<StreamAnswer, 2> results,
                       const std::uint32_t* numbers) {
  const Nvfp4Plan::Constants& constants = Nvfp4PlanAccess::of(down);
  const Aligned words(source.size());
  std::ranges::copy(source, words.data);
  const Aligned codes[2] = {Aligned(results[0].codes.size()), Aligned(results[1].codes.size())};
  const auto results_of = [&](std::size_t d) {
    return StreamResults{codes[d].data, results[d].scales.data(),
                         results[d].status.empty() ? nullptr : results[d].status.data()};
  };
  Nvfp4Both both = shape;
  both.source = words.data;
  both.along_rows = results_of(0);
  both.down_columns = results_of(1);
  if (numbers != nullptr) {
    both.rows_tensor = numbers;
    both.columns_tensor = numbers + 1;
  }
  const auto checked =
      cuda_nvfp4::check_both(plan, Nvfp4PlanAccess::of(plan), down, constants, both);
  if (!checked.status) return checked.status;
  const cuda::Run* const runs[2] = {&checked.call.along.run, &checked.call.there};
  for (std::size_t d = 0; d < 2; ++d) {
    std::fill_n(results[d].scales.data(), cuda::bytes_to_clear(*runs[d], 16), std::byte{0});
  }
  with_words(constants.words, [&]<class Source>() {
    cuda_nvfp4::start_quantize<Source>(constants.mode, checked.call, kBegin);
  });
  for (std::size_t d = 0; d < 2; ++d) {
    std::copy_n(codes[d].data, results[d].codes.size(), results[d].codes.begin());
  }
  return {};
}

/// The kernels with at most two thread blocks, so that their loops go round.
Nvfp4Runner by_kernels() {
  return {
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         StreamAnswer& results, const std::uint32_t* tensor, const StreamRandom& random) -> Status {
        const Nvfp4Plan::Constants& constants = Nvfp4PlanAccess::of(plan);
        const Aligned words(source.size());
        std::ranges::copy(source, words.data);
        const Aligned codes(results.codes.size());
        const auto checked =
            cuda_nvfp4::check_there(plan, constants, layout, words.data,
                                    {codes.data, results.scales.data(),
                                     results.status.empty() ? nullptr : results.status.data()},
                                    tensor, random);
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
      },
      &both_by_kernels};
}

TEST(CudaNvfp4Kernels, AgreeWithTheReference) {
  StreamTally tally;
  Part some(8);
  DequantizeTally back;
  std::uint64_t seed = 500;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const BlockLayout& shape : {BlockLayout{37, 160, 1}, BlockLayout{3, 70, 1},
                                       BlockLayout{1, 64, 96}, BlockLayout{2, 80, 48}}) {
        for (const int flags : {1, 3, 5, 7}) {
          if (!some.takes(source->man_bits, rule, shape.length, flags)) continue;
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
  EXPECT_GE(tally.elements,
            part(std::size_t{3} * 6 * 4 * (37 * 160 + 3 * 70 + 64 * 96 + 2 * 80 * 48), 12));
}

TEST(CudaNvfp4Kernels, AgreeInBothDirectionsFromOneRead) {
  StreamTally tally;
  Part some(8);
  std::uint64_t seed = 900;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const auto& [rows, columns] : {std::pair{64U, 128U}, {16U, 16U}, {208U, 80U}}) {
        for (const int flags : {0, 1, 2, 3}) {
          if (!some.takes(source->man_bits, rule, rows, flags)) continue;
          // Either direction has its own number.
          const Nvfp4Case along = nvfp4_case(*source, rule, 0x40490FDB);
          const Nvfp4Case down = nvfp4_case(*source, rule, 0x41490FDB);
          Nvfp4Both shape;
          shape.rows = rows;
          shape.columns = columns;
          shape.packed = (flags & 1) != 0;
          shape.swizzled = (flags & 2) != 0;
          compare_nvfp4_both(along, down, shape,
                             nvfp4_words(*source, ++seed, std::size_t{rows} * columns, 0x40490FDB),
                             by_kernels(), flags == 3, tally);
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(tally.elements, part(std::size_t{3} * 6 * 4 * 2 * (64 * 128 + 16 * 16 + 208 * 80), 16));
}

TEST(CudaNvfp4Kernels, AgreeUnderHadamardTransforms) {
  StreamTally tally;
  Part some(8);
  std::uint64_t seed = 1500;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const BlockLayout& shape : {BlockLayout{37, 160, 1}, BlockLayout{3, 32, 7},
                                       BlockLayout{1, 64, 96}, BlockLayout{2, 80, 48}}) {
        for (const int flags : {0, 1, 3, 5, 7}) {
          if (!some.takes(source->man_bits, rule, shape.length, flags)) continue;
          const StreamLayout layout{shape, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
          ++seed;
          const Nvfp4Case one =
              transformed(nvfp4_case(*source, rule, 0x40490FDB),
                          static_cast<std::uint16_t>(seed * 0x9E37), seed % 2 == 0);
          if (!Nvfp4Plan::make(one.job).value().layout_problem(layout).empty()) continue;
          compare_nvfp4(one, layout, nvfp4_words(*source, seed, shape.elements(), 0x40490FDB),
                        by_kernels(), flags == 3, tally);
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(1'000'000, 12));
  for (std::size_t bit = 8; bit < 14; ++bit) EXPECT_GT(tally.status_bits[bit], part(20, 10)) << bit;
}

// A direction may be transformed where the other is not, as training recipes have it.
TEST(CudaNvfp4Kernels, AgreeInBothDirectionsUnderHadamardTransforms) {
  StreamTally tally;
  Part some(8);
  std::uint64_t seed = 2500;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const int flags : {0, 1, 2, 3, 4, 5}) {
        if (!some.takes(source->man_bits, rule, flags)) continue;
        Nvfp4Case along = nvfp4_case(*source, rule, 0x40490FDB);
        const Nvfp4Case down =
            transformed(nvfp4_case(*source, rule, 0x41490FDB), 0xD7E8, flags % 2 == 0);
        if (flags > 2) along = transformed(along, 0x1234, flags > 3);
        Nvfp4Both shape;
        shape.rows = 80;
        shape.columns = 144;
        shape.packed = (flags & 1) != 0;
        shape.swizzled = (flags & 2) != 0;
        compare_nvfp4_both(along, down, shape,
                           nvfp4_words(*source, ++seed, shape.rows * shape.columns, 0x40490FDB),
                           by_kernels(), flags == 3, tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(tally.elements, part(std::size_t{3} * 6 * 6 * 2 * 80 * 144, 12));
}

// Roundings that carry, by the counter's words and by given ones, in every kernel.
TEST(CudaNvfp4Kernels, AgreeUnderRoundingsThatCarry) {
  StreamTally tally;
  Part some(8);
  std::uint64_t seed = 3500;
  std::vector<std::uint32_t> given(std::size_t{37} * 160);
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = static_cast<std::uint32_t>(i * 0x9E3779B97F4A7C15 >> 52);
  }
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rounded_rules()) {
      for (const Rounding rounding : {Rounding::kStochasticA, Rounding::kStochasticB,
                                      Rounding::kStochasticCOdd, Rounding::kTowardNegative}) {
        for (const StreamLayout& layout :
             {StreamLayout{{37, 160, 1}, true, true, true}, StreamLayout{{3, 70, 1}},
              StreamLayout{{1, 48, 96}, true, true, false}, StreamLayout{{2, 32, 5}}}) {
          ++seed;
          if (!some.takes(source->man_bits, rule, rounding, layout.shape.length)) continue;
          Nvfp4Case one = rounded(nvfp4_case(*source, rule, 0x40490FDB), rounding, 12);
          if (seed % 3 == 0) one.random.words = given.data();
          const auto words = nvfp4_words(*source, seed, layout.shape.elements(), 0x40490FDB);
          compare_nvfp4(one, layout, words, by_kernels(), seed % 2 == 0, tally);
          if (layout.shape.length % 16 != 0) continue;
          compare_nvfp4(transformed(one, 0xD7E8, seed % 2 == 0), layout, words, by_kernels(), false,
                        tally);
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(1'000'000, 12));
  for (std::size_t bit = 8; bit < 14; ++bit) EXPECT_GT(tally.status_bits[bit], part(20, 10)) << bit;
}

// Directions of one coding share a kernel, others have one each.
TEST(CudaNvfp4Kernels, AgreeInBothDirectionsUnderEveryPairOfCodings) {
  StreamTally tally;
  Part some(8);
  std::uint64_t seed = 4500;
  const auto cases = [](const ElementFormat& source, std::uint32_t amax) {
    return std::vector{
        nvfp4_case(source, ScaleRule::kNvfp4Te, amax),
        rounded(nvfp4_case(source, ScaleRule::kNvfp4Te, amax), Rounding::kStochasticA),
        rounded(nvfp4_case(source, ScaleRule::kNvfp4Exact, amax), Rounding::kStochasticC, 7),
        nvfp4_case(source, ScaleRule::kNvfp4Ggml, amax),
        nvfp4_case(source, ScaleRule::kNvfp44over6, amax)};
  };
  for (const ElementFormat* source : ocp_sources()) {
    for (const Nvfp4Case& along : cases(*source, 0x40490FDB)) {
      for (const Nvfp4Case& down : cases(*source, 0x41490FDB)) {
        ++seed;
        if (!some.takes(source->man_bits, (seed - 1) / 5 % 5, (seed - 1) % 5)) continue;
        Nvfp4Both shape;
        shape.rows = 80;
        shape.columns = 144;
        shape.packed = seed % 2 == 0;
        shape.swizzled = seed % 3 == 0;
        compare_nvfp4_both(along, down, shape,
                           nvfp4_words(*source, seed, shape.rows * shape.columns, 0x40490FDB),
                           by_kernels(), seed % 2 == 0, tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(tally.elements, part(std::size_t{3} * 5 * 5 * 2 * 80 * 144, 12));
}

// Ties of scales and elements, elements where a rounding carries, errors that are equal: what
// random words seldom meet.
TEST(CudaNvfp4Kernels, AgreeWhereARuleDecides) {
  StreamTally tally;
  std::uint64_t at_places = 0;
  std::uint64_t seed = 5500;
  const auto judge = [&](const Nvfp4Case& one, const std::vector<std::byte>& words) {
    const StreamLayout layout{{1, words.size() / 4, 1}, false, seed % 2 == 0, false};
    compare_nvfp4(one, layout, words, by_kernels(), ++seed % 3 == 0, tally);
  };
  for (const ScaleRule rule : nvfp4_rules()) {
    for (std::uint32_t i = 0; i < part(40, 5); ++i) {
      const Nvfp4Case one = nvfp4_case(formats::fp32, rule, 0x3F800000 + i * 0x004CCCCD);
      judge(one, nvfp4_ties(one, i, 100));
    }
  }
  for (const ScaleRule rule : nvfp4_rounded_rules()) {
    for (const auto& rounding : tokens<Rounding>()) {
      if (rounding.value == Rounding::kTiesToEven) continue;
      const Nvfp4Case one = rounded(nvfp4_case(formats::fp32, rule, 0x3F9CCCCD), rounding.value,
                                    seed % 2 == 0 ? 16 : 3);
      judge(one, nvfp4_places(one, seed, 50, at_places));
    }
  }
  for (const auto& kind : tokens<FourOverSix>()) {
    judge(four_over_six(formats::fp32, kind.value, 0x40490FDB), nvfp4_few_values(seed, 200));
  }
  compare_nvfp4_sticky(by_kernels(), tally);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 100'000u);
  EXPECT_GT(at_places, 10'000u);
}

TEST(CudaNvfp4Kernels, SayWhatBothDirectionsDoNotTake) {
  const Nvfp4Plan plan =
      Nvfp4Plan::make(nvfp4_case(formats::bf16, ScaleRule::kNvfp4Te, 0x3F800000).job).value();
  const Nvfp4Plan other =
      Nvfp4Plan::make(nvfp4_case(formats::fp32, ScaleRule::kNvfp4Te, 0x3F800000).job).value();
  const Aligned bytes(4096);
  std::array<std::uint16_t, 64> status{};
  Nvfp4Both good;
  good.rows = good.columns = 16;
  good.source = bytes.data;
  good.along_rows = good.down_columns = {bytes.data, bytes.data};
  const auto problem = [&](const Nvfp4Plan& down, const Nvfp4Both& both) {
    return cuda_nvfp4::check_both(plan, Nvfp4PlanAccess::of(plan), down, Nvfp4PlanAccess::of(down),
                                  both)
        .status.error;
  };
  EXPECT_EQ(problem(plan, good), Error::kNone);
  EXPECT_EQ(problem(other, good), Error::kUnsupportedFormat);
  Nvfp4Both one = good;
  one.rows = 24;
  EXPECT_EQ(problem(plan, one), Error::kBadLayout);
  one = good;
  one.down_columns.codes = bytes.data + 8;
  EXPECT_EQ(problem(plan, one), Error::kBadLayout);
  one = good;
  one.along_rows.status = status.data();
  EXPECT_EQ(problem(plan, one), Error::kBadPointer);
  one = good;
  one.rows_random.words = reinterpret_cast<const std::uint32_t*>(bytes.data + 2);
  EXPECT_EQ(problem(plan, one), Error::kBadPointer);
  one = good;
  one.source = nullptr;
  EXPECT_EQ(problem(plan, one), Error::kBadPointer);
}

}  // namespace
}  // namespace test
}  // namespace mx::fast
