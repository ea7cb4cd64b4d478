// The command line as JSON, for pages about it: what --help and --help-all show, as data.
#pragma once

#include "cli/line/command.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// Commands with their options, topics, exit codes, and what others call our names.
[[nodiscard]] golden::Tree interface_json(const Command& root);

}  // namespace mx::cli
