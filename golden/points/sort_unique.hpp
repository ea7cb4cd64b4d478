// Sorted, each once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mx::golden {

/// Sorts and removes duplicates; returns how many were removed. (std::ranges::unique does not
/// compile with clang 14 and libstdc++ 12.)
template <typename T>
std::size_t sort_unique(std::vector<T>& values) {
  const std::size_t before = values.size();
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return before - values.size();
}

}  // namespace mx::golden
