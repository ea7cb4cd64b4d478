// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/references.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/manual/wrapped.hpp"

namespace mx::cli {
namespace {

struct SpecPage {
  char letter;
  std::string_view path;
  std::string_view about;
};

constexpr SpecPage kPages[] = {
    {'F', "docs/spec/formats.md",
     "formats, encoding and decoding, rounding, policies, scale rules, blocks, dot products, "
     "profiles, tensor files"},
    {'S', "docs/spec/seed-systems.md",
     "the emulated libraries: dmx, torchmx, QPyTorch, AIMET, microxcaling"},
    {'V', "docs/spec/verification.md", "vector files, certificates, coverage, exit codes, benches"},
    {'R', "docs/spec/rtl.md", "the RTL: its numeric core, ports, configuration word"},
    {'U', "docs/spec/accumulators.md", "how matrix units of real devices sum"}};

/// Is it a number of a section, "15" or "8.1"?
bool is_number(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto are_digits = [](std::string_view digits) {
    return !digits.empty() &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!are_digits(text.substr(0, point))) return false;
  return point == std::string_view::npos || are_digits(text.substr(point + 1));
}

}  // namespace

std::string reference_text(std::string_view section) {
  if (section.empty()) return {};
  const char letter = static_cast<char>(section.front() & ~0x20);
  const auto* const page = std::ranges::find(kPages, letter, &SpecPage::letter);
  if (page == std::end(kPages) || !is_number(section.substr(1))) return {};
  const std::string name = letter + std::string(section.substr(1));
  return fmt::format("specification {0}: {1}#{0}", name, page->path);
}

std::string specification_text() {
  std::string text =
      "A message that says (spec F15) cites section F15 of the specification.\n"
      "mxgold help spec F15 says where it is.\n\n";
  for (const SpecPage& each : kPages) {
    text += in_columns(fmt::format("  {}  {}", each.letter, each.path), each.about, 34);
  }
  return text;
}

}  // namespace mx::cli
