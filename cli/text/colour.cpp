#include "cli/text/colour.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace mx::cli {
namespace {

bool has(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::string with_colour(std::string verdict, std::FILE* stream) {
  const bool is_plain = ::isatty(::fileno(stream)) == 0 || has("NO_COLOR") ||
                        (has("TERM") && std::string_view(std::getenv("TERM")) == "dumb");
  if (is_plain) return verdict;
  constexpr std::string_view kGreen = "\033[32m";
  constexpr std::string_view kRed = "\033[31m";
  constexpr std::string_view kOff = "\033[0m";
  // The words in capitals that a verdict starts with.
  const std::size_t end = verdict.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ ");
  std::size_t words = end == std::string::npos ? verdict.size() : end;
  while (words > 0 && verdict[words - 1] == ' ') --words;
  verdict.insert(words, kOff);
  return std::string(verdict.starts_with("PASS") ? kGreen : kRed) + verdict;
}

}  // namespace mx::cli
