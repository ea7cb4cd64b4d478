// Judges the CPU path against the reference on every set of vector instructions of this machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fast/cpu/block_plan.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::fast::test {

/// The classes of stimulus that are counted. A class that stays empty proves nothing.
enum class Class : std::uint8_t {
  kScaleClamped,
  kZeroBlock,
  kInfBlock,
  kNanBlock,
  kToZero,
  kSaturated,
  kSubnormalInput,
  kNegativeZero,
  kCount
};
[[nodiscard]] std::string_view name_of(Class one);

struct CpuTally {
  std::uint64_t elements = 0;    ///< of the reference; each was compared for every target
  std::uint64_t mismatches = 0;  ///< codes, scales and status words, over the targets
  std::array<std::uint64_t, static_cast<std::size_t>(Class::kCount)> classes{};
  std::string first;
  [[nodiscard]] std::uint64_t operator[](Class one) const {
    return classes[static_cast<std::size_t>(one)];
  }
};

/// The deterministic roundings, and the rules that the path has.
[[nodiscard]] std::vector<Rounding> deterministic_roundings();
[[nodiscard]] std::vector<ScaleRule> path_rules();

/// The configuration of the reference that a job is.
[[nodiscard]] QuantizerConfig config_of(const BlockJob& job);

/// A job of a source and an element format under e8m0, block size 32, all policies the defaults.
[[nodiscard]] BlockJob default_job(const ElementFormat& source, const ElementFormat& element);

/// Quantizes one line of words by the reference, block by block, and by every target, with and
/// without status; compares codes, scales and status.
void compare_line(const BlockJob& job, std::span<const std::byte> words, CpuTally& tally);

/// A plan's call, whatever the plan.
using QuantizeCall = std::function<bool(
    const BlockLayout& layout, std::span<const std::byte> source, std::span<std::byte> codes,
    std::span<std::byte> scales, std::span<std::uint16_t> status, int threads)>;

/// The status word that a block's result should have.
using StatusOf = std::uint16_t (*)(const BlockResult& result);

/// The same of any plan. `context` names the case in messages.
void compare_line(const Quantizer& reference, const QuantizeCall& plan, StatusOf status_of,
                  std::string_view context, std::span<const std::byte> words, CpuTally& tally);

/// The same of a whole tensor without status, by the reference's tensor functions.
void compare_tensor(const Quantizer& reference, const QuantizeCall& plan, std::string_view context,
                    const BlockLayout& layout, std::span<const std::byte> words, CpuTally& tally,
                    int threads = 1);
void compare_tensor(const BlockJob& job, const BlockLayout& layout,
                    std::span<const std::byte> words, CpuTally& tally, int threads = 1);

/// Conversions of single values.
void compare_elements(const ElementJob& job, std::span<const std::byte> words, CpuTally& tally);

}  // namespace mx::fast::test

/// Skips a test, aloud, in a build without the kernels.
#define MX_NEEDS_CPU_PATH()              \
  if (::mx::fast::cpu_targets().empty()) \
  GTEST_SKIP() << "this build has no Highway: the CPU path is not tested"
