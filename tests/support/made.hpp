// Quantizers, conversions and dot products of configurations that a test knows to be legal; a test
// with another one fails with the problem as its message.
#pragma once

#include "reference/block/quantizer.hpp"
#include "reference/dot/dot.hpp"
#include "reference/element/encode.hpp"

namespace mx {

[[nodiscard]] inline Quantizer made(const QuantizerConfig& config) {
  return Quantizer::make(config).value();
}

[[nodiscard]] inline Conversion made(const ConversionConfig& config) {
  return Conversion::make(config).value();
}

[[nodiscard]] inline DotProduct made(const DotConfig& config) {
  return DotProduct::make(config).value();
}

}  // namespace mx
