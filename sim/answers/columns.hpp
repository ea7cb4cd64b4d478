// SPDX-License-Identifier: Apache-2.0
// Which words of an answer stand in which column of a file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "reference/policy/checked.hpp"

namespace mx::sim {

/// A column of a file of answers: every lane of a field, one of them, or nothing that is read.
struct AnswerColumn {
  golden::FieldShape shape;
  int lane = -1;            ///< -1: all lanes, in order
  bool is_skipped = false;  ///< "-"
  unsigned bits = 0;        ///< of a word in one word of all lanes; 0 where configurations differ

  /// Words of a line that it takes.
  [[nodiscard]] std::size_t words() const {
    return is_skipped || lane >= 0 ? 1 : static_cast<std::size_t>(shape.lanes);
  }
};

struct AnswerColumns {
  std::vector<AnswerColumn> columns;
  std::vector<std::string> fields;  ///< those that they have

  /// Words of a line.
  [[nodiscard]] std::size_t words() const;
  /// May all lanes of a field be one word, so that a line has a word for each column?
  [[nodiscard]] bool may_be_packed() const;
  /// "scale, code[32], flags", for messages.
  [[nodiscard]] std::string text() const;
};

/// The columns of these names: a result field, one lane of it (code[3], code_3, code3), or "-".
/// None: every result field. The problem: another name, one that comes twice, a lane that is
/// missing.
[[nodiscard]] Checked<AnswerColumns> answer_columns(std::span<const std::string> names,
                                                    const golden::VectorHeader& header);

}  // namespace mx::sim
