// Words of 1, 2, 4 or 8 bytes in memory, at any alignment, in the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mx {

namespace word_bytes {

template <typename Word>
[[nodiscard]] std::uint64_t load(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

template <typename Word>
void store(std::byte* at, std::uint64_t value) {
  const auto word = static_cast<Word>(value);
  std::memcpy(at, &word, sizeof word);
}

}  // namespace word_bytes

/// The word of `size` bytes that begins at `at`, zero-extended.
[[nodiscard]] inline std::uint64_t load_word(const std::byte* at, std::size_t size) {
  switch (size) {
    case 1:
      return word_bytes::load<std::uint8_t>(at);
    case 2:
      return word_bytes::load<std::uint16_t>(at);
    case 4:
      return word_bytes::load<std::uint32_t>(at);
    default:
      return word_bytes::load<std::uint64_t>(at);
  }
}

/// Writes the low `size` bytes of a word.
inline void store_word(std::byte* at, std::size_t size, std::uint64_t word) {
  switch (size) {
    case 1:
      return word_bytes::store<std::uint8_t>(at, word);
    case 2:
      return word_bytes::store<std::uint16_t>(at, word);
    case 4:
      return word_bytes::store<std::uint32_t>(at, word);
    default:
      return word_bytes::store<std::uint64_t>(at, word);
  }
}

}  // namespace mx
