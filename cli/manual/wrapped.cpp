#include "cli/manual/wrapped.hpp"

#include <algorithm>

namespace mx::cli {

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (true) {
    const std::size_t start = text.find_first_not_of(" \n");
    if (start == std::string_view::npos) return lines;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
}

std::string in_columns(const std::string& left, std::string_view text, std::size_t column,
                       std::size_t most) {
  const std::size_t width = kHelpWidth - column;
  std::vector<std::string> lines = wrapped(text, width);
  const bool is_below = left.size() + 2 > column && !text.empty();
  const std::size_t shown = std::max<std::size_t>(1, is_below ? most - 1 : most);
  if (lines.size() > shown) {
    lines.resize(shown);
    std::string& last = lines.back();
    while (last.size() + 4 > width) last.resize(std::min(last.rfind(' '), last.size() - 1));
    while (last.ends_with('|') || last.ends_with(' ')) last.pop_back();
    last += " ...";
  }
  std::string out = left;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_first = i == 0 && !is_below;
    if (lines[i].empty()) continue;
    out += is_first ? std::string(column - left.size(), ' ') : '\n' + std::string(column, ' ');
    out += lines[i];
  }
  return out + '\n';
}

std::string fitted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() <= kHelpWidth) {
      out += std::string(line) + '\n';
      continue;
    }
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
    for (const std::string& each : wrapped(line, kHelpWidth - indent.size())) {
      out += indent + each + '\n';
    }
  }
  return out;
}

}  // namespace mx::cli
