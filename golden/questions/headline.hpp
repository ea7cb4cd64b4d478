// SPDX-License-Identifier: Apache-2.0
// The answer of identify in a few lines: who, how much was compared, what of it tells, what next.
#pragma once

#include <string>

#include "golden/makers/identify.hpp"
#include "golden/names/asking.hpp"
#include "golden/text/tree.hpp"

namespace mx::golden {

/// At most five lines, with their line feeds.
[[nodiscard]] std::string headline_text(const ImplementationLog& log, const Identification& found,
                                        Spelling spelling);

/// "answer": "profiles", "changed", "reread", "structure" or "nothing"; "who", one of each group
/// that is left; "silent"; "compared_records", "telling_records"; "next".
void put_headline(const ImplementationLog& log, const Identification& found, Tree& json);

/// Where a record of the log stands: "line 3".
[[nodiscard]] std::string place_of(const ImplementationLog& log, std::size_t record);

}  // namespace mx::golden
