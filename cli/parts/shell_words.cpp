// SPDX-License-Identifier: Apache-2.0
#include "cli/parts/shell_words.hpp"

#include <wordexp.h>

#include <string_view>
#include <utility>

namespace mx::cli {
namespace {

/// Cuts the text where one simple command ends and another begins; quotes and ${NAME} stay whole.
std::vector<std::string> simple_commands(std::string_view text) {
  std::vector<std::string> commands(1);
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::size_t taken = 1;
    if (c == '\\' && quote != '\'') {
      taken = 2;
    } else if (c == '$' && quote != '\'' && text.substr(i, 2) == "${") {
      taken = text.find('}', i) - i + 1;  // to the end where there is none
    } else if (c == '\'' || c == '"') {
      if (quote == '\0' || quote == c) quote = quote == '\0' ? c : '\0';
    } else if (quote == '\0' &&
               std::string_view("|&;<>(){}`\n").find(c) != std::string_view::npos) {
      commands.emplace_back();
      continue;
    }
    commands.back() += text.substr(i, taken);
    if (taken > text.size() - i) break;
    i += taken - 1;
  }
  return commands;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::string_view(" \t\n'\"`$()").find(c) == std::string_view::npos) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> expanded(const std::string& command) {
  wordexp_t found{};
  std::vector<std::string> words;
  const bool is_expanded = ::wordexp(command.c_str(), &found, WRDE_NOCMD) == 0;
  if (!is_expanded) return split_at_blanks(command);
  for (std::size_t i = 0; i < found.we_wordc; ++i) words.emplace_back(found.we_wordv[i]);
  ::wordfree(&found);
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> shell_commands(const std::string& text) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& command : simple_commands(text)) {
    std::vector<std::string> words = expanded(command);
    if (!words.empty()) all.push_back(std::move(words));
  }
  return all;
}

}  // namespace mx::cli
