// SPDX-License-Identifier: Apache-2.0
// Answers as text: a line for each record, its words in hexadecimal.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "golden/vectors/header.hpp"
#include "sim/answers/answers.hpp"

namespace mx::sim {

/// Reads a text of answers: a line for each record of the vectors, words of hexadecimal digits of
/// either case, with or without 0x, behind blanks, tabs, commas or semicolons; LF or CR LF. Empty
/// lines and those that begin with # or // do not count. `fields`: what the columns are, else the
/// first line where it has names, else every result field. The lanes of a field may be one word,
/// lane 0 in its lowest bits. Throws VectorError with `name` and the line: what is no word, unknown
/// bits, too many or too few words or lines.
[[nodiscard]] GivenAnswers parse_answers(std::string_view text, const std::string& name,
                                         const golden::VectorHeader& header,
                                         std::span<const std::string> fields);

/// The most bytes that such a text may reasonably have.
[[nodiscard]] std::uint64_t most_answer_bytes(const golden::VectorHeader& header);

}  // namespace mx::sim
