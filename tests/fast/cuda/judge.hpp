// Judges plans of the CUDA path against the reference: codes, scales and status words of any
// layout.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fast/cuda/stream.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::fast::test {

/// Runs a plan on host memory: by the host arithmetic, by the kernels through the shim, on a
/// device. `status` may be empty.
using StreamRunner = std::function<Status(
    const StreamPlan& plan, const StreamLayout& layout, std::span<const std::byte> source,
    std::span<std::byte> codes, std::span<std::byte> scales, std::span<std::uint16_t> status,
    const StreamRandom& random)>;

/// The host arithmetic.
[[nodiscard]] Status run_on_host(const StreamPlan& plan, const StreamLayout& layout,
                                 std::span<const std::byte> source, std::span<std::byte> codes,
                                 std::span<std::byte> scales, std::span<std::uint16_t> status,
                                 const StreamRandom& random);

struct StreamTally {
  std::uint64_t elements = 0;
  std::uint64_t mismatches = 0;  ///< bytes of codes and scales, and status words, that differ
  std::array<std::uint64_t, 16> status_bits{};  ///< blocks whose reference status has the bit
  std::string first;
};

/// What a call should write.
struct StreamAnswer {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;
};

/// The reference's answer, put where the layout wants it. `random` is the counter's or holds a word
/// for each element.
[[nodiscard]] StreamAnswer reference_answer(const BlockJob& job, const StreamLayout& layout,
                                            std::span<const std::byte> source,
                                            const StreamRandom& random);
[[nodiscard]] StreamAnswer reference_answer(const QuantizerConfig& config,
                                            const StreamLayout& layout,
                                            std::span<const std::byte> source,
                                            const StreamRandom& random);

void compare_answers(const StreamAnswer& expected, const StreamAnswer& got,
                     const std::string& context, StreamTally& tally);

/// One call with status words and one without, compared.
void compare_stream(const BlockJob& job, const StreamLayout& layout,
                    std::span<const std::byte> source, const StreamRunner& runner,
                    StreamTally& tally, const StreamRandom& random = {});

/// A job of a source and an element format under e8m0, block size 32, all policies the defaults.
[[nodiscard]] BlockJob stream_job(const ElementFormat& source, const ElementFormat& element);

/// The rules that the path has.
[[nodiscard]] std::vector<ScaleRule> stream_rules();

}  // namespace mx::fast::test
