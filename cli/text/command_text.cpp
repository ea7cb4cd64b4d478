#include "cli/text/command_text.hpp"

namespace mx::cli {
namespace {

struct Program {
  std::string name = "mxgold", word = "mxgold";
};

Program& program() {
  static Program program;
  return program;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string_view program_name() { return program().name; }
std::string_view program_word() { return program().word; }

void set_program(std::string_view path) {
  program() = {std::string(path.substr(path.find_last_of('/') + 1)), shell_quoted(path)};
}

}  // namespace mx::cli
