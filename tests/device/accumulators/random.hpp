// A counter-based generator: the n-th number of a key is the SplitMix64 mix of both.
#pragma once

#include <cstdint>
#include <string_view>

namespace mx::probe {

constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t key) : key_(key) {}

  std::uint32_t word() {
    return static_cast<std::uint32_t>(mix(key_ + ++counter_ * 0x9e3779b97f4a7c15) >> 32);
  }
  /// Less than `count`, which is far below 2^32: the bias does not matter to stimuli.
  int below(int count) {
    return static_cast<int>((std::uint64_t{word()} * static_cast<std::uint64_t>(count)) >> 32);
  }
  int between(int low, int high) { return low >= high ? low : low + below(high - low + 1); }
  bool one_in(int count) { return below(count) == 0; }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

/// A key for a text, by FNV-1a.
constexpr std::uint64_t key_of(std::string_view text, std::uint64_t key) {
  for (const char letter : text) {
    key = (key ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return mix(key);
}

}  // namespace mx::probe
