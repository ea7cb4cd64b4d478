// What other systems call things that have a name here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mx::golden {

struct Alias {
  std::string_view elsewhere;  ///< folded
  std::string_view here;
};
[[nodiscard]] std::span<const Alias> aliases();

/// A name without what writers of names disagree on: case, and dashes or underscores between words.
[[nodiscard]] std::string folded(std::string_view name);

/// The name here of what others call `name`, in any spelling that folds alike; "" if there is none.
[[nodiscard]] std::string_view name_here(std::string_view name);

}  // namespace mx::golden
