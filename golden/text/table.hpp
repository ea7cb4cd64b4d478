// A listing as a table: once built, printed for people or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace mx::golden {

struct ListTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// Columns padded with spaces, the title first.
[[nodiscard]] std::string text_of(const ListTable& table);
/// A Markdown table without its title; '|' in cells is escaped.
[[nodiscard]] std::string markdown_of(const ListTable& table);

}  // namespace mx::golden
