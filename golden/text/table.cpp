#include "golden/text/table.hpp"

#include <algorithm>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

std::string trimmed_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string text_of(const ListTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.head) widths.push_back(name.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t i = 0; i < row.size(); ++i) text += filled(" {:<{}} ", row[i], widths[i]);
    return trimmed_line(text);
  };
  std::string text = table.title + '\n' + line(table.head);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string markdown_of(const ListTable& table) {
  const auto line = [](const std::vector<std::string>& row) {
    std::string text = "|";
    for (const std::string& cell : row) {
      text += ' ';
      for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
      text += " |";
    }
    return text + '\n';
  };
  std::string text = line(table.head) + '|';
  for (std::size_t i = 0; i < table.head.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& row : table.rows) text += line(row);
  return text;
}

}  // namespace mx::golden
