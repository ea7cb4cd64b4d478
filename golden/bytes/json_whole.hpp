// Whole numbers in JSON of strangers.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace mx::golden {

/// The whole number `value`, which T holds. Throws the JSON's type_error for any other value:
/// get<T>() of the JSON library converts reals and negative numbers without a word, and what lies
/// beyond T with undefined behaviour.
template <std::integral T, typename Json>
[[nodiscard]] T whole(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw Json::type_error::create(
      302, std::string("type must be a whole number in range, but is ") + value.type_name(),
      &value);
}

}  // namespace mx::golden
