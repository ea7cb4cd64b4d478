// Random draws of one vector: a pure function of key, suite tag and vector index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reference/number/philox.hpp"

namespace mx::golden {

/// 32-bit FNV-1a: the suite's tag in the Philox counter.
[[nodiscard]] constexpr std::uint32_t suite_tag(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// Words of Philox4x32-10 under key = seed, counter = (index low, index high, tag, 0, 1, 2, ...).
class Draw {
 public:
  constexpr Draw(std::uint64_t seed, std::uint32_t tag, std::uint64_t index)
      : seed_(seed), tag_(tag), index_(index) {}

  [[nodiscard]] constexpr std::uint32_t word() {
    if (used_ == block_.size()) {
      block_ = philox4x32({static_cast<std::uint32_t>(index_),
                           static_cast<std::uint32_t>(index_ >> 32), tag_, next_++},
                          seed_);
      used_ = 0;
    }
    return block_[used_++];
  }
  [[nodiscard]] constexpr std::uint64_t word64() {
    const std::uint64_t high = word();
    return high << 32 | word();
  }
  /// A number below n (n >= 1), of 64 drawn bits: the high half of the product.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t n) {
    const std::uint64_t x = word64();
    const std::uint64_t low = (x & 0xFFFFFFFFU) * (n & 0xFFFFFFFFU);
    const std::uint64_t mid1 = (x >> 32) * (n & 0xFFFFFFFFU) + (low >> 32);
    const std::uint64_t mid2 = (x & 0xFFFFFFFFU) * (n >> 32) + (mid1 & 0xFFFFFFFFU);
    return (x >> 32) * (n >> 32) + (mid1 >> 32) + (mid2 >> 32);
  }
  /// A number below n, of 32 drawn bits.
  [[nodiscard]] constexpr std::uint32_t small(std::uint32_t n) {
    return static_cast<std::uint32_t>(std::uint64_t{word()} * n >> 32);
  }
  [[nodiscard]] constexpr std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }

 private:
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t index_;
  std::uint32_t next_ = 0;
  PhiloxBlock block_{};
  std::size_t used_ = 4;
};

}  // namespace mx::golden
