// SPDX-License-Identifier: Apache-2.0
#include "explorer/answers/question.hpp"

namespace mx::explorer {

Question::Question(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.empty()) continue;
    const std::size_t blank = line.find(' ');
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view{} : line.substr(blank + 1);
    lines_.emplace_back(line.substr(0, blank), value);
  }
}

std::string Question::one(std::string_view name) const {
  const std::vector<std::string> found = all(name);
  return found.empty() ? std::string() : found.back();
}

std::vector<std::string> Question::all(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : lines_) {
    if (key == name) found.push_back(value);
  }
  return found;
}

}  // namespace mx::explorer
