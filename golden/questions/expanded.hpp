// SPDX-License-Identifier: Apache-2.0
// What a profile and settings come to for one format: every policy with its value.
#pragma once

#include <string>

#include "golden/names/asking.hpp"
#include "golden/names/settings.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

struct ExpandedQuestion {
  std::string format;
  std::string source = "fp32";
  std::string profile = "mxgold-default";
  Settings settings = {};
  int block_size = 0;  ///< 0: the format's
  Spelling spelling = Spelling::kNames;
};

/// "policies": of each its name, value, what mxgold-default has there, whether it is that, and
/// whether it can decide anything; "element": what of the elements the profile has otherwise;
/// "masks" and "open". Refusal where the profile does not speak of the format.
[[nodiscard]] Answer expanded(const ExpandedQuestion& question, FormatCatalog& catalog);

}  // namespace mx::golden
