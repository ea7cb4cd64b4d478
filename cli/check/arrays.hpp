// SPDX-License-Identifier: Apache-2.0
// Answers as arrays: a row for each record.
#pragma once

#include <filesystem>

#include "cli/files/tensor_file.hpp"
#include "cli/options/common.hpp"
#include "golden/vectors/header.hpp"
#include "sim/answers/answers.hpp"

namespace mx::cli {

/// Is it a file of arrays, by its name?
[[nodiscard]] bool has_array_suffix(const std::filesystem::path& path);

/// Words are the bits of an element, whatever its type is. One array: a row for each record, its
/// columns those of `fields`, else every result field. Several: those that are named as result
/// fields are. Error kBadInput with the array: another shape, words that are wider than their
/// field, no such array.
[[nodiscard]] sim::GivenAnswers answers_of_arrays(const TensorFile& file,
                                                  const golden::VectorHeader& header,
                                                  const Names& fields);

}  // namespace mx::cli
