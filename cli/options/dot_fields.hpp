// A dot product as named fields of the file that holds its results.
#pragma once

#include <map>
#include <string>

#include "cli/options/format_book.hpp"
#include "reference/dot/model.hpp"

namespace mx::cli {

/// Adds the configuration by the options' names (dot_mode for --mode), with the accumulator where
/// it sums, and the definitions of a user's own formats.
void add_dot_fields(const DotConfig& config, FormatBook& book,
                    std::map<std::string, std::string>& fields);

}  // namespace mx::cli
