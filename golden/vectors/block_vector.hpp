// Blocks with their answers: one (BlockVector) and many (BlockBatch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mx::golden {

/// One block as the hardware sees it. `source` and `codes` hold one word a lane, lane 0 first.
struct BlockVector {
  std::uint32_t config_word = 0;      ///< configuration, spec R5.6
  std::vector<std::uint64_t> source;  ///< source codes
  std::vector<std::uint32_t> random;  ///< R a lane, or empty where no random words are kept
  std::uint16_t status = 0;           ///< m_axis_tuser, spec R6; the low byte is the scale
  std::vector<std::uint64_t> codes;   ///< element codes
  bool operator==(const BlockVector&) const = default;
};

/// Does a set of vectors keep a random word for each element?
enum class RandomWords : std::uint8_t { kAbsent, kPresent };

/// Many blocks of one size in flat arrays, for speed: block i owns config_word[i], status[i] and
/// lanes [i * block_size, (i + 1) * block_size) of source, codes and (where present) random.
struct BlockBatch {
  int block_size = 32;
  RandomWords random_words = RandomWords::kAbsent;
  std::vector<std::uint32_t> config_word;
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
  std::vector<std::uint16_t> status;
  std::vector<std::uint64_t> codes;

  [[nodiscard]] std::size_t size() const { return config_word.size(); }
  [[nodiscard]] bool empty() const { return config_word.empty(); }
  [[nodiscard]] std::size_t lanes() const { return static_cast<std::size_t>(block_size); }

  /// Makes room for `count` blocks; new ones are zero.
  void resize(std::size_t count);
  void clear() { resize(0); }

  [[nodiscard]] std::span<const std::uint64_t> source_of(std::size_t i) const {
    return std::span(source).subspan(i * lanes(), lanes());
  }
  [[nodiscard]] std::span<std::uint64_t> source_of(std::size_t i) {
    return std::span(source).subspan(i * lanes(), lanes());
  }
  [[nodiscard]] std::span<const std::uint64_t> codes_of(std::size_t i) const {
    return std::span(codes).subspan(i * lanes(), lanes());
  }
  [[nodiscard]] std::span<std::uint64_t> codes_of(std::size_t i) {
    return std::span(codes).subspan(i * lanes(), lanes());
  }
  /// Empty where no random words are kept.
  [[nodiscard]] std::span<const std::uint32_t> random_of(std::size_t i) const {
    return random.empty() ? std::span<const std::uint32_t>()
                          : std::span(random).subspan(i * lanes(), lanes());
  }
  [[nodiscard]] std::span<std::uint32_t> random_of(std::size_t i) {
    return random.empty() ? std::span<std::uint32_t>()
                          : std::span(random).subspan(i * lanes(), lanes());
  }

  /// Block i as a value of its own.
  [[nodiscard]] BlockVector at(std::size_t i) const;
  /// Appends a whole block: source and codes have block_size words, random block_size or none.
  void append(const BlockVector& block);
  /// Appends blocks [first, last) of another batch of the same shape.
  void append(const BlockBatch& other, std::size_t first, std::size_t last);
};

/// Many element conversions of one configuration in flat arrays.
struct CvtBatch {
  RandomWords random_words = RandomWords::kAbsent;
  std::vector<std::uint64_t> source;  ///< source codes
  std::vector<std::uint32_t> random;  ///< R, where present
  std::vector<std::uint64_t> code;    ///< destination codes
  std::vector<std::uint8_t> flags;    ///< OR of mx::Flag

  [[nodiscard]] std::size_t size() const { return source.size(); }
  void resize(std::size_t count);
  void clear() { resize(0); }
};

}  // namespace mx::golden
