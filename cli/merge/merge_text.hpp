// Receipts put together, as people, pages and programs read them.
#pragma once

#include <string>

#include "cli/merge/merge.hpp"

namespace mx::cli {

[[nodiscard]] std::string merged_text(const Merged& merged);
[[nodiscard]] std::string merged_markdown(const Merged& merged);
[[nodiscard]] std::string merged_json(const Merged& merged);

}  // namespace mx::cli
