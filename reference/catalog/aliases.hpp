// What other systems call things that have a name here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mx {

/// Rows of one name elsewhere stand together, the likeliest first: "fp8" may be one of three.
struct Alias {
  std::string_view elsewhere;  ///< folded
  std::string_view here;
};
[[nodiscard]] std::span<const Alias> aliases();

/// A name without what writers of names disagree on: case, and dashes or underscores between words.
[[nodiscard]] std::string folded(std::string_view name);

/// The name here of what others call `name`, in any spelling that folds alike: the one at `index`
/// of several; "" beyond the last.
[[nodiscard]] std::string_view name_here(std::string_view name, std::size_t index = 0);

}  // namespace mx
