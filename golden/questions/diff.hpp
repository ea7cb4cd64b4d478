// SPDX-License-Identifier: Apache-2.0
// "Where do two systems part?", with the smallest inputs that show it.
#pragma once

#include <string>
#include <vector>

#include "golden/identify/surface.hpp"
#include "golden/names/asking.hpp"

namespace mx::golden {

struct DiffQuestion {
  std::string a;
  std::string b;
  std::vector<std::string> formats = {};  ///< none, or "all": every one that both speak of
  std::vector<std::string> sources = {};
  int threads = 1;
  Spelling spelling = Spelling::kNames;
};

/// The surfaces of formats and sources by name, which are none or "all" for every one.
[[nodiscard]] std::vector<Surface> surfaces_of(const std::vector<std::string>& formats,
                                               const std::vector<std::string>& sources,
                                               FormatCatalog& catalog);

/// "surfaces": of each source and target how it was compared, the differences, and what is masked.
/// It holds where nothing differs. Refusal for unknown names.
[[nodiscard]] Answer diff(const DiffQuestion& question, FormatCatalog& catalog);

}  // namespace mx::golden
