// SPDX-License-Identifier: Apache-2.0
// The answers of the explorer page, by the same functions that answer the command line.
#pragma once

#include <string>
#include <string_view>

namespace mx::explorer {

/// Answers a question (question.hpp) as JSON: {"data": ..., "text": ...}, or {"problem": ...},
/// which names what was given and the remedy. What can be asked:
///   ask names                             formats, block formats
///   ask systems, format F, source S       the profiles that define it, with their variants
///   ask codes, format F                   the value of every code of an element format
///   ask explain, format, source, profile ..., input ...
///                                         `mxgold explain`; several profiles side by side
[[nodiscard]] std::string answer(std::string_view question);

}  // namespace mx::explorer
