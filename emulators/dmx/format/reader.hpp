// A text that is read from left to right, field by field.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mx::emulators::dmx {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[position_]; }
  void skip(std::size_t count) { position_ += count; }

  /// Passes a literal; letters of either case where `any_case`.
  [[nodiscard]] bool literal(std::string_view expected, bool any_case = false);

  /// What the `parse` library takes for {:d}: decimal digits after up to two characters of `+-` and
  /// blank, or 0x, 0b, 0o digits after at most one. The first character alone makes it negative.
  [[nodiscard]] std::optional<std::int64_t> loose_integer();

  /// Decimal digits without leading zeros.
  [[nodiscard]] std::optional<std::int64_t> plain_integer();

 private:
  [[nodiscard]] std::optional<std::int64_t> digits(int base);

  std::string_view text_;
  std::size_t position_ = 0;
};

[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_word(char c) {
  return is_letter(c) || c == '_' || (c >= '0' && c <= '9');
}

}  // namespace mx::emulators::dmx
