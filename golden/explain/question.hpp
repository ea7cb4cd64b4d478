// SPDX-License-Identifier: Apache-2.0
// "Why does this value get that code?", as the command line and the C library ask it.
#pragma once

#include <string>
#include <vector>

#include "golden/explain/random.hpp"
#include "golden/names/asking.hpp"
#include "golden/names/level.hpp"
#include "golden/names/settings.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

struct ExplainQuestion {
  /// Numbers, or bits of the source; with a block format they are one block.
  std::vector<std::string> inputs;
  std::string format;
  std::string source = {};  ///< "" for fp32; one that is named says that digits are bits
  /// Laid side by side where they are several; "all" is every one that speaks of the format.
  std::vector<std::string> profiles = {"mxgold-default"};
  Settings settings = {};
  int block_size = 0;  ///< 0: the format's
  RandomGiven random = {};
  LevelTexts level = {};
  std::string scale = {};   ///< bits of a scale: the inputs are codes under it; "" for none
  std::string result = {};  ///< the format that those become; "" for fp32
  Spelling spelling = Spelling::kNames;
};

/// The explanation of explain_case(), of several profiles that of cases_beside(), of codes that of
/// explain_values(). Throws Refusal for what is no name, no value, or goes with something else.
[[nodiscard]] Answer explain(const ExplainQuestion& question, FormatCatalog& catalog);

}  // namespace mx::golden
