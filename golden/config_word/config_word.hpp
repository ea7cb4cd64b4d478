// The configuration and status words of the hardware (spec R5.6 and R6) in terms of the
// reference's types. A word is one encoding of the part of a configuration that the RTL can be
// told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// What the word cannot say: facts of the elaborated hardware.
struct ConfigWordContext {
  int block_size = 32;
  Rounding stochastic = Rounding::kStochasticA;  ///< what rounding code 9 means
  int random_bits = 8;                           ///< SrBits
  bool operator==(const ConfigWordContext&) const = default;
};

/// A word, or what it would lose.
struct ConfigWord {
  std::uint32_t word = 0;
  std::string problem;  ///< "" or the first field that has no code: "ratio_op is fp32_div"
  [[nodiscard]] bool holds() const { return problem.empty(); }
};

/// The context in which a configuration has its word. Deterministic configurations leave the
/// stochastic variant and N to others.
[[nodiscard]] ConfigWordContext context_of(const QuantizerConfig& config);

/// The word of a configuration: built, read back, and compared field by field. Fields that cannot
/// change the scale, the codes or the status of such a block (tininess, unsigned_negative, zero_in,
/// dequant_overflow, those that the rule does not read) may be lost.
[[nodiscard]] ConfigWord config_word_of(const QuantizerConfig& config);

/// The configuration of a word, or nothing if a field holds an illegal code or bits 31:27 are set.
[[nodiscard]] std::optional<QuantizerConfig> config_of(std::uint32_t config_word,
                                                       const ConfigWordContext& context);

/// The status bits of a quantized block above its scale code, spec R6: bit 0 scale clamped, 1 zero
/// block, 2 Inf present, 3 NaN present, 4 underflow, 5 saturated (the last two 0 under a NaN
/// scale).
[[nodiscard]] std::uint8_t status_bits_of(const BlockResult& result);

/// The status word of a block under an e8m0 scale: status bits and scale code.
[[nodiscard]] std::uint16_t status_of(const BlockResult& result);

}  // namespace mx::golden
