// Judges NVFP4 plans of the CUDA path against the reference, there and back.
#pragma once

#include <functional>

#include "fast/cuda_nvfp4/stream.hpp"
#include "tests/fast/cuda/dequantize_judge.hpp"
#include "tests/fast/cuda/judge.hpp"

namespace mx::fast::test {

/// Runs a plan on host memory; the tensor's number comes by a pointer where `tensor` is not null.
struct Nvfp4Runner {
  std::function<Status(const Nvfp4Plan& plan, const StreamLayout& layout,
                       std::span<const std::byte> source, StreamAnswer& results,
                       const std::uint32_t* tensor, const StreamRandom& random)>
      quantize;
  std::function<Status(const Nvfp4Plan& plan, const StreamLayout& layout,
                       std::span<const std::byte> codes, std::span<const std::byte> scales,
                       std::span<std::byte> words, const std::uint32_t* tensor)>
      dequantize;
  /// Both directions: `shape` without pointers, `down` the plan of the columns, results of rows and
  /// of columns; `numbers` are two or none. Null where a backend has no such call.
  std::function<Status(const Nvfp4Plan& plan, const Nvfp4Plan& down, const Nvfp4Both& shape,
                       std::span<const std::byte> source, std::span<StreamAnswer, 2> results,
                       const std::uint32_t* numbers)>
      both;
};
[[nodiscard]] Nvfp4Runner nvfp4_on_host();

/// The rules that the path has; and those of them whose elements are rounded by any rounding.
[[nodiscard]] std::vector<ScaleRule> nvfp4_rules();
[[nodiscard]] std::vector<ScaleRule> nvfp4_rounded_rules();

/// The job of a rule, and the reference's configuration of the same tensor: the number that its
/// largest finite magnitude `amax` gives.
struct Nvfp4Case {
  Nvfp4Job job;
  QuantizerConfig config;
  StreamRandom random = {};  ///< of roundings that draw
};
[[nodiscard]] Nvfp4Case nvfp4_case(const ElementFormat& source, ScaleRule rule, std::uint32_t amax,
                                   int block_size = 16);

/// The case under a Hadamard transform; the tensor's number stays.
[[nodiscard]] Nvfp4Case transformed(Nvfp4Case one, std::uint16_t mask, bool signs_last);

/// nvfp4_4over6 with one of its errors.
[[nodiscard]] Nvfp4Case four_over_six(const ElementFormat& source, FourOverSix kind,
                                      std::uint32_t amax);

/// The case with another rounding of its elements, and words of a seed of its own.
[[nodiscard]] Nvfp4Case rounded(Nvfp4Case one, Rounding rounding, int random_bits = 16);

/// Words whose largest finite magnitudes lie around `amax` and below, with zeros, infinities, NaN,
/// subnormals, ties of E2M1 under the scale 1, and blocks of tiny values.
[[nodiscard]] std::vector<std::byte> nvfp4_words(const ElementFormat& source, std::uint64_t seed,
                                                 std::size_t elements, std::uint32_t amax);

/// Words of fp32 in blocks of 16 where the rule decides: maxima at half way between two scales, and
/// elements half way between two codes under the lower one, a unit of binary32 off or not. The
/// tensor's number is neither zero nor near an end of binary32.
[[nodiscard]] std::vector<std::byte> nvfp4_ties(const Nvfp4Case& one, std::uint64_t seed,
                                                std::size_t blocks);

/// Words of fp32 in blocks of 16, in C order from the place 0 on, whose elements lie where the
/// case's rounding carries from one code to the next, by their own random words where it draws, a
/// unit of binary32 off or not. `at_places` counts them. Tensor numbers as for nvfp4_ties.
[[nodiscard]] std::vector<std::byte> nvfp4_places(const Nvfp4Case& one, std::uint64_t seed,
                                                  std::size_t blocks, std::uint64_t& at_places);

/// Words of fp32 in blocks of 16 that have one or two magnitudes, of which both scales of
/// nvfp4_4over6 may leave the same error.
[[nodiscard]] std::vector<std::byte> nvfp4_few_values(std::uint64_t seed, std::size_t blocks);

void compare_nvfp4(const Nvfp4Case& one, const StreamLayout& layout,
                   std::span<const std::byte> source, const Nvfp4Runner& runner, bool by_pointer,
                   StreamTally& tally);

/// Both directions of `shape`, by one read, against the reference's answers of each.
void compare_nvfp4_both(const Nvfp4Case& along, const Nvfp4Case& down, const Nvfp4Both& shape,
                        std::span<const std::byte> source, const Nvfp4Runner& runner,
                        bool by_pointer, StreamTally& tally);

/// A block under nvfp4_exact whose scale lies above the middle of two codes by less than 30 bits of
/// the quotient show.
void compare_nvfp4_sticky(const Nvfp4Runner& runner, StreamTally& tally);

/// Every code under every scale code below 80, to words of the case's source.
void compare_nvfp4_back(const Nvfp4Case& one, const StreamLayout& layout, const Nvfp4Runner& runner,
                        DequantizeTally& tally);

}  // namespace mx::fast::test
