// Negative control of NVFP4: the judge and its stimulus catch each wrong variant of the arithmetic.
// The same loops over the unchanged arithmetic find nothing.
#include <gtest/gtest.h>

#include "fast/cuda/calls.hpp"
#include "fast/cuda_nvfp4/plan.hpp"
#include "nvfp4_mutants.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/nvfp4_judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast {

// The mutants need what a plan computes with.
struct Nvfp4PlanAccess {
  [[nodiscard]] static const Nvfp4Plan::Constants& of(const Nvfp4Plan& plan) {
    return *plan.constants_;
  }
};

namespace test {
namespace {

// Functions for each variant: its namespace is all that differs.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define MX_JUDGE(name, space)                                                                     \
  template <class Source>                                                                         \
  void judge_one_##name(const ElementFormat& source, DecodeTally& back, StreamTally& tally) {     \
    Nvfp4Runner runner;                                                                           \
    const auto mode_of = [](const Nvfp4Plan& plan) {                                              \
      space::Mode mode;                                                                           \
      std::memcpy(static_cast<void*>(&mode), &Nvfp4PlanAccess::of(plan).mode, sizeof mode);       \
      return mode;                                                                                \
    };                                                                                            \
    runner.quantize = [&](const Nvfp4Plan& plan, const StreamLayout& layout,                      \
                          std::span<const std::byte> words, StreamAnswer& results,                \
                          const std::uint32_t* tensor) -> Status {                                \
      const space::Mode mode = mode_of(plan);                                                     \
      cuda::Run run;                                                                              \
      run.source = words.data();                                                                  \
      run.outer = layout.shape.outer;                                                             \
      run.length = layout.shape.length;                                                           \
      run.out = {reinterpret_cast<std::uint8_t*>(results.codes.data()),                           \
                 reinterpret_cast<std::uint8_t*>(results.scales.data()),                          \
                 results.status.empty() ? nullptr : results.status.data()};                       \
      const space::Tensor shared = space::tensor_of(mode, tensor);                                \
      for (std::size_t b = 0; b < cuda::blocks_of(run, mode.block_size); ++b) {                   \
        if (b % 2 == 0) {                                                                         \
          if (mode.transforms) {                                                                  \
            space::quantize_whole<Source>(mode, shared, run, b);                                  \
          } else {                                                                                \
            space::quantize_block<Source>(mode, shared, run, b);                                  \
          }                                                                                       \
          continue;                                                                               \
        }                                                                                         \
        space::Whole block;                                                                       \
        for (std::size_t i = 0; i < 16; ++i) {                                                    \
          block.word[i] = space::widened<Source>(cuda::load<Source>(run.source, b * 16 + i));     \
        }                                                                                         \
        space::store_whole(run, space::coded(mode, shared, block), b, 0, 1);                      \
      }                                                                                           \
      return {};                                                                                  \
    };                                                                                            \
    runner.dequantize = [&](const Nvfp4Plan& plan, const StreamLayout&,                           \
                            std::span<const std::byte> codes, std::span<const std::byte> scales,  \
                            std::span<std::byte> words, const std::uint32_t* tensor) -> Status {  \
      static_cast<void>(mode_of(plan));                                                           \
      for (std::size_t i = 0; i < codes.size(); ++i) {                                            \
        const auto word = static_cast<typename Source::Word>(                                     \
            space::decode_word<Source>(std::to_integer<std::uint32_t>(codes[i]),                  \
                                       std::to_integer<std::uint32_t>(scales[i / 16]), *tensor)); \
        std::memcpy(words.data() + i * sizeof word, &word, sizeof word);                          \
      }                                                                                           \
      return {};                                                                                  \
    };                                                                                            \
    if (source == formats::fp32) compare_nvfp4_sticky(runner, tally);                             \
    std::uint64_t seed = 0;                                                                       \
    for (const ScaleRule rule : nvfp4_rules()) {                                                  \
      for (std::uint32_t i = 0; i < 12 && source == formats::fp32; ++i) {                         \
        const Nvfp4Case one = nvfp4_case(source, rule, 0x3F800000 + i * 0x004CCCCD);              \
        compare_nvfp4(one, {{1, std::size_t{16} * 400, 1}}, nvfp4_ties(one, i, 400), runner,      \
                      false, tally);                                                              \
      }                                                                                           \
      for (const std::uint32_t amax : {0x40490FDBu, 0x45280000u, 0x7E000001u, 0x00000007u, 0u}) { \
        const Nvfp4Case one = nvfp4_case(source, rule, amax);                                     \
        const StreamLayout layout{{16, 400, 1}};                                                  \
        const std::size_t elements = layout.shape.elements();                                     \
        seed += 2;                                                                                \
        compare_nvfp4(one, layout, nvfp4_words(source, seed, elements, amax), runner,             \
                      seed % 4 == 0, tally);                                                      \
        compare_nvfp4(one, layout, random_words(source, seed + 1, elements), runner, false,       \
                      tally);                                                                     \
        const bool is_last = amax == 0x45280000u;                                                 \
        compare_nvfp4(transformed(one, 0xD7E8, is_last), layout,                                  \
                      nvfp4_words(source, seed + 7, elements, amax), runner, false, tally);       \
        if (rule != ScaleRule::kNvfp4Exact) continue;                                             \
        compare_nvfp4_back(one, {{128, 16, 1}}, runner, back);                                    \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  StreamTally judge_##name() {                                                                    \
    StreamTally tally;                                                                            \
    DecodeTally back;                                                                             \
    judge_one_##name<cuda::Fp32>(formats::fp32, back, tally);                                     \
    judge_one_##name<cuda::Fp16>(formats::fp16, back, tally);                                     \
    tally.mismatches += back.mismatches;                                                          \
    tally.first += back.first;                                                                    \
    return tally;                                                                                 \
  }

#define MX_MUTANT(name)                                             \
  MX_JUDGE(name, ::mx::fast::mutant::name::cuda_nvfp4)              \
  TEST(Nvfp4Mutant, name) {                                         \
    const StreamTally tally = judge_##name();                       \
    EXPECT_GT(tally.mismatches, 0u) << "the mutant survives";       \
    RecordProperty("mismatches", std::to_string(tally.mismatches)); \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

MX_JUDGE(unchanged, ::mx::fast::cuda_nvfp4)

TEST(Nvfp4Mutant, UnchangedArithmeticPasses) {
  const StreamTally tally = judge_unchanged();
  EXPECT_EQ(tally.elements, (2u * 4 * 5 * 3 + 4 * 12) * 6400 + 16);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

#include "nvfp4_mutants.inc"

}  // namespace
}  // namespace test
}  // namespace mx::fast
