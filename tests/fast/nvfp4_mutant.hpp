// Runs a variant of NVFP4's arithmetic, and asks it what tells wrong variants of its coding.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "fast/cuda/calls.hpp"
#include "fast/cuda_nvfp4/plan.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast {

// The mutants need what a plan computes with.
struct Nvfp4PlanAccess {
  [[nodiscard]] static const Nvfp4Plan::Constants& of(const Nvfp4Plan& plan) {
    return *plan.constants_;
  }
};

namespace test {

/// The rules by thresholds, words of every class, ties, transforms; and the way back.
inline void judge_thresholds(const ElementFormat& source, const Nvfp4Runner& runner,
                             StreamTally& tally) {
  DequantizeTally back;
  if (source == formats::fp32) compare_nvfp4_sticky(runner, tally);
  std::uint64_t seed = 0;
  for (const ScaleRule rule : nvfp4_rounded_rules()) {
    for (std::uint32_t i = 0; i < 12 && source == formats::fp32; ++i) {
      const Nvfp4Case one = nvfp4_case(source, rule, 0x3F800000 + i * 0x004CCCCD);
      compare_nvfp4(one, {{1, std::size_t{16} * 400, 1}}, nvfp4_ties(one, i, 400), runner, false,
                    tally);
    }
    for (const std::uint32_t amax : {0x40490FDBu, 0x45280000u, 0x7E000001u, 0x00000007u, 0u}) {
      const Nvfp4Case one = nvfp4_case(source, rule, amax);
      const StreamLayout layout{{16, 400, 1}};
      const std::size_t elements = layout.shape.elements();
      seed += 2;
      compare_nvfp4(one, layout, nvfp4_words(source, seed, elements, amax), runner, seed % 4 == 0,
                    tally);
      compare_nvfp4(one, layout, random_words(source, seed + 1, elements), runner, false, tally);
      const bool is_last = amax == 0x45280000u;
      compare_nvfp4(transformed(one, 0xD7E8, is_last), layout,
                    nvfp4_words(source, seed + 7, elements, amax), runner, false, tally);
      if (rule != ScaleRule::kNvfp4Exact) continue;
      compare_nvfp4_back(one, {{128, 16, 1}}, runner, back);
    }
  }
  tally.mismatches += back.mismatches;
  tally.first += back.first;
}

/// The other roundings, elements where they carry, and columns under transforms.
inline void judge_carries(const ElementFormat& source, const Nvfp4Runner& runner,
                          StreamTally& tally) {
  constexpr std::uint32_t kAmaxes[] = {0x40490FDB, 0x45280000, 0x7E000001, 0x00000007, 0};
  std::uint64_t at_places = 0;
  std::uint64_t seed = 0;
  for (const ScaleRule rule : nvfp4_rounded_rules()) {
    for (const auto& each : tokens<Rounding>()) {
      if (each.value == Rounding::kTiesToEven) continue;
      for (const int bits : {1, 3, 16}) {
        if (!is_stochastic(each.value) && bits != 16) continue;
        const std::uint32_t amax = kAmaxes[++seed % std::size(kAmaxes)];
        const Nvfp4Case one = rounded(nvfp4_case(source, rule, amax), each.value, bits);
        compare_nvfp4(one, {{8, 160, 1}}, nvfp4_words(source, seed, 1280, amax), runner, false,
                      tally);
        compare_nvfp4(one, {{8, 80, 1}}, random_words(source, seed, 640), runner, false, tally);
        compare_nvfp4(transformed(one, 0xD7E8, false), {{1, 32, 5}},
                      nvfp4_words(source, seed + 7, 160, amax), runner, false, tally);
        if (source != formats::fp32) continue;
        const Nvfp4Case near = rounded(nvfp4_case(source, rule, 0x40490FDB), each.value, bits);
        compare_nvfp4(near, {{1, 3200, 1}}, nvfp4_places(near, seed, 200, at_places), runner, false,
                      tally);
      }
    }
  }
}

/// nvfp4_ggml: its scales, ties, and maxima at which errors are lost.
inline void judge_search(const ElementFormat& source, const Nvfp4Runner& runner,
                         StreamTally& tally) {
  const StreamLayout layout{{16, 400, 1}};
  std::uint64_t seed = 0;
  for (const std::uint32_t amax : {0x40490FDBu, 0x45280000u, 0x7E000001u, 0x3C000000u, 0u}) {
    const Nvfp4Case one = nvfp4_case(source, ScaleRule::kNvfp4Ggml, amax);
    compare_nvfp4(one, layout, nvfp4_words(source, ++seed, 6400, amax), runner, false, tally);
    compare_nvfp4(one, layout, random_words(source, ++seed, 6400), runner, false, tally);
    if (source != formats::fp32) continue;
    compare_nvfp4(one, layout, nvfp4_ties(one, seed, 400), runner, false, tally);
    for (const std::uint32_t lost : {0x4F000000u, 0x50000000u, 0x52000000u}) {
      compare_nvfp4(one, layout, nvfp4_words(source, ++seed, 6400, lost), runner, false, tally);
    }
  }
}

/// nvfp4_4over6: each kind of error, and blocks under whose two scales the errors are equal.
inline void judge_candidates(const ElementFormat& source, const Nvfp4Runner& runner,
                             StreamTally& tally) {
  const StreamLayout layout{{8, 160, 1}};
  std::uint64_t seed = 0;
  for (const auto& each : tokens<FourOverSix>()) {
    for (const std::uint32_t amax : {0x40490FDBu, 0x45280000u, 0x7E000001u, 0x00000007u, 0u}) {
      const Nvfp4Case one = four_over_six(source, each.value, amax);
      ++seed;
      compare_nvfp4(one, layout, nvfp4_words(source, seed, 1280, amax), runner, seed % 2 == 0,
                    tally);
      compare_nvfp4(one, layout, random_words(source, ++seed, 1280), runner, false, tally);
      if (source != formats::fp32) continue;
      compare_nvfp4(one, {{1, 1600, 1}}, nvfp4_few_values(seed, 100), runner, false, tally);
    }
  }
}

/// What can tell a mutant, by the first letter of its name: the coding of its kernels, and what
/// they are asked.
constexpr cuda_nvfp4::Coding coding_of(std::string_view name) {
  using cuda_nvfp4::Coding;
  if (name.starts_with("c_")) return Coding::kCarries;
  if (name.starts_with("s_")) return Coding::kSearch;
  return name.starts_with("f_") ? Coding::kCandidates : Coding::kThresholds;
}

template <cuda_nvfp4::Coding kCoding>
StreamTally judge(const Nvfp4Runner& fp32, const Nvfp4Runner& fp16) {
  using cuda_nvfp4::Coding;
  constexpr auto kPart = kCoding == Coding::kCarries      ? &judge_carries
                         : kCoding == Coding::kSearch     ? &judge_search
                         : kCoding == Coding::kCandidates ? &judge_candidates
                                                          : &judge_thresholds;
  StreamTally tally;
  kPart(formats::fp32, fp32, tally);
  kPart(formats::fp16, fp16, tally);
  return tally;
}

}  // namespace test
}  // namespace mx::fast

