// A text as one word of the shell.
#pragma once

#include <string>
#include <string_view>

namespace mx::sim {

inline std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word.append("'\\''");
    } else {
      word.push_back(c);
    }
  }
  word.push_back('\'');
  return word;
}

}  // namespace mx::sim
