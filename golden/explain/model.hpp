// What `mxgold explain` says, as data; the text form (text.hpp) says nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/text/tree.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

/// One input: a code of the source format and, if it came as a number, what became of that number.
struct ExplainInput {
  std::string text;          ///< as typed
  std::uint64_t code = 0;    ///< of the source format
  bool is_number = false;    ///< typed as a number, not as bits
  bool is_rounded = false;   ///< the number is not a value of the source format
  std::uint32_t random = 0;  ///< R of the stochastic roundings
};

/// A format under one profile.
struct ExplainedCase {
  std::string profile;      ///< as typed: "torchao-0.18:rceil"
  std::string_view format;  ///< as typed
  bool is_block = false;    ///< otherwise only source, format.element and the element policy count
  QuantizerConfig config;
  Masks masks = 0;
  std::string changes = {};  ///< options that changed its policies: "--rule floor"; "" for none

  [[nodiscard]] ConversionConfig conversion() const {
    return {config.source, config.format.element, config.element};
  }
};

/// The case step by step: "format", "source", "profile", "policies" by name, and what became of the
/// inputs: "block", or "values" for an element format. Parts that the profile leaves open say so.
/// Throws std::invalid_argument for a configuration that cannot be computed.
[[nodiscard]] Tree explain_case(const ExplainedCase& what, std::span<const ExplainInput> inputs);

/// One value alone: source code to destination code.
[[nodiscard]] Tree explain_value(const Conversion& convert, const ExplainInput& input);

/// A value in hexadecimal and in decimal. x.sticky must be false.
[[nodiscard]] Tree value_json(const Unpacked& x);

/// An input: its bits in `source`, their value and what kind of value that is.
[[nodiscard]] Tree input_json(const ElementFormat& source, const ExplainInput& input);

/// What encoding did with the value `x` that came to it: neighbours, decision, code and flags.
[[nodiscard]] Tree encoding_json(const ElementFormat& f, const ElementPolicy& p, const Trace& t,
                                 const Unpacked& x, std::uint32_t random, const Encoded& encoded);

/// A block's scale: its code, with the bits of sublevels above it, and the value of the scale
/// alone.
[[nodiscard]] Tree block_scale_json(const QuantizerConfig& config, std::uint64_t code);

/// One block: the maximum, the scale, every element, and the way back to binary32.
[[nodiscard]] Tree explain_block(const Quantizer& quantizer, std::span<const ExplainInput> inputs);

}  // namespace mx::golden
