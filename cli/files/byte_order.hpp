// Files are little-endian, words in memory as the host has them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::cli {

inline constexpr bool kFilesAreForeign = std::endian::native != std::endian::little;

/// A little-endian integer of at most 8 bytes.
[[nodiscard]] inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return value;
}

/// Turns each word of `size` bytes round, from the order of files to that of the other kind of host
/// or back.
inline void reverse_words(std::span<std::byte> bytes, std::size_t size) {
  for (std::size_t at = 0; size > 1 && at + size <= bytes.size(); at += size) {
    std::ranges::reverse(bytes.subspan(at, size));
  }
}

}  // namespace mx::cli
