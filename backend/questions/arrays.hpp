// SPDX-License-Identifier: Apache-2.0
// Arrays beside the reference, and as a stimulus: what the functions about them share.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "backend/abi/objects.hpp"
#include "backend/questions/answers.hpp"
#include "golden/identify/surface.hpp"
#include "mxgold.h"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::abi {

/// Words of a storage width.
struct Words {
  std::span<const std::byte> bytes;
  std::size_t size;
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    return layout::load_word(bytes, i, size);
  }
};

/// A status of a call inside another.
inline void require(mxgold_status status) {
  if (status == MXGOLD_OK) return;
  if (status == MXGOLD_NO_MEMORY) throw std::bad_alloc();
  if (status == MXGOLD_INTERNAL_ERROR) throw std::runtime_error("the reference gave no answer");
  throw Failed{status};
}

/// The random words of a drawing rounding or rule; 0 bits where nothing draws.
inline int drawn_bits(const ElementPolicy& policy, bool rule_draws) {
  if (is_stochastic(policy.rounding)) return policy.random_bits;
  return rule_draws ? 32 : 0;
}

/// A surface by the names that its user gave.
inline golden::Surface surface_of(const mxgold_conversion& conversion) {
  const ConversionConfig& config = conversion.conversion.config();
  golden::Surface surface{
      .source = config.source, .is_block = false, .destination = config.destination, .block = {}};
  surface.source.name = conversion.source;
  surface.destination.name = conversion.destination;
  return surface;
}

inline golden::Surface surface_of(const mxgold_quantizer& quantizer) {
  const QuantizerConfig& config = quantizer.quantizer.config();
  golden::Surface surface{
      .source = config.source, .is_block = true, .destination = {}, .block = config.format};
  surface.source.name = quantizer.source;
  return surface;
}

inline bool has_stray(const ElementFormat& format, std::span<const std::byte> words) {
  return !stray_word(format, words, threads_for(words.size())).empty();
}

}  // namespace mx::abi
