#include "cli/text/names.hpp"

#include <charconv>
#include <cstdint>

namespace mx::cli {
namespace {

bool is_scale_only(const ElementFormat& format) { return format.zero == ZeroKind::kNone; }

std::vector<std::string_view> element_names() {
  std::vector<std::string_view> names;
  for (const ElementFormat& format : all_formats()) {
    if (!is_scale_only(format)) names.push_back(format.name);
  }
  return names;
}

}  // namespace

std::string check_unsigned(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return "";
  const bool is_hex = text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos &&
                      text.find_first_not_of("0123456789") != std::string::npos;
  return printable(text) + " is not a whole number of 0 to 2^64 - 1" +
         (is_hex ? "; write 0x before hexadecimal digits" : "");
}

golden::Shard require_shard(std::string_view text) {
  if (const auto shard = golden::parse_shard(text)) return *shard;
  fail(Exit::kUsage, "--shard {}: expected i/n with i < n, for instance 0/4", printable(text));
}

std::string_view require_known(std::string_view kind, std::string_view given,
                               std::span<const std::string_view> known) {
  const std::string_view meant = asked([&] { return golden::known_as(kind, given, known); });
  if (meant.empty()) throw Error(Exit::kUsage, unknown_name(kind, given, known));
  return meant;
}

void refuse_named_only(std::string_view name) {
  asked([&] { golden::refuse_named_only(name, golden::Spelling::kOptions); });
}

FormatChoice require_format(std::string_view name) {
  refuse_named_only(name);
  std::vector<std::string_view> known;
  for (const BlockFormat& format : all_block_formats()) known.push_back(format.name);
  for (const std::string_view each : element_names()) known.push_back(each);
  const std::string_view meant = require_known("format", name, known);
  if (const BlockFormat* block = find_block_format(meant)) {
    return {block->name, block, &block->element};
  }
  const ElementFormat* const element = find_format(meant);
  return {element->name, nullptr, element};
}

const ElementFormat& require_element_format(std::string_view kind, std::string_view name) {
  return *find_format(require_known(kind, name, element_names()));
}

}  // namespace mx::cli
