// Random words of the counter-based generator, Philox4x32-10 (spec F9.4; Salmon, Moraes, Dror,
// Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, SC11), and the stochastic roundings that take
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::fast {

/// Which words a call draws: that of an element is a function of these and of the element's place
/// in its tensor, counted in C order.
struct Draws {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0;  ///< index of the tensor in name order
  /// R of each element of the tensor in place of the generator's words, of which the low
  /// random_bits bits count; empty: nothing is given.
  std::span<const std::uint32_t> given = {};

  /// Is there an R for `elements` elements from the place `first` on?
  [[nodiscard]] constexpr bool reach(std::uint64_t first, std::size_t elements) const {
    return given.empty() || (first <= given.size() && elements <= given.size() - first);
  }
};

}  // namespace mx::fast

namespace mx::fast::cpu {

/// A stochastic rounding: spec F9.1.
enum class Draw : std::uint8_t { kNone, kA, kB, kC, kCOdd };

inline constexpr std::uint32_t kPhiloxFirst = 0xD2511F53;
inline constexpr std::uint32_t kPhiloxSecond = 0xCD9E8D57;
inline constexpr std::uint32_t kPhiloxFirstKey = 0x9E3779B9;
inline constexpr std::uint32_t kPhiloxSecondKey = 0xBB67AE85;
inline constexpr int kPhiloxRounds = 10;

/// The words of elements 4q .. 4q + 3.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> random_words(const Draws& draws,
                                                                  std::uint64_t q) {
  std::array<std::uint32_t, 4> x = {static_cast<std::uint32_t>(q),
                                    static_cast<std::uint32_t>(q >> 32), draws.tensor, 0};
  auto first_key = static_cast<std::uint32_t>(draws.seed);
  auto second_key = static_cast<std::uint32_t>(draws.seed >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t p = std::uint64_t{kPhiloxFirst} * x[0];
    const std::uint64_t s = std::uint64_t{kPhiloxSecond} * x[2];
    x = {static_cast<std::uint32_t>(s >> 32) ^ x[1] ^ first_key, static_cast<std::uint32_t>(s),
         static_cast<std::uint32_t>(p >> 32) ^ x[3] ^ second_key, static_cast<std::uint32_t>(p)};
    first_key += kPhiloxFirstKey;
    second_key += kPhiloxSecondKey;
  }
  return x;
}

/// The word of the element at a place, whose top `bits` are R.
[[nodiscard]] constexpr std::uint32_t random_word(const Draws& draws, int bits,
                                                  std::uint64_t index) {
  if (draws.given.empty()) return random_words(draws, index / 4)[index % 4];
  return draws.given[static_cast<std::size_t>(index)] << (32 - bits);
}

/// Does a magnitude go up? `fraction` is what is cut off, as a 64-bit binary fraction of an ulp,
/// `below` whether anything lies below it; of `word` the top `bits` are R.
[[nodiscard]] constexpr bool drawn_up(Draw draw, int bits, std::uint64_t fraction, bool below,
                                      std::uint32_t word) {
  const std::uint64_t one = std::uint64_t{1} << bits;
  const std::uint64_t random = word >> (32 - bits);
  if (draw == Draw::kB) return (fraction >> (63 - bits)) + 2 * random + 1 >= 2 * one;
  std::uint64_t top = fraction >> (64 - bits);
  if (draw != Draw::kA) {
    const std::uint64_t rest = fraction << bits;
    const bool is_half = rest >> 63 != 0;
    const bool is_more = rest << 1 != 0 || below;
    const bool is_even_up = ((top & 1) != 0) == (draw == Draw::kC);
    if (is_half && (is_more || is_even_up)) ++top;
  }
  return top + random >= one;
}

}  // namespace mx::fast::cpu
