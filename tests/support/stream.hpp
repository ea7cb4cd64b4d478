// Seeds of tests: one environment variable, printed with every failure, and a counter-based stream.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "reference/number/philox.hpp"

namespace mx::oracle {

/// The seed of this run: MX_TEST_SEED, or 1.
[[nodiscard]] inline std::uint64_t test_seed() {
  const char* text = std::getenv("MX_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

/// Words of Philox4x32-10 under (test_seed(), stream number): independent for each stream.
class Stream {
 public:
  explicit Stream(std::uint32_t number, std::uint64_t seed = test_seed())
      : number_(number), seed_(seed) {}

  std::uint32_t next() {
    if (position_ % 4 == 0) {
      const std::uint64_t q = position_ / 4;
      block_ = philox4x32(
          {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(q >> 32), number_, 0x7E57},
          seed_);
    }
    return block_[position_++ % 4];
  }
  std::uint64_t next64() {
    const std::uint64_t high = next();
    return high << 32 | next();
  }
  /// In [0, bound); the bias of a modulo does not matter for stimuli.
  std::uint64_t below(std::uint64_t bound) { return next64() % bound; }
  bool coin() { return (next() & 1) != 0; }

 private:
  std::uint32_t number_;
  std::uint64_t seed_;
  std::uint64_t position_ = 0;
  PhiloxBlock block_{};
};

}  // namespace mx::oracle
