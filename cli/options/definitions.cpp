#include "cli/options/definitions.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "cli/base/error.hpp"
#include "cli/options/common.hpp"

namespace mx::cli {

void refuse_unused_definitions(FormatBook& book, std::span<const std::string> used) {
  const auto is_used = [&](std::string_view name) {
    return std::ranges::find(used, name) != used.end();
  };
  Names unused;
  for (const ElementFormat* const each : book.catalog().defined()) {
    if (is_used(each->name)) return;
    unused.emplace_back(each->name);
  }
  for (const BlockFormat* const each : book.catalog().defined_blocks()) {
    if (is_used(each->name)) return;
    unused.emplace_back(each->name);
  }
  if (unused.empty()) return;
  fail(Exit::kUsage,
       "--define, --format-file: nothing here is of {}; leave the definition out, or name it with "
       "--format (a file of mxgold quantize brings its own)",
       fmt::join(unused, ", "));
}

}  // namespace mx::cli
