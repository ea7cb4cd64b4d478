// The 3 x 6 format combinations, once: the host path and the device path instantiate from this
// list.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "fast/cuda/arithmetic.hpp"
#include "fast/cuda/quantize.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast {

inline constexpr std::array kSources = {&formats::fp32, &formats::bf16, &formats::fp16};
inline constexpr std::array kElements = {&formats::e4m3fn, &formats::e5m2,   &formats::e3m2fn,
                                         &formats::e2m3fn, &formats::e2m1fn, &formats::int8};

/// Calls function.operator()<SourceTraits, ElementTraits>() for the combination of the two formats;
/// false if there is none.
template <class Function>
bool with_traits(const ElementFormat& source, const ElementFormat& element, Function&& function) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    constexpr std::size_t kCount = kElements.size();
    return ((source == *kSources[kIndex / kCount] && element == *kElements[kIndex % kCount] &&
             (function.template operator()<SourceTraits<*kSources[kIndex / kCount]>,
                                           ElementTraits<*kElements[kIndex % kCount]>>(),
              true)) ||
            ...);
  }
  (std::make_index_sequence<kSources.size() * kElements.size()>{});
}

/// What is wrong with the spans of a call, before any work.
[[nodiscard]] inline Status check_call(const ElementFormat& source, const ElementFormat& element,
                                       std::span<const std::byte> words,
                                       const QuantizedSpans& out) {
  if (!is_supported(source, element)) {
    return {Error::kUnsupportedFormat,
            "the CUDA path quantizes fp32, bf16 and fp16 into the six OCP MX element formats"};
  }
  const auto word_bytes = static_cast<std::size_t>(source.storage_bits) / 8;
  if (words.size() % word_bytes != 0) {
    return {Error::kBadSize, "the source span is not a whole number of words"};
  }
  const std::size_t blocks = block_count(source, words.size());
  if (out.codes.size() != words.size() / word_bytes) {
    return {Error::kBadSize, "the code span needs one byte for each element"};
  }
  if (out.scales.size() != blocks || out.status.size() != blocks) {
    return {Error::kBadSize, "the scale and status spans need one entry for each block of 32"};
  }
  return {};
}

}  // namespace mx::fast
