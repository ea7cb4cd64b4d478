// The configuration and status words of the hardware (spec R5.6 and R6) in terms of the
// reference's types.
#pragma once

#include <cstdint>
#include <optional>

#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// What the word cannot say: facts of the elaborated hardware.
struct ConfigWordContext {
  int block_size = 32;
  Rounding stochastic = Rounding::kStochasticA;  ///< what rounding code 9 means
  int random_bits = 8;                           ///< SrBits
};

/// The word of a configuration, or nothing if the word cannot express it: an element, source or
/// scale format without a code, a policy value without a code, a staging format, flushed results.
/// Settings that cannot change a quantized code of these formats are ignored (tininess,
/// unsigned_negative, zero_in, dequant_overflow), and so is what ConfigWordContext states.
[[nodiscard]] std::optional<std::uint32_t> config_word_of(const QuantizerConfig& config);

/// The configuration of a word, or nothing if a field holds an illegal code or bits 31:27 are set.
[[nodiscard]] std::optional<QuantizerConfig> config_of(std::uint32_t config_word,
                                                       const ConfigWordContext& context);

/// The status word of a quantized block. Bits 12 and 13 are 0 under a NaN scale.
[[nodiscard]] std::uint16_t status_of(const BlockResult& result);

}  // namespace mx::golden
