#include "cli/text/names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "reference/catalog/aliases.hpp"

namespace mx::cli {
namespace {

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_scale_only(const ElementFormat& format) { return format.zero == ZeroKind::kNone; }

std::vector<std::string_view> element_names() {
  std::vector<std::string_view> names;
  for (const ElementFormat& format : all_formats()) {
    if (!is_scale_only(format)) names.push_back(format.name);
  }
  return names;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before_last(columns);
  std::vector<int> last(columns);
  std::vector<int> row(columns);
  for (std::size_t j = 0; j < columns; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const int change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view given,
                              std::span<const std::string_view> candidates) {
  for (const std::string_view candidate : candidates) {
    if (folded(candidate) == folded(given)) return candidate;
  }
  const std::string_view here = name_here(given);
  if (std::ranges::find(candidates, here) != candidates.end()) return here;
  std::string_view best;
  // Half of the text may differ; beyond that a suggestion says nothing.
  int limit = std::max(2, static_cast<int>(std::min<std::size_t>(given.size(), 128)) / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(given.substr(0, 256), candidate.substr(0, 256));
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view given,
                         std::span<const std::string_view> candidates) {
  const std::string_view nearest = nearest_name(given, candidates);
  std::string text = fmt::format("unknown {} {}", kind, printable(given));
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", printable(nearest));
  // A long list helps only who got no suggestion.
  const std::size_t listed = nearest.empty() ? 128 : 24;
  if (candidates.size() <= listed) {
    text += fmt::format("{}known: {}", nearest.empty() ? "; " : " ", joined(candidates));
  }
  return text;
}

std::string printable(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7E) {
      text += fmt::format("\\x{:02X}", byte);
    } else {
      text += c;
    }
  }
  return text + (name.size() > 200 ? "...'" : "'");
}

std::string check_unsigned(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return "";
  return printable(text) + " is not a whole number of 0 to 2^64 - 1";
}

golden::Shard require_shard(std::string_view text) {
  if (const auto shard = golden::parse_shard(text)) return *shard;
  fail(Exit::kUsage, "--shard {}: expected i/n with i < n, for instance 0/4", printable(text));
}

void refuse_named_only(std::string_view name) {
  for (const NamedOnlyFormat& format : named_only_formats()) {
    if (format.name != name) continue;
    fail(Exit::kUsage,
         "format '{}' is known by name only ({}; from {}): no text defines its bits, so nothing "
         "here computes it; mxgold list blocks shows those that are defined",
         name, format.what, format.source);
  }
}

FormatChoice require_format(std::string_view name) {
  if (const BlockFormat* block = find_block_format(name))
    return {block->name, block, &block->element};
  const ElementFormat* element = find_format(name);
  if (element != nullptr && !is_scale_only(*element)) return {element->name, nullptr, element};
  refuse_named_only(name);
  std::vector<std::string_view> known;
  for (const BlockFormat& format : all_block_formats()) known.push_back(format.name);
  for (const std::string_view each : element_names()) known.push_back(each);
  throw Error(Exit::kUsage, unknown_name("format", name, known));
}

const ElementFormat& require_element_format(std::string_view kind, std::string_view name) {
  const ElementFormat* element = find_format(name);
  if (element != nullptr && !is_scale_only(*element)) return *element;
  throw Error(Exit::kUsage, unknown_name(kind, name, element_names()));
}

}  // namespace mx::cli
