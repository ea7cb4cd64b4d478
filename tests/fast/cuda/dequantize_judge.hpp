// Judges plans of the way back of the CUDA path against the reference, in any layout.
#pragma once

#include <functional>
#include <span>

#include "fast/cuda_dequantize/stream.hpp"
#include "tests/fast/cpu/dequantize_judge.hpp"

namespace mx::fast::test {

/// Runs a plan on host memory: by the host arithmetic, by the kernels through the shim, on a
/// device.
using DequantizeRunner = std::function<Status(
    const StreamDequantizePlan& plan, const StreamLayout& layout, std::span<const std::byte> codes,
    std::span<const std::byte> scales, std::span<std::byte> words)>;

/// The host arithmetic.
[[nodiscard]] Status dequantize_on_host(const StreamDequantizePlan& plan,
                                        const StreamLayout& layout,
                                        std::span<const std::byte> codes,
                                        std::span<const std::byte> scales,
                                        std::span<std::byte> words);

/// Codes, one a byte, and scale codes, in the order of the words, moved to where a layout has them.
struct LaidOut {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
};
[[nodiscard]] LaidOut laid_out(const DequantizeJob& job, const StreamLayout& layout,
                               std::span<const std::byte> codes, std::span<const std::byte> scales);

/// Words expected and got, counted by class and compared.
void compare_stream_words(const ElementFormat& format, std::span<const std::byte> expected,
                          std::span<const std::byte> got, std::string_view context,
                          DequantizeTally& tally);

/// One call, compared: codes and scales in the order of the words.
void compare_stream_decoding(const DequantizeJob& job, const StreamLayout& layout,
                             std::span<const std::byte> codes, std::span<const std::byte> scales,
                             const DequantizeRunner& runner, DequantizeTally& tally);

/// Every code of the element format under every code of the scale format, in blocks of `size`
/// codes, a multiple or a part of all codes.
void compare_every_pair(DequantizeJob job, int size, bool packed, bool columns,
                        const DequantizeRunner& runner, DequantizeTally& tally);

/// Codes and scales that take turns, for layouts.
[[nodiscard]] LaidOut turns(const DequantizeJob& job, const BlockLayout& shape, unsigned seed);

}  // namespace mx::fast::test
