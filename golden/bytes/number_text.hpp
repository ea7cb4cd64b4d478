// Numbers as text and back, in the spellings of vectors and reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mx::golden {

/// `code` in as many lowercase hexadecimal digits as `bits` bits have.
[[nodiscard]] std::string hex(std::uint64_t code, int bits);

/// A whole text of hexadecimal digits of either case, without prefix; nothing beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text);

/// A whole text of decimal digits.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// "12,345".
[[nodiscard]] std::string with_commas(std::uint64_t number);

/// Part `index` of `count`.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

/// "i/n" with i < n, both decimal.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

}  // namespace mx::golden
