// Philox4x32-10, the counter-based generator behind every seed: word i of (key, stream) is a pure
// function of its arguments. Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as
// 1, 2, 3 (SC11).
#pragma once

#include <array>
#include <cstdint>

namespace mx {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// The ten-round bijection of a 128-bit counter under a 64-bit key (low word first).
[[nodiscard]] constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::uint64_t key) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

/// R of element `index` of tensor `tensor` under `seed`: spec F9.4, source `counter`.
/// random_bits in 1..32; the result is the top random_bits bits of the element's word.
[[nodiscard]] constexpr std::uint32_t counter_random(std::uint64_t seed, std::uint32_t tensor,
                                                     std::uint64_t index, int random_bits) {
  const std::uint64_t q = index / 4;
  const PhiloxBlock block = philox4x32(
      {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(q >> 32), tensor, 0}, seed);
  return block[index % 4] >> (32 - random_bits);
}

}  // namespace mx
