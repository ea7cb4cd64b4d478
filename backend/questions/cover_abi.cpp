// SPDX-License-Identifier: Apache-2.0
// What a stimulus in memory covers, over the C ABI.
#include <algorithm>
#include <mutex>
#include <optional>

#include "backend/questions/arrays.hpp"
#include "golden/questions/covered.hpp"
#include "mxgold.h"
#include "reference/number/philox.hpp"

namespace {

using mx::abi::answered;
using mx::abi::Message;
using mx::abi::read_bytes;
using mx::abi::Words;

/// Looks at pieces of [0, count) on all threads, each with a coverage of its own; few are not worth
/// the proofs that a second one makes anew.
template <typename Make, typename Sample>
mx::golden::Covergroup all_covered(std::uint64_t count, const Make& make, const Sample& sample) {
  constexpr std::uint64_t kWorthIt = 1 << 17;
  const auto threads = static_cast<std::uint64_t>(mx::machine_threads());
  const std::uint64_t piece = std::max(kWorthIt, (count + threads - 1) / threads);
  if (count == 0) return make().group();
  std::optional<mx::golden::Covergroup> all;
  std::mutex mutex;
  mx::share_work(count, piece, mx::machine_threads(), [&](std::uint64_t first, std::uint64_t last) {
    auto coverage = make();
    for (std::uint64_t i = first; i < last; ++i) sample(coverage, i);
    const mx::golden::Covergroup group = coverage.group();
    const std::lock_guard lock(mutex);
    all ? all->add(group) : static_cast<void>(all = group);
  });
  return *all;
}

}  // namespace

extern "C" {

mxgold_status mxgold_cover_values(const mxgold_conversion* conversion, const void* source,
                                  uint64_t source_bytes, uint64_t seed, uint32_t tensor_index,
                                  mxgold_answer** out, char* message,
                                  size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  if (conversion == nullptr || (source == nullptr && source_bytes > 0)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const mx::ConversionConfig& config = conversion->conversion.config();
  const std::size_t size = mx::storage_bytes(config.source);
  if (source_bytes % size != 0) return MXGOLD_BAD_SIZE;
  const Words words{read_bytes(source, source_bytes), size};
  return answered(__func__, out, Message(message, message_size), [&] {
    if (mx::abi::has_stray(config.source, words.bytes)) mx::abi::require(MXGOLD_BAD_CODE);
    const int bits = mx::abi::drawn_bits(config.policy, false);
    const auto make = [&] { return mx::golden::ValueCoverage(config, conversion->masks); };
    const auto sample = [&](mx::golden::ValueCoverage& coverage, std::uint64_t i) {
      coverage.sample(words[i], bits == 0 ? 0 : mx::counter_random(seed, tensor_index, i, bits));
    };
    const mx::golden::Surface surface = mx::abi::surface_of(*conversion);
    return mx::golden::covered(surface.source.name, surface.target(),
                               all_covered(source_bytes / size, make, sample));
  });
}

mxgold_status mxgold_cover_blocks(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                  size_t rank, int64_t axis, const void* source,
                                  uint64_t source_bytes, uint64_t seed, uint32_t tensor_index,
                                  mxgold_answer** out, char* message,
                                  size_t message_size) noexcept {
  if (out != nullptr) *out = nullptr;
  return answered(__func__, out, Message(message, message_size), [&] {
    mxgold_tensor_sizes sizes;
    mx::abi::require(mxgold_sizes(quantizer, shape, rank, axis, &sizes));
    if (source == nullptr && source_bytes > 0) mx::abi::require(MXGOLD_NULL_ARGUMENT);
    if (source_bytes != sizes.source_bytes) mx::abi::require(MXGOLD_BAD_SIZE);
    const mx::QuantizerConfig& config = quantizer->quantizer.config();
    const Words words{read_bytes(source, source_bytes), mx::storage_bytes(config.source)};
    if (mx::abi::has_stray(config.source, words.bytes)) mx::abi::require(MXGOLD_BAD_CODE);
    const auto blocked = *mx::BlockedShape::make({shape, rank}, axis, config.format);
    const bool is_sized = config.format.extent == mx::BlockExtent::kElements;
    const auto lanes =
        static_cast<std::size_t>(is_sized ? static_cast<std::uint64_t>(config.format.elements())
                                          : std::max<std::uint64_t>(blocked.block_size, 1));
    const int bits = mx::abi::drawn_bits(config.element, mx::facts_of(config.block.rule).draws);
    const auto make = [&] { return mx::golden::BlockCoverage(config, quantizer->masks, lanes); };
    const auto sample = [&](mx::golden::BlockCoverage& coverage, std::uint64_t block) {
      std::vector<std::uint64_t> places, source_words;
      std::vector<std::uint32_t> random;
      mx::block_indices(blocked, block, places);
      for (const std::uint64_t place : places) {
        source_words.push_back(words[place]);
        random.push_back(bits == 0 ? 0 : mx::counter_random(seed, tensor_index, place, bits));
      }
      coverage.sample(source_words, random);
    };
    const mx::golden::Surface surface = mx::abi::surface_of(*quantizer);
    return mx::golden::covered(surface.source.name, surface.target(),
                               all_covered(blocked.scales, make, sample));
  });
}

}  // extern "C"
