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

[[nodiscard]] inline std::vector<Rounding> stochastic_roundings() {
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

/// The same R of `elements` elements from `first` on, given to a call in place of a generator's
/// words; the bits above R are all ones in every other of them.
struct GivenWords {
  std::uint64_t first = 0;  ///< the place that the call is told
  std::vector<std::uint32_t> words;

  GivenWords(const ElementPolicy& policy, std::uint64_t place, std::size_t elements)
      : first(place % 1024), words(first + elements) {
    const std::uint32_t above =
        policy.random_bits == 32 ? 0 : ~std::uint32_t{0} << policy.random_bits;
    for (std::size_t i = 0; i < elements; ++i) {
      words[first + i] = random_at(policy, place + i) | (i % 2 == 0 ? 0 : above);
    }
  }
  /// Beside a seed that no test has.
  [[nodiscard]] Draws draws() const { return {~kDraws.seed, 3, words}; }
};

}  // namespace mx::fast::test
