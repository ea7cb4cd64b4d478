// SPDX-License-Identifier: Apache-2.0
// Values in a text: filled("{} of {} differ", 3, 20) is "3 of 20 differ". The C library is built
// without a library of formats, so its modules fill texts by this.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace mx::golden {

/// A text or a whole number that goes into a text. Looks into the text, so it does not outlive it.
class Filling {
 public:
  // NOLINTBEGIN(google-explicit-constructor): values stand in a call as they are.
  Filling(std::string_view text) : text_(text) {}
  Filling(const std::string& text) : text_(text) {}
  Filling(const char* text) : text_(text) {}
  Filling(char letter) : letter_(letter), is_letter_(true) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Filling(Number number)
      : magnitude_(static_cast<std::uint64_t>(number)), is_number_(true), is_negative_(number < 0) {
    if (is_negative_) magnitude_ = 0 - magnitude_;
  }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_number() const { return is_number_; }
  [[nodiscard]] bool is_negative() const { return is_negative_; }
  [[nodiscard]] std::uint64_t magnitude() const { return magnitude_; }
  [[nodiscard]] std::string_view text() const {
    return is_letter_ ? std::string_view(&letter_, 1) : text_;
  }

 private:
  std::string_view text_;
  std::uint64_t magnitude_ = 0;
  char letter_ = 0;
  bool is_letter_ = false;
  bool is_number_ = false;
  bool is_negative_ = false;
};

/// The text of filled(), and the place of a value in it: `{}` for each in order, with the layout
/// that fmt and std::format give after a colon. `<` and `>` say where a text stands in a width,
/// `0` fills a number with zeros, `x` and `X` write it in hexadecimal, `+` writes its sign always.
/// A width may be a value itself: `{:0{}x}`.
[[nodiscard]] std::string fill(std::string_view pattern, std::span<const Filling> values);

/// A pattern whose places are counted when it is compiled.
template <std::size_t kValues>
struct Pattern {
  // NOLINTNEXTLINE(google-explicit-constructor): a pattern is a literal.
  consteval Pattern(const char* pattern) : text(pattern) {
    std::size_t opened = 0;
    std::size_t closed = 0;
    for (const char each : text) {
      opened += each == '{' ? 1U : 0U;
      closed += each == '}' ? 1U : 0U;
    }
    if (opened != kValues || closed != kValues)
      throw "a value for each {}, and a {} for each value";
  }
  std::string_view text;
};

/// The pattern with its values.
template <typename... Values>
[[nodiscard]] std::string filled(std::type_identity_t<Pattern<sizeof...(Values)>> pattern,
                                 const Values&... values) {
  const std::initializer_list<Filling> list = {Filling(values)...};
  return fill(pattern.text, {list.begin(), list.size()});
}

/// "a, b, c".
template <typename Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between) {
  std::string text;
  bool is_first = true;
  for (const auto& each : texts) {
    if (!is_first) text += between;
    is_first = false;
    text += each;
  }
  return text;
}

}  // namespace mx::golden
