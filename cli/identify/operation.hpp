// Which operation a vector file holds: what identify asks before it reads one.
#pragma once

#include <optional>
#include <string>

#include "golden/configuration/configuration.hpp"

namespace mx::cli {

/// The operation of a vector file; nothing where the file is none, of which the reader of logs says
/// what is wrong.
[[nodiscard]] std::optional<golden::Operation> operation_in(const std::string& path);

}  // namespace mx::cli
