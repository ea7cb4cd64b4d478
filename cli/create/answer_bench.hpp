// SPDX-License-Identifier: Apache-2.0
// The bench that mxgold new bench writes: it asks a device about vectors and writes its answers.
#pragma once

#include <string>
#include <string_view>

#include "cli/create/skeletons.hpp"
#include "golden/vectors/record.hpp"

namespace mx::cli {

/// A bench as text, and how to use it.
struct AnswerBench {
  NewText text;
  std::string packages;  ///< of Debian
  std::string build;     ///< "" for none
  std::string run;       ///< up to the verdict
};

/// A bench in a language ("sv", "vhdl", "c", "python") for a .tv file with records of this shape;
/// `name` is a word, after which its files are called.
[[nodiscard]] AnswerBench answer_bench(std::string_view language, const std::string& name,
                                       const std::string& vectors,
                                       const golden::RecordShape& shape);

}  // namespace mx::cli
