// SPDX-License-Identifier: Apache-2.0
// One in N of a large table by default, all of it in `./dev test --all`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mx::test {

/// The seed of every sample. A failure repeats, because it never changes.
inline constexpr std::uint64_t kSampleSeed = 0x6D78;

/// Are tables taken whole? `./dev test --all` sets MX_ALL.
[[nodiscard]] bool is_whole();

/// Places of one in `n` of `count` things, in rising order: of each n neighbours one that seed and
/// `stream` draw. Every place where is_whole(). Prints what it takes.
[[nodiscard]] std::vector<std::size_t> sampled_places(std::size_t count, std::size_t n,
                                                      std::uint32_t stream);

/// The things of `all` at those places.
template <typename T>
[[nodiscard]] std::vector<T> sample(const std::vector<T>& all, std::size_t n,
                                    std::uint32_t stream) {
  std::vector<T> taken;
  for (const std::size_t place : sampled_places(all.size(), n, stream)) taken.push_back(all[place]);
  return taken;
}

}  // namespace mx::test
