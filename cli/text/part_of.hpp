// --shard of commands whose work is a list.
#pragma once

#include <string_view>
#include <vector>

#include "cli/text/names.hpp"
#include "golden/stimulus/stimulus.hpp"

namespace mx::cli {

/// The part of a list that --shard names; lengths of parts differ by one at most. Error kUsage
/// where it is empty; `what` says of which things: "statements".
template <typename T>
[[nodiscard]] std::vector<T> part_of(const std::vector<T>& all, std::string_view shard,
                                     std::string_view what) {
  const auto [index, count] = require_shard(shard);
  const golden::ShardRange range = golden::shard_range(all.size(), index, count);
  if (range.count == 0) {
    fail(Exit::kUsage, "--shard {}: holds none of {} {}; give fewer parts", shard, all.size(),
         what);
  }
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}

}  // namespace mx::cli
