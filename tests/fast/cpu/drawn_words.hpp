// What the tests of stochastic roundings draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fast/cpu/draws.hpp"
#include "reference/number/philox.hpp"
#include "reference/policy/policy.hpp"

namespace mx::fast::test {

inline constexpr Draws kDraws{0x0123456789ABCDEF, 77};

[[nodiscard]] inline std::vector<Rounding> drawn_roundings() {
  return {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC,
          Rounding::kStochasticCOdd};
}

[[nodiscard]] inline std::uint64_t word_at(std::span<const std::byte> words, std::size_t index,
                                           std::size_t width) {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + index * width, width);
  return word;
}

/// R of an element by the reference.
[[nodiscard]] inline std::uint32_t random_at(const ElementPolicy& policy, std::uint64_t index) {
  return counter_random(kDraws.seed, kDraws.tensor, index, policy.random_bits);
}

}  // namespace mx::fast::test
