// SPDX-License-Identifier: Apache-2.0
// mxgold check GOLDEN ANSWERS: a file of answers as the device of a run over vectors.
#pragma once

#include <string>

#include "cli/base/error.hpp"
#include "cli/run/options.hpp"
#include "sim/answers/answers.hpp"

namespace mx::cli {

/// Judges the answers at `path` to command.vectors, as `mxgold run` does those of a device.
[[nodiscard]] Exit check_answers(RunCommand command, const std::string& path);

/// The answers of a file of any kind to vectors with this header; `fields` as --fields says them.
[[nodiscard]] sim::GivenAnswers answers_of_file(const std::string& path,
                                                const golden::VectorHeader& header,
                                                const Names& fields);

}  // namespace mx::cli
