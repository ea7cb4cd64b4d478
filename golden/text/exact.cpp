#include "golden/text/exact.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "golden/text/filled.hpp"
#include "golden/text/natural.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kMaxDigits = 4096;
constexpr int kMaxExponent = 9999;

/// Text of everything that is not a nonzero finite number.
std::optional<std::string> special(const Unpacked& x) {
  const std::string_view sign = x.negative ? "-" : "";
  switch (x.cls) {
    case ValueClass::kZero:
      return filled("{}0", sign);
    case ValueClass::kInf:
      return filled("{}inf", sign);
    case ValueClass::kNan:
      return filled("{}nan", sign);
    default:
      return std::nullopt;
  }
}

/// magnitude * 2^exponent, cut to 64 significant bits with the rest in sticky.
Unpacked unpack(bool negative, const Natural& magnitude, int exponent, bool has_rest) {
  if (magnitude.is_zero()) return unpack_integer(negative, 0, 0);
  const int length = magnitude.bits();
  const int below = length - 64;
  return {.cls = ValueClass::kFinite,
          .negative = negative,
          .sticky = has_rest || magnitude.has_bits_below(below),
          .exponent = length - 1 + exponent,
          .significand = magnitude.word_at(below)};
}

/// Digits with one optional point: the digits alone, and how many of them follow the point.
struct Digits {
  std::string text;
  int after_point = 0;
};

std::optional<Digits> take_digits(std::string_view& text, bool (*is_digit)(char)) {
  Digits digits;
  bool has_point = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (is_digit(c)) {
      digits.text += c;
      if (has_point) ++digits.after_point;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  if (digits.text.empty() || digits.text.size() > kMaxDigits) return std::nullopt;
  return digits;
}

/// The exponent after 'e' or 'p'; 0 if the text ends before it.
std::optional<int> take_exponent(std::string_view text, char letter) {
  if (text.empty()) return 0;
  if ((text.front() | 0x20) != letter) return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value > kMaxExponent || value < -kMaxExponent) return std::nullopt;
  return value;
}

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_decimal_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

Natural number_of(std::string_view digits, std::uint32_t base) {
  Natural number;
  for (const char c : digits) {
    number.multiply(
        base, static_cast<std::uint32_t>(is_decimal_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10));
  }
  return number;
}

std::optional<Unpacked> parse_hex(bool negative, std::string_view text) {
  const auto digits = take_digits(text, is_hex_digit);
  if (!digits || text.empty()) return std::nullopt;  // the 'p' is what makes it a float
  const auto exponent = take_exponent(text, 'p');
  if (!exponent) return std::nullopt;
  return unpack(negative, number_of(digits->text, 16), *exponent - 4 * digits->after_point, false);
}

std::optional<Unpacked> parse_decimal(bool negative, std::string_view text) {
  const auto digits = take_digits(text, is_decimal_digit);
  if (!digits) return std::nullopt;
  const auto exponent = take_exponent(text, 'e');
  if (!exponent) return std::nullopt;
  Natural magnitude = number_of(digits->text, 10);
  const int power = *exponent - digits->after_point;  // value = magnitude * 5^power * 2^power
  if (power >= 0) {
    magnitude.multiply_by_power_of_5(power);
    return unpack(negative, magnitude, power, false);
  }
  // At least 66 quotient bits, so that what is cut off is only ever sticky: 5^n has less than
  // 7n / 3 + 1 bits.
  const int shift = std::max(0, 67 + 7 * -power / 3 - magnitude.bits());
  magnitude.shift_left(shift);
  const bool has_rest = magnitude.divide_by_power_of_5(-power);
  return unpack(negative, magnitude, power - shift, has_rest);
}

}  // namespace

std::string hex_float(const Unpacked& x) {
  if (const auto text = special(x)) return *text;
  std::string digits = filled("{:016x}", x.significand << 1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return filled("{}0x1{}{}p{:+d}", x.negative ? "-" : "", digits.empty() ? "" : ".", digits,
                x.exponent);
}

std::string exact_decimal(const Unpacked& x) {
  if (const auto text = special(x)) return *text;
  const int zeros = std::countr_zero(x.significand);
  const int exponent = x.exponent - 63 + zeros;
  Natural magnitude(x.significand >> zeros);
  const std::string_view sign = x.negative ? "-" : "";
  if (exponent >= 0) {
    magnitude.shift_left(exponent);
    return filled("{}{}", sign, magnitude.decimal());
  }
  // m * 2^-n = m * 5^n * 10^-n: n digits follow the point.
  const auto places = static_cast<std::size_t>(-exponent);
  magnitude.multiply_by_power_of_5(-exponent);
  std::string digits = magnitude.decimal();
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  return filled("{}{}", sign, digits);
}

std::string short_decimal(const Unpacked& x) {
  const std::string all = exact_decimal(x);
  constexpr std::size_t kLong = 40;
  if (all.size() <= kLong || x.cls != ValueClass::kFinite) return all;
  std::string digits;
  std::size_t point = all.find('.');
  if (point == std::string::npos) point = all.size();
  std::size_t first = all.find_first_of("123456789");
  const auto exponent = first < point ? static_cast<long>(point - first) - 1
                                      : static_cast<long>(point) - static_cast<long>(first);
  for (; digits.size() < 20; ++first) {
    if (all[first] != '.') digits += all[first];
  }
  return filled("{}{}.{}...e{}", x.negative ? "-" : "", digits[0], digits.substr(1), exponent);
}

std::optional<Unpacked> parse_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c); });
  if (text.size() <= 8 && (lower == "inf" || lower == "infinity")) {
    return Unpacked{.cls = ValueClass::kInf, .negative = negative};
  }
  if (lower == "nan") return Unpacked{.cls = ValueClass::kNan, .negative = negative};
  if (lower.starts_with("0x")) return parse_hex(negative, text.substr(2));
  return parse_decimal(negative, text);
}

std::string_view number_class(const ElementFormat& format, const Unpacked& x) {
  switch (x.cls) {
    case ValueClass::kZero:
      return "zero";
    case ValueClass::kInf:
      return "infinity";
    case ValueClass::kNan:
      return "nan";
    case ValueClass::kFinite:
      break;
  }
  const bool is_low = format.kind == FormatKind::kFloat && x.exponent < format.emin();
  return is_low ? "subnormal" : "normal";
}

std::string hex_code(int bits, std::uint64_t code) {
  return filled("{:0{}X}", code, (bits + 3) / 4);
}

std::string hex_code(const ElementFormat& format, std::uint64_t code) {
  return hex_code(format.bits, code);
}

}  // namespace mx::golden
