// Judges stochastic roundings under real-valued scales against the reference with the words of the
// counter-based generator, on every set of vector instructions of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"
#include "tests/fast/scaled/judge.hpp"

namespace mx::fast::test {

/// The rules whose elements are rounded.
[[nodiscard]] std::vector<ScaleRule> stochastic_rules();

/// NVFP4 under a rule, at a tensor's largest magnitude, with a stochastic rounding.
[[nodiscard]] ScaledBlockJob stochastic_job(const ElementFormat& source, ScaleRule rule,
                                            std::uint32_t amax, Rounding rounding, int random_bits);

struct StochasticAnswer {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;
  bool operator==(const StochasticAnswer&) const = default;
};

/// One line of blocks by the reference, whose first element has the place `first` in its tensor.
[[nodiscard]] StochasticAnswer reference_line(const ScaledBlockJob& job,
                                              std::span<const std::byte> words, std::uint64_t first,
                                              CpuTally& tally);

/// A call of the plan; empty where it refused or wrote beside its spans.
[[nodiscard]] StochasticAnswer plan_blocks(const ScaledBlockJob& job, const BlockLayout& layout,
                                           std::span<const std::byte> words, const Draws& draws,
                                           std::uint64_t first, int threads, bool with_status);

/// Compares one line on every target, with status and without.
void compare_stochastic(const ScaledBlockJob& job, std::span<const std::byte> words,
                        std::uint64_t first, CpuTally& tally);

}  // namespace mx::fast::test
