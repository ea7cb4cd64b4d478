// SPDX-License-Identifier: Apache-2.0
#include "golden/text/flat_toml.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// Why a text is no such file; leaves parse_flat_toml().
struct Unreadable {
  std::size_t line;
  std::string why;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_bare(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }
/// Neither in comments nor in texts.
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

/// The length of a character of UTF-8, or 0 where the bytes are none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, halves of pairs, and what lies beyond U+10FFFF.
  const unsigned second = byte(1);
  const bool is_bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_bad ? 0 : length;
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

/// Digits of a base, with single underscores between two of them; nothing where it is no such text.
std::optional<std::string> plain_digits(std::string_view text, int base) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_') {
      const bool is_between =
          i != 0 && i + 1 != text.size() && text[i - 1] != '_' && text[i + 1] != '_';
      if (!is_between) return std::nullopt;
      continue;
    }
    int digit = is_digit(c) ? c - '0' : is_letter(c) ? (c | 0x20) - 'a' + 10 : 99;
    if (digit >= base) return std::nullopt;
    digits += c;
  }
  return digits.empty() ? std::nullopt : std::optional(digits);
}

/// A whole number of 64 bits with a sign, in decimal digits; nothing where it is none.
std::optional<std::string> whole_number(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const bool is_negative = text.starts_with('-');
  std::string_view rest = text.substr(has_sign ? 1 : 0);
  int base = 10;
  for (const auto& [prefix, of] : {std::pair{"0x", 16}, {"0o", 8}, {"0b", 2}}) {
    if (!rest.starts_with(prefix) || has_sign) continue;
    base = of;
    rest.remove_prefix(2);
    break;
  }
  if (base == 10 && rest.size() > 1 && rest.front() == '0') return std::nullopt;
  const auto digits = plain_digits(rest, base);
  if (!digits) return std::nullopt;
  std::uint64_t magnitude = 0;
  const char* const end = digits->data() + digits->size();
  const auto [stop, error] = std::from_chars(digits->data(), end, magnitude, base);
  const std::uint64_t most = (std::uint64_t{1} << 63) - (is_negative ? 0 : 1);
  if (error != std::errc{} || stop != end || magnitude > most) return std::nullopt;
  return filled("{}{}", is_negative && magnitude != 0 ? "-" : "", magnitude);
}

