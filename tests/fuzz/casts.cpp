// Any text is a cast of a system, or is refused in words with the class of an exception and a
// position; what is read is spelt canonically, and that spelling is read as the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference/systems/cast/cast.hpp"

namespace {

void require(bool holds, const char* what, const std::string& text, std::string_view said) {
  if (holds) return;
  std::fprintf(stderr, "%s: '%s': %.*s\n", what, text.c_str(), static_cast<int>(said.size()),
               said.data());
  std::abort();
}

bool begins_with_exception(std::string_view problem) {
  const std::size_t colon = problem.find(": ");
  if (colon == std::string_view::npos || colon == 0) return false;
  for (const char c : problem.substr(0, colon)) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.')) return false;
  }
  return true;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 400) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // The first byte chooses the mode, and a system before the text.
  const mx::systems::Setting setting{
      (data[0] & 1) != 0 ? mx::SystemMode::kCompat : mx::SystemMode::kStrict, mx::Platform::kX86};
  std::size_t count = 0;
  while (!mx::systems::system_name(count).empty()) ++count;
  const std::size_t chosen = static_cast<std::size_t>(data[0] >> 1) % (count + 1);
  const std::string whole =
      chosen == count ? text : std::string(mx::systems::system_name(chosen)) + ":" + text;
  const auto cast = mx::systems::make_cast(whole, setting);
  if (!cast) {
    require(begins_with_exception(cast.problem()), "a refusal without a class", whole,
            cast.problem());
    return 0;
  }
  const std::string system = whole.substr(0, whole.find(':') + 1);
  const std::string canonical = system + (*cast)->text();
  const auto again = mx::systems::make_cast(canonical, setting);
  require(static_cast<bool>(again), "the canonical text is refused", whole + " -> " + canonical,
          again ? "" : again.problem());
  require(system + (*again)->text() == canonical, "the canonical text changes", canonical,
          (*again)->text());
  (void)(*cast)->properties();
  return 0;
}
