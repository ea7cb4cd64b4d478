// Codes of a block and what they mean under a scale: `mxgold explain --scale`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "golden/configuration/configuration.hpp"
#include "golden/text/tree.hpp"

namespace mx::golden {

struct ExplainedValues {
  DequantizeCase what;
  std::uint64_t scale = 0;  ///< code, the bits of sublevels above it
  std::span<const std::uint64_t> codes;
  std::string profile;
  std::string changes = {};  ///< options that changed its policies, "" for none
};

/// What each code becomes and why. The case must have no problem_of(), and the codes no bits beyond
/// their formats.
[[nodiscard]] Tree explain_values(const ExplainedValues& explained);

/// The same as `mxgold explain` prints it.
[[nodiscard]] std::string values_text(const Tree& explanation);

}  // namespace mx::golden