/// A number with a point, an exponent, or neither: inf and nan. As it is written, underscores
/// aside.
std::optional<std::string> other_number(std::string_view text) {
  std::string out;
  std::string_view rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    if (rest.front() == '-') out += '-';
    rest.remove_prefix(1);
  }
  if (rest == "inf" || rest == "nan") return out + std::string(rest);
  const std::size_t e = rest.find_first_of("eE");
  const std::string_view mantissa = rest.substr(0, e);
  const std::size_t point = mantissa.find('.');
  const auto whole = plain_digits(mantissa.substr(0, point), 10);
  if (!whole || (whole->size() > 1 && whole->front() == '0')) return std::nullopt;
  out += *whole;
  if (point != std::string_view::npos) {
    const auto fraction = plain_digits(mantissa.substr(point + 1), 10);
    if (!fraction) return std::nullopt;
    out += "." + *fraction;
  }
  if (e == std::string_view::npos) {
    return point == std::string_view::npos ? std::nullopt : std::optional(out);
  }
  std::string_view exponent = rest.substr(e + 1);
  out += 'e';
  if (exponent.starts_with('+') || exponent.starts_with('-')) {
    if (exponent.front() == '-') out += '-';
    exponent.remove_prefix(1);
  }
  const auto digits = plain_digits(exponent, 10);
  if (!digits) return std::nullopt;
  return out + *digits;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<TomlEntry> entries() {
    std::vector<TomlEntry> list;
    while (true) {
      skip_to_entry();
      if (is_at_end()) return list;
      TomlEntry entry = this->entry();
      const auto earlier = std::ranges::find(list, entry.key, &TomlEntry::key);
      if (earlier != list.end()) {
        line_ = entry.line;
        refuse(filled("{} stands twice; the first is in line {}", entry.key, earlier->line));
      }
      list.push_back(std::move(entry));
    }
  }

 private:
  [[noreturn]] void refuse(std::string why) const { throw Unreadable{line_, std::move(why)}; }

  [[nodiscard]] bool is_at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return is_at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool starts(std::string_view words) const {
    return text_.substr(at_).starts_with(words);
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  /// A line feed, alone or behind a carriage return.
  bool take_line_end() {
    const std::size_t length = starts("\n") ? 1 : starts("\r\n") ? 2 : 0;
    at_ += length;
    line_ += length == 0 ? 0 : 1;
    return length != 0;
  }
  void skip_comment() {
    if (peek() != '#' || is_at_end()) return;
    while (!is_at_end() && !starts("\n") && !starts("\r\n")) character();
  }
  void skip_to_entry() {
    do {
      skip_blanks();
      skip_comment();
    } while (take_line_end());
  }
  void end_of_line() {
    skip_blanks();
    skip_comment();
    if (is_at_end() || take_line_end()) return;
    refuse("something stands behind the value; put it in a line of its own, or behind a #");
  }

  /// One character as it stands, which is no control character.
  std::string_view character() {
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) refuse("bytes that are no UTF-8");
    if (is_control(text_[at_])) refuse("a control character; write \\n or \\u000A within quotes");
    at_ += length;
    return text_.substr(at_ - length, length);
  }

  TomlEntry entry() {
    TomlEntry entry;
    entry.line = line_;
    if (peek() == '[') refuse("tables are not used here; write the keys alone, without [...]");
    entry.key = key();
    skip_blanks();
    if (peek() == '.') refuse("keys with a dot are not used here");
    if (peek() != '=') refuse(filled("no = behind {}; write KEY = VALUE", entry.key));
    ++at_;
    skip_blanks();
    entry.is_array = peek() == '[';
    if (entry.is_array) {
      entry.values = array();
    } else {
      entry.values = {value()};
    }
    end_of_line();
    return entry;
  }

  std::string key() {
    if (peek() == '"' || peek() == '\'') return text_value();
    const std::size_t start = at_;
    while (!is_at_end() && is_bare(peek())) ++at_;
    if (at_ == start) refuse("no key here; write KEY = VALUE");
    return std::string(text_.substr(start, at_ - start));
  }

  void skip_in_array() {
    do {
      skip_blanks();
      skip_comment();
    } while (take_line_end());
  }

  std::vector<TomlValue> array() {
    ++at_;
    std::vector<TomlValue> values;
    while (true) {
      skip_in_array();
      if (peek() == ']') break;
      if (peek() == '[') refuse("arrays within arrays are not used here");
      if (is_at_end()) refuse("the array has no ]");
      values.push_back(value());
      skip_in_array();
      if (peek() == ']') break;
      if (is_at_end()) refuse("the array has no ]");
      if (peek() != ',') refuse("no , between two values of the array, or no ] behind them");
      ++at_;
    }
    ++at_;
    return values;
  }

  TomlValue value() {
    if (peek() == '"' || peek() == '\'') return {text_value(), TomlKind::kText};
    if (peek() == '{') refuse("tables are not used here");
    const std::size_t start = at_;
    while (!is_at_end() && (is_bare(peek()) || peek() == '.' || peek() == '+' || peek() == ':')) {
      ++at_;
    }
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "true" || word == "false") return {std::string(word), TomlKind::kBoolean};
    if (const auto number = whole_number(word)) return {*number, TomlKind::kInteger};
    if (const auto number = other_number(word)) return {*number, TomlKind::kFloat};
    if (word.empty()) refuse("no value here; write a text in quotes, a number, true or false");
    refuse(filled("{} is no number; write texts in quotes: \"{}\"", word, word));
  }

  std::string text_value() {
    const char quote = peek();
    if (starts(quote == '"' ? "\"\"\"" : "'''")) {
      refuse("texts of several lines are not used here; write one pair of quotes");
    }
    ++at_;
    std::string text;
    while (true) {
      if (is_at_end() || starts("\n") || starts("\r\n")) refuse("the text has no closing quote");
      if (peek() == quote) break;
      if (quote == '"' && peek() == '\\') {
        ++at_;
        text += escaped();
      } else {
        text += character();
      }
    }
    ++at_;
    return text;
  }

  std::string escaped() {
    constexpr std::string_view kLetters = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
    const char letter = peek();
    ++at_;
    if (const std::size_t i = kLetters.find(letter); i != std::string_view::npos) {
      return std::string(1, kMeant[i]);
    }
    const std::size_t length = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (length == 0) refuse("no such escape; a backslash is written \\\\, or use '...'");
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), length);
    std::uint32_t point = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, point, 16);
    const bool is_point = digits.size() == length && error == std::errc{} && stop == end &&
                          point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    if (!is_point) refuse("no such character; write \\u and 4 digits, or \\U and 8");
    at_ += length;
    std::string text;
    append_utf8(text, point);
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Checked<std::vector<TomlEntry>> parse_flat_toml(std::string_view text) {
  try {
    return Reader(text).entries();
  } catch (const Unreadable& problem) {
    return Problem{filled("line {}: {}", problem.line, problem.why)};
  }
}

std::string toml_quoted(std::string_view text) {
  const bool is_plain = std::ranges::none_of(
      text, [](char c) { return is_control(c) || c == '\t' || c == '"' || c == '\\'; });
  if (is_plain) return filled("\"{}\"", text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (is_control(c) || c == '\t') {
      out += filled("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace mx::golden
