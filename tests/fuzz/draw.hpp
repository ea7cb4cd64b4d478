// Bytes of an input, drawn one after the other as the arguments of calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/abi/mxgold.h"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {

/// A literal with the zeros that it holds.
template <std::size_t kSize>
[[nodiscard]] std::string bytes_of(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

/// Zeros beyond the end.
class Draw {
 public:
  explicit Draw(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }
  /// A number of so many bytes, the highest first.
  [[nodiscard]] std::uint64_t word(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | byte();
    return value;
  }
  /// 0 .. count - 1.
  [[nodiscard]] std::size_t below(std::size_t count) { return word(1) % count; }
  void fill(std::vector<std::uint8_t>& bytes) {
    for (std::uint8_t& each : bytes) each = byte();
  }
  /// As far as the next line feed.
  [[nodiscard]] std::string line() {
    const std::size_t end = std::min(bytes_.find('\n'), bytes_.size());
    std::string text(bytes_.substr(0, end));
    bytes_.remove_prefix(std::min(end + 1, bytes_.size()));
    std::erase(text, '\0');
    return text;
  }

 private:
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return first;
  }
  std::string_view bytes_;
};

/// NAME=VALUE a line until an empty one, as options of the C interface.
class DrawnOptions {
 public:
  explicit DrawnOptions(Draw& draw) {
    for (std::string line = draw.line(); !line.empty() && texts_.size() < 20; line = draw.line()) {
      const std::size_t equals = std::min(line.find('='), line.size());
      texts_.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
    }
    for (const auto& [name, value] : texts_) options_.push_back({name.c_str(), value.c_str()});
  }
  DrawnOptions(const DrawnOptions&) = delete;
  DrawnOptions& operator=(const DrawnOptions&) = delete;

  [[nodiscard]] const mxgold_option* data() const { return options_.data(); }
  [[nodiscard]] std::size_t size() const { return options_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<mxgold_option> options_;
};

/// The laws of a status: one of the list, no defect of the library, words where it refuses.
inline void require_status(mxgold_status status, const char* message, std::string_view input) {
  require(status <= MXGOLD_OVERLAP, "a status is one of the list", input);
  require(status != MXGOLD_INTERNAL_ERROR, "no defect of the library", input);
  if (status != MXGOLD_OK && message != nullptr) require_words(message, input);
}

}  // namespace mx::fuzz
