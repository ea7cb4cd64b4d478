// Formats that were defined on the command line and that nothing there is of.
#pragma once

#include <span>
#include <string>

#include "cli/options/format_book.hpp"

namespace mx::cli {

/// Error kUsage where --define and --format-file give formats and none of `used` is one of them.
void refuse_unused_definitions(FormatBook& book, std::span<const std::string> used);

}  // namespace mx::cli
