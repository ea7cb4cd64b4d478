// SPDX-License-Identifier: Apache-2.0
// Logs in files.
#pragma once

#include <string>

#include "golden/identify/implementation_log.hpp"

namespace mx::golden {

/// Reads a vector file (docs/vector-format.md; its answers are the implementation's) or the text
/// form. "-" is standard input. Throws VectorError naming file, line, field and remedy.
[[nodiscard]] ImplementationLog read_log(const std::string& path, FormatCatalog& catalog);

}  // namespace mx::golden
