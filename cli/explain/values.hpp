// mxgold explain --scale: codes of a block and what they mean under a scale.
#pragma once

#include <string>
#include <vector>

#include "golden/configuration/configuration.hpp"

namespace mx::cli {

struct ValuesExplanation {
  golden::DequantizeCase what;
  std::string scale;               ///< bits of the scale, hexadecimal
  std::vector<std::string> codes;  ///< bits of elements, hexadecimal
  std::string profile;
  bool is_json = false;
};

/// Prints what each code becomes and why. Throws Error kUsage for bits that are no codes.
void explain_values(const ValuesExplanation& what);

}  // namespace mx::cli
