// Judges the plans of blocks under real-valued scales against the reference, on every set of vector
// instructions of this machine.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fast/scaled/scaled_block_plan.hpp"
#include "tests/fast/cpu/judge.hpp"

namespace mx::fast::test {

/// The rules that have plans, nvfp4_4over6 too.
[[nodiscard]] std::vector<ScaleRule> scaled_rules();

/// The roundings that a rule knows. ggml's search rounds nothing.
[[nodiscard]] std::vector<Rounding> roundings_of(ScaleRule rule);

/// The plan of a job as what a judge calls, or why there is none.
[[nodiscard]] Checked<QuantizeCall> make_call(const ScaledBlockJob& job);

/// The words of spec R6, whose bit 13 is here the flag saturated.
[[nodiscard]] std::uint16_t scaled_status_of(const BlockResult& result);

/// What most tests go through, and what it is called there.
using ScaledCase = std::tuple<ElementFormat, ScaleRule>;
[[nodiscard]] std::string name_of_case(const ::testing::TestParamInfo<ScaledCase>& each);

/// The classes that stayed empty. The search of ggml's rule knows no overflow.
[[nodiscard]] std::vector<std::string_view> empty_classes(const CpuTally& tally, ScaleRule rule);

/// The largest magnitude of a tensor: every exponent in turn, a seeded significand.
[[nodiscard]] std::uint32_t seeded_amax(std::uint64_t seed);

/// What a job is called in messages.
[[nodiscard]] std::string name_of(const ScaledBlockJob& job);

/// NVFP4 under a rule, all policies those of the rule's system: spec F15 and docs/profiles.md.
[[nodiscard]] ScaledBlockJob nvfp4_job(const ElementFormat& source, ScaleRule rule);

/// The job at the level of a tensor whose largest finite magnitude is this binary32 pattern.
[[nodiscard]] ScaledBlockJob at_amax(ScaledBlockJob job, std::uint32_t amax);

[[nodiscard]] QuantizerConfig config_of(const ScaledBlockJob& job);

/// Words of the source, one line of blocks.
void compare_line(const ScaledBlockJob& job, std::span<const std::byte> words, CpuTally& tally);
void compare_line(const ScaledBlockJob& job, std::span<const std::uint32_t> codes, CpuTally& tally);
void compare_tensor(const ScaledBlockJob& job, const BlockLayout& layout,
                    std::span<const std::byte> words, CpuTally& tally, int threads = 1);

}  // namespace mx::fast::test
