// What `explain` says, as data; the text form prints nothing else.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "cli/options/policies.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"

namespace mx::cli {

/// One input: a code of the source format and, if it came as a number, what became of that number.
struct ExplainInput {
  std::string text;          ///< as typed
  std::uint64_t code = 0;    ///< of the source format
  bool is_number = false;    ///< typed as a number, not as bits
  bool is_rounded = false;   ///< the number is not a value of the source format
  std::uint32_t random = 0;  ///< R of the stochastic roundings
};

/// What the text of a number or of bits means in a source format. With `bits_first` a text of
/// exactly as many hexadecimal digits as the source has is bits; otherwise such a text is refused
/// where it could be a decimal too. Throws Error kUsage.
enum class BitsFirst : std::uint8_t { kNo, kYes };
[[nodiscard]] ExplainInput parse_input(const ElementFormat& source, const std::string& text,
                                       BitsFirst bits_first);

/// One value alone: source code to destination code.
[[nodiscard]] nlohmann::ordered_json explain_value(const Conversion& convert,
                                                   const ExplainInput& input);

/// A block's scale: its code, with the bits of sublevels above it, and the value of the scale
/// alone.
[[nodiscard]] nlohmann::ordered_json block_scale_json(const QuantizerConfig& config,
                                                      std::uint64_t code);

/// One block: the maximum, the scale, every element, and the way back to binary32.
[[nodiscard]] nlohmann::ordered_json explain_block(const Quantizer& quantizer,
                                                   std::span<const ExplainInput> inputs);

}  // namespace mx::cli
