// What a device of the user's own says that it computes, and which records it can be given.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "golden/vectors/header.hpp"

namespace mx::sim {

struct Offer {
  golden::Operation operation = golden::Operation::kBlock;
  /// The values that a field of the configuration may have; one that is not here may have any.
  std::map<std::string, std::vector<std::string>> configuration;
  unsigned lanes = 0;        ///< of a record; 0: those of its configuration
  bool takes_short = false;  ///< blocks may be short

  /// The values of a field; none where it may have any.
  [[nodiscard]] std::vector<std::string> values(const std::string& field) const;
};

/// What a device may say it computes: "cvt, block, dot, arith, cast, dequantize".
[[nodiscard]] std::string operation_names();

/// The value that is meant, as records spell it: "RNE" is ties_to_even, "MXFP4" mxfp4. What is no
/// name of a list or of a format stays as it is. Throws golden::Refusal for a name of several.
[[nodiscard]] std::string known_word(golden::Operation operation, std::string_view field,
                                     const std::string& value);

/// "" if a field of that operation's configurations may have such a value as far as it is a word of
/// a list, else what it has to be: "one of ...". Formats are looked up where they may be defined.
[[nodiscard]] std::string wrong_word(golden::Operation operation, std::string_view field,
                                     std::string_view value);

/// "" if the device computes a configuration as far as the offer says, else the field in the way
/// and what it may be.
[[nodiscard]] std::string refusal_of(const Offer& offer,
                                     const golden::Configuration& configuration);

/// "" if operation, lanes and configurations of these records are what is offered.
[[nodiscard]] std::string refusal_of(const Offer& offer, const golden::VectorHeader& header);

/// What the device offers and these records do not ask for: "source bf16, fp16"; "" for nothing.
[[nodiscard]] std::string left_out(const Offer& offer, const golden::VectorHeader& header);

}  // namespace mx::sim
