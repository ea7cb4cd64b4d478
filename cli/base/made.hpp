// What a checked factory made; its problem is the user's to mend.
#pragma once

#include <utility>

#include "cli/base/error.hpp"
#include "reference/policy/checked.hpp"

namespace mx::cli {

/// The value, or Error kUsage with the problem.
template <typename T>
[[nodiscard]] T made(Checked<T> checked) {
  if (!checked) fail(Exit::kUsage, "{}", checked.problem());
  return std::move(checked).value();
}

}  // namespace mx::cli
