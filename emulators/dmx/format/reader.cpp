#include "emulators/dmx/format/reader.hpp"

namespace mx::emulators::dmx {
namespace {

/// Beyond any size of a tensor, and so that sums stay within 64 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 48;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr bool is_sign(char c) { return c == '+' || c == '-' || c == ' '; }

constexpr int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

}  // namespace

bool Reader::literal(std::string_view expected, bool any_case) {
  if (rest().size() < expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = text_[position_ + i];
    const bool same = any_case ? lower(c) == lower(expected[i]) : c == expected[i];
    if (!same) return false;
  }
  position_ += expected.size();
  return true;
}

std::optional<std::int64_t> Reader::digits(int base) {
  const std::size_t first = position_;
  std::int64_t value = 0;
  while (!at_end() && digit_of(peek()) < base) {
    value = value * base + digit_of(peek());
    if (value > kMost) value = kMost;
    ++position_;
  }
  if (position_ == first) return std::nullopt;
  return value;
}

std::optional<std::int64_t> Reader::loose_integer() {
  const std::size_t first = position_;
  const bool negative = peek() == '-';
  while (position_ < first + 2 && is_sign(peek())) ++position_;
  int base = 10;
  if (position_ < first + 2 && rest().size() >= 3 && rest()[0] == '0') {
    const char mark = lower(rest()[1]);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 10;
    if (digit_of(rest()[2]) >= base) base = 10;
    if (base != 10) position_ += 2;
  }
  const std::optional<std::int64_t> value = digits(base);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

std::optional<std::int64_t> Reader::plain_integer() {
  const std::size_t first = position_;
  const std::optional<std::int64_t> value = digits(10);
  if (value && text_[first] == '0' && position_ > first + 1) {
    position_ = first;
    return std::nullopt;
  }
  return value;
}

}  // namespace mx::emulators::dmx
