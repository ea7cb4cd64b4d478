// SPDX-License-Identifier: Apache-2.0
#include "golden/text/filled.hpp"

#include <array>
#include <charconv>

namespace mx::golden {
namespace {

/// What stands behind the colon of a place.
struct Layout {
  char align = 0;
  bool has_sign = false;
  bool has_zeros = false;
  std::size_t width = 0;
  char base = 0;  ///< 'x', 'X' or 0 for decimal
};

/// The values that are not yet in the text.
class Rest {
 public:
  explicit Rest(std::span<const Filling> values) : values_(values) {}
  const Filling& take() {
    const Filling& first = values_.front();
    values_ = values_.subspan(1);
    return first;
  }

 private:
  std::span<const Filling> values_;
};

Layout layout_of(std::string_view spec, Rest& rest) {
  Layout layout;
  const auto takes = [&spec](char letter) {
    if (!spec.starts_with(letter)) return false;
    spec.remove_prefix(1);
    return true;
  };
  for (const char align : {'<', '>'}) {
    if (takes(align)) layout.align = align;
  }
  layout.has_sign = takes('+');
  layout.has_zeros = takes('0');
  if (takes('{')) {
    layout.width = rest.take().magnitude();
    takes('}');
  }
  while (!spec.empty() && spec.front() >= '0' && spec.front() <= '9') {
    layout.width = 10 * layout.width + static_cast<std::size_t>(spec.front() - '0');
    spec.remove_prefix(1);
  }
  if (takes('x')) layout.base = 'x';
  if (takes('X')) layout.base = 'X';
  return layout;
}

std::string digits_of(std::uint64_t magnitude, char base) {
  std::array<char, 24> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, base == 0 ? 10 : 16);
  std::string digits(buffer.data(), result.ptr);
  for (char& each : digits) {
    if (base == 'X' && each >= 'a') each = static_cast<char>(each - 'a' + 'A');
  }
  return digits;
}

std::string text_of(const Filling& value, const Layout& layout) {
  std::string text(value.text());
  if (value.is_number()) {
    const std::string_view sign = value.is_negative() ? "-" : layout.has_sign ? "+" : "";
    text = digits_of(value.magnitude(), layout.base);
    const std::size_t taken = text.size() + sign.size();
    if (layout.has_zeros && taken < layout.width) text.insert(0, layout.width - taken, '0');
    text.insert(0, sign);
  }
  if (text.size() >= layout.width) return text;
  const bool is_right = layout.align == '>' || (layout.align == 0 && value.is_number());
  text.insert(is_right ? 0 : text.size(), layout.width - text.size(), ' ');
  return text;
}

/// Behind the brace that ends a place, which may hold one more.
std::size_t end_of_place(std::string_view pattern, std::size_t begin) {
  const std::size_t end = pattern.find('}', begin);
  const std::size_t inner = pattern.find('{', begin + 1);
  return inner < end ? pattern.find('}', end + 1) : end;
}

}  // namespace

std::string fill(std::string_view pattern, std::span<const Filling> values) {
  Rest rest(values);
  std::string text;
  while (true) {
    const std::size_t begin = pattern.find('{');
    text += pattern.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    const std::size_t end = end_of_place(pattern, begin);
    const std::string_view spec = pattern.substr(begin + 1, end - begin - 1);
    const Filling& value = rest.take();
    text += text_of(value, spec.empty() ? Layout{} : layout_of(spec.substr(1), rest));
    pattern.remove_prefix(end + 1);
  }
}

}  // namespace mx::golden
