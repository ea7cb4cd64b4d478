// Random words of stochastic roundings: those of the caller, or of the counter of spec F9.4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cuda/words.hpp"

namespace mx::fast::cuda {

/// The words of four elements.
struct FourWords {
  std::uint32_t word[4];
};

/// Words 4q .. 4q + 3 of Philox4x32-10 under (seed, tensor): counter (q low, q high, tensor, 0).
/// Salmon, Moraes, Dror, Shaw, SC11.
[[nodiscard]] MX_HOST_DEVICE inline FourWords counter_words(std::uint64_t seed,
                                                            std::uint32_t tensor, std::uint64_t q) {
  std::uint32_t c0 = static_cast<std::uint32_t>(q);
  std::uint32_t c1 = static_cast<std::uint32_t>(q >> 32);
  std::uint32_t c2 = tensor;
  std::uint32_t c3 = 0;
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {{c0, c1, c2, c3}};
}

/// Word `index`.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t counter_word(std::uint64_t seed,
                                                               std::uint32_t tensor,
                                                               std::uint64_t index) {
  const FourWords four = counter_words(seed, tensor, index >> 2);
  const auto word = static_cast<std::uint32_t>(index & 3);
  return word == 0   ? four.word[0]
         : word == 1 ? four.word[1]
         : word == 2 ? four.word[2]
                     : four.word[3];
}

/// Where R of each element comes from.
struct RandomWords {
  /// R of each element in C order of the source, below 2^random_bits; null: the counter's.
  const std::uint32_t* given = nullptr;
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0;

  [[nodiscard]] MX_HOST_DEVICE std::uint32_t of(std::uint64_t index, int random_bits) const {
    if (given != nullptr) return given[index];
    return counter_word(seed, tensor, index) >> (32 - random_bits);
  }

  /// R of elements first .. first + 3, where first is a multiple of 4.
  [[nodiscard]] MX_HOST_DEVICE FourWords of_four(std::uint64_t first, int random_bits) const {
    if (given != nullptr) {
      return {{given[first], given[first + 1], given[first + 2], given[first + 3]}};
    }
    FourWords four = counter_words(seed, tensor, first >> 2);
    for (std::uint32_t& word : four.word) word >>= 32 - random_bits;
    return four;
  }
};

}  // namespace mx::fast::cuda
