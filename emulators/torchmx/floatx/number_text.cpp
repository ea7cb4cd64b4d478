#include "emulators/torchmx/floatx/number_text.hpp"

#include <charconv>
#include <vector>

#include "reference/dot/accumulator.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};
constexpr int kMostExponent = 400;  // beyond binary64 both ways

std::uint64_t to_binary64(const Unpacked& x) { return encode(x, formats::fp64, kIeee, 0).code; }

template <typename T>
bool read_all(std::string_view text, T& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// An integer of any length in words, least significant first.
using Words = std::vector<std::uint64_t>;

/// words * factor + addend
void multiply_add(Words& words, std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint64_t& word : words) {
    const std::uint64_t low = (word & 0xFFFFFFFF) * factor + carry;
    const std::uint64_t high = (word >> 32) * factor + (low >> 32);
    word = (low & 0xFFFFFFFF) | high << 32;
    carry = high >> 32;
  }
  if (carry != 0) words.push_back(carry);
}

/// words / divisor; true where a rest stays.
bool divide(Words& words, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = words.size(); i-- > 0;) {
    const std::uint64_t high = rest << 32 | words[i] >> 32;
    const std::uint64_t low = high % divisor << 32 | (words[i] & 0xFFFFFFFF);
    words[i] = high / divisor << 32 | low / divisor;
    rest = low % divisor;
  }
  return rest != 0;
}

/// digits * 10^exponent, rounded once.
std::uint64_t from_decimal(bool negative, const Words& digits, int exponent) {
  Words words = digits;
  bool rest = false;
  int lowest = 0;
  for (; exponent > 0; --exponent) multiply_add(words, 10, 0);
  if (exponent < 0) {
    // Room for more than 64 bits of the quotient.
    const int room = 64 + (-exponent * 10 + 2) / 3 / 64 * 64 + 128;
    words.insert(words.begin(), static_cast<std::size_t>(room / 64), 0);
    lowest = -(room / 64 * 64);
    for (; exponent < 0; ++exponent) rest |= divide(words, 10);
  }
  return to_binary64(unpack_words(negative, words, lowest, rest));
}

}  // namespace

std::optional<std::uint64_t> read_binary64(std::string_view text) {
  if (text.substr(0, 2) == "0x") {
    std::uint64_t word = 0;
    const std::string_view digits = text.substr(2);
    if ((digits.size() != 8 && digits.size() != 16) || !read_all(digits, word, 16)) return {};
    return digits.size() == 16 ? word : to_binary64(decode(formats::fp32, word));
  }
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "inf") {
    return formats::fp64.inf_code() | std::uint64_t{negative ? 1U : 0U} << 63;
  }
  if (text == "nan") return formats::fp64.canonical_nan;
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
    if (!read_all(digits, exponent, 10)) return {};
    text = text.substr(0, e);
  }
  Words digits = {0};
  bool has_digit = false;
  bool has_point = false;
  for (const char c : text) {
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (c >= '0' && c <= '9') {
      multiply_add(digits, 10, static_cast<std::uint32_t>(c - '0'));
      has_digit = true;
      if (has_point) --exponent;
    } else {
      return {};
    }
  }
  const bool is_long = text.size() > 100 || exponent < -kMostExponent || exponent > kMostExponent;
  if (!has_digit || is_long) return {};
  return from_decimal(negative, digits, exponent);
}

std::string binary64_text(std::uint64_t word) {
  const Unpacked x = decode(formats::fp64, word);
  const bool is_small = x.cls == ValueClass::kFinite && x.exponent >= 0 && x.exponent < 53;
  if (is_small && x.significand << (x.exponent + 1) == 0) {
    std::string text = std::to_string(x.significand >> (63 - x.exponent));
    if (x.negative) text.insert(text.begin(), '-');
    return text;
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  return text;
}

}  // namespace mx::emulators::torchmx
