// SPDX-License-Identifier: Apache-2.0
#include "golden/names/asking.hpp"

#include <algorithm>

#include "golden/text/filled.hpp"

namespace mx::golden {

std::string spelled(Spelling spelling, std::string_view name) {
  std::string text(name);
  if (spelling == Spelling::kNames) return text;
  std::ranges::replace(text, '_', '-');
  return "--" + text;
}

std::string spelled(Spelling spelling, std::string_view name, std::string_view value) {
  return filled("{}{}{}", spelled(spelling, name), spelling == Spelling::kNames ? '=' : ' ', value);
}

std::string_view hint(Spelling spelling, std::string_view words) {
  return spelling == Spelling::kOptions ? words : std::string_view{};
}

}  // namespace mx::golden
