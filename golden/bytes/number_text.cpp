#include "golden/bytes/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace mx::golden {
namespace {

std::optional<std::uint64_t> parse(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string hex(std::uint64_t code, int bits) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), code, 16).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  const auto width = static_cast<std::size_t>((bits + 3) / 4);
  return std::string(width - std::min(width, text.size()), '0').append(text);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) { return parse(text, 16); }

std::optional<std::uint64_t> parse_decimal(std::string_view text) { return parse(text, 10); }

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t left = text.size(); left > 3;) text.insert(left -= 3, 1, ',');
  return text;
}

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = parse(text.substr(0, slash), 10);
  const auto count = parse(text.substr(slash + 1), 10);
  if (!index || !count || *index >= *count) return std::nullopt;
  return Shard{*index, *count};
}

}  // namespace mx::golden
