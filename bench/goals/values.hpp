// Outputs side by side: codes as values, and the first place where two outputs differ in words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "reference/format/format.hpp"

namespace mx::goals {

/// The value of each code of a format of at most 8 bits, by the reference.
[[nodiscard]] std::array<float, 256> values_of(const ElementFormat& format);

/// 2^(code - 127), code below 255.
[[nodiscard]] float scale_value(std::uint8_t code);

/// Bit for bit; the signs of zeros differ where `ignores_zero_sign`.
[[nodiscard]] bool is_same(float a, float b, bool ignores_zero_sign = false);

/// What two sides have at a place: equal, or not.
struct Pair {
  double ours;
  double theirs;
  bool is_equal;
};

/// "" where all of `count` places are equal; otherwise how many are not, and the first.
[[nodiscard]] std::string first_difference(std::size_t count,
                                           const std::function<Pair(std::size_t)>& at);

/// The same of a narrowing copy, which keeps the upper byte of each word.
[[nodiscard]] std::string narrowed_difference(std::span<const float> words,
                                              std::span<const std::uint8_t> bytes);

}  // namespace mx::goals