// A runner for each variant: its namespace is all that differs. Two of four blocks along a row go
// the way of whole blocks: the short one where no status is asked for.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define MX_RUNNER(name, space)                                                                    \
  template <class Source, cuda_nvfp4::Coding kOwn>                                                \
  Nvfp4Runner runner_##name() {                                                                   \
    const auto quantize = [](const Nvfp4Plan& plan, const StreamLayout& layout,                   \
                             std::span<const std::byte> words, StreamAnswer& results,             \
                             const std::uint32_t* tensor, const StreamRandom& random) -> Status { \
      space::Mode mode;                                                                           \
      std::memcpy(static_cast<void*>(&mode), &Nvfp4PlanAccess::of(plan).mode, sizeof mode);       \
      cuda::Run run;                                                                              \
      run.source = words.data();                                                                  \
      run.outer = layout.shape.outer;                                                             \
      run.length = layout.shape.length;                                                           \
      run.inner = layout.shape.inner;                                                             \
      run.random = {random.words, random.seed, random.tensor};                                    \
      run.out = {reinterpret_cast<std::uint8_t*>(results.codes.data()),                           \
                 reinterpret_cast<std::uint8_t*>(results.scales.data()),                          \
                 results.status.empty() ? nullptr : results.status.data()};                       \
      const space::Tensor shared = space::tensor_of(mode, tensor);                                \
      constexpr auto kCoding = static_cast<space::Coding>(kOwn);                                  \
      for (std::size_t b = 0; b < cuda::blocks_of(run, mode.block_size); ++b) {                   \
        const bool is_whole = b / 2 % 2 == 1 && run.inner == 1;                                   \
        if (is_whole && run.out.status == nullptr) {                                              \
          space::Whole block;                                                                     \
          for (std::size_t i = 0; i < 16; ++i) {                                                  \
            block.word[i] = space::widened<Source>(cuda::load<Source>(run.source, b * 16 + i));   \
          }                                                                                       \
          space::store_whole(                                                                     \
              run, space::coded<kCoding>(mode, shared, block, {run.random, b * 16, 1}), b, 0, 1); \
        } else if (mode.transforms || is_whole) {                                                 \
          space::quantize_whole<Source, kCoding>(mode, shared, run, b);                           \
        } else {                                                                                  \
          space::quantize_block<Source, kCoding>(mode, shared, run, b);                           \
        }                                                                                         \
      }                                                                                           \
      return {};                                                                                  \
    };                                                                                            \
    const auto dequantize = [](const Nvfp4Plan&, const StreamLayout&,                             \
                               std::span<const std::byte> codes,                                  \
                               std::span<const std::byte> scales, std::span<std::byte> words,     \
                               const std::uint32_t* tensor) -> Status {                           \
      for (std::size_t i = 0; i < codes.size(); ++i) {                                            \
        const auto word = static_cast<typename Source::Word>(                                     \
            space::decode_word<Source>(std::to_integer<std::uint32_t>(codes[i]),                  \
                                       std::to_integer<std::uint32_t>(scales[i / 16]), *tensor)); \
        std::memcpy(words.data() + i * sizeof word, &word, sizeof word);                          \
      }                                                                                           \
      return {};                                                                                  \
    };                                                                                            \
    return {quantize, dequantize, nullptr};                                                       \
  }

#define MX_MUTANT(name)                                                             \
  MX_RUNNER(name, ::mx::fast::mutant::name::cuda_nvfp4)                             \
  TEST(Nvfp4Mutant, name) {                                                         \
    constexpr cuda_nvfp4::Coding kCoding = coding_of(#name);                        \
    const StreamTally tally = judge<kCoding>(runner_##name<cuda::Fp32, kCoding>(),  \
                                             runner_##name<cuda::Fp16, kCoding>()); \
    EXPECT_GT(tally.mismatches, 0u) << "the mutant survives";                       \
    RecordProperty("mismatches", std::to_string(tally.mismatches));                 \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)
