#include "emulators/microxcaling/text/number_text.hpp"

#include <charconv>

#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {
namespace {

/// All of a text as an integer.
template <typename Integer>
std::optional<Integer> read_integer(std::string_view text, int base) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A fraction's digits after those before the point, and how many there are after it.
struct Digits {
  std::uint64_t all = 0;
  int after_point = 0;
};

std::optional<Digits> read_digits(std::string_view text, int base) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  digits += fraction;
  if (digits.empty() || digits.front() == '+') return std::nullopt;
  const auto all = read_integer<std::uint64_t>(digits, base);
  if (!all || *all >> 60 != 0) return std::nullopt;
  return Digits{*all, static_cast<int>(fraction.size())};
}

}  // namespace

std::optional<std::uint64_t> read_binary64(std::string_view text) {
  if (text == "inf" || text == "Infinity") return Fp64::kInfinity;
  if (text.starts_with("0x")) {
    const std::size_t p = text.find('p');
    if (p == std::string_view::npos) return std::nullopt;
    const auto digits = read_digits(text.substr(2, p - 2), 16);
    const auto power = read_integer<int>(text.substr(p + 1), 10);
    if (!digits || !power || *power < -1200 || *power > 1200) return std::nullopt;
    return Fp64::rounded({digits->all, *power - 4 * digits->after_point});
  }
  const auto digits = read_digits(text, 10);
  if (!digits) return std::nullopt;
  std::uint64_t rest = digits->all;
  for (int i = 0; i < digits->after_point; ++i) {
    if (rest % 5 != 0) return std::nullopt;
    rest /= 5;
  }
  return Fp64::rounded({rest, -digits->after_point});
}

std::string write_binary64(std::uint64_t pattern) {
  if (pattern == Fp64::kInfinity) return "inf";
  if (pattern == 0) return "0x0p+0";
  Dyadic x = Fp64::value(pattern);
  const int exponent = exponent_of(x);
  // The leading bit is the digit 1; the 52 below it are 13 digits.
  x.significand <<= 52 - (exponent - x.exponent);
  std::string digits;
  for (int shift = 48; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[x.significand >> shift & 0xF];
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  const std::string point = digits.empty() ? "" : ".";
  return "0x1" + point + digits + "p" + (exponent < 0 ? "" : "+") + std::to_string(exponent);
}

}  // namespace mx::emulators::microxcaling
