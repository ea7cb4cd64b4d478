// Little-endian words of a storage width, and the words of a model's text.
#pragma once

#include <mxgold.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mxgold {

/// Bytes that a code of so many bits is stored in: 1, 2, 4 or 8.
[[nodiscard]] inline std::size_t storage_bytes(std::uint32_t bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

[[nodiscard]] inline std::uint64_t get_word(const std::uint8_t* bytes, std::size_t width) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < width; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return word;
}

inline void put_word(std::uint8_t* bytes, std::size_t width, std::uint64_t word) {
  for (std::size_t i = 0; i < width; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

/// NAME=VALUE between blanks.
class TextWords {
 public:
  explicit TextWords(const std::string& text);
  [[nodiscard]] std::string value(const std::string& name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const {
    return words_;
  }

 private:
  std::vector<std::pair<std::string, std::string>> words_;
};

struct DestroyQuantizer {
  void operator()(mxgold_quantizer* quantizer) const { mxgold_quantizer_destroy(quantizer); }
};
using QuantizerHandle = std::unique_ptr<mxgold_quantizer, DestroyQuantizer>;

/// The quantizer of a model's text (mxgold_model_text), without its tensor level; empty where there
/// is none.
[[nodiscard]] QuantizerHandle quantizer_of(const TextWords& words);

}  // namespace mxgold
