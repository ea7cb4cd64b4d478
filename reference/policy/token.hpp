// Policies and their tokens: the values of an enum and their spelling are written once, as a list
// of rows, from which the enum and its tokens<E>() are made. A row is
//
//   X(kEnumerator, "token", ...)
//
// where what follows the token are facts that the owner of the list reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mx {

/// A policy value and its token.
template <typename E>
struct Token {
  E value;
  std::string_view text;
};

/// All values of a policy with their tokens, in declaration order.
template <typename E>
[[nodiscard]] std::span<const Token<E>> tokens();

/// The token of a value; "" for a value outside the enum.
template <typename E>
[[nodiscard]] std::string_view token_of(E value) {
  for (const Token<E>& token : tokens<E>()) {
    if (token.value == value) return token.text;
  }
  return {};
}

/// The value of a token, if it is one.
template <typename E>
[[nodiscard]] std::optional<E> parse_token(std::string_view text) {
  for (const Token<E>& token : tokens<E>()) {
    if (token.text == text) return token.value;
  }
  return std::nullopt;
}

/// Does every token have a text of its own, and does row i hold the value i? Then an array of
/// tokens<E>().size() entries is indexed by the enum.
template <typename E>
[[nodiscard]] constexpr bool are_sound(std::span<const Token<E>> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].value) != i || rows[i].text.empty()) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (rows[i].text == rows[j].text) return false;
    }
  }
  return !rows.empty();
}

}  // namespace mx

#define MX_ENUMERATOR(name, ...) name,
#define MX_TOKEN(name, text, ...) {Policy::name, text},

/// The enum of a list of rows and its tokens<E>().
#define MX_POLICY(E, LIST)                                                         \
  enum class E : std::uint8_t { LIST(MX_ENUMERATOR) };                             \
  namespace policy_rows {                                                          \
  struct E##Rows {                                                                 \
    using Policy = E;                                                              \
    using Row = Token<Policy>;                                                     \
    static constexpr Row kRows[] = {LIST(MX_TOKEN)};                               \
  };                                                                               \
  }                                                                                \
  template <>                                                                      \
  [[nodiscard]] constexpr std::span<const policy_rows::E##Rows::Row> tokens<E>() { \
    return policy_rows::E##Rows::kRows;                                            \
  }                                                                                \
  static_assert(are_sound(tokens<E>()), #E ": an empty or repeated token")
