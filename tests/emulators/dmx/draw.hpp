// Patterns of every kind: uniform, near one exponent, few significand bits, next to powers of two.
#pragma once

#include <random>

#include "tests/emulators/dmx/support.hpp"

namespace mx::emulators::dmx {

class Draw {
 public:
  std::uint32_t operator()() {
    const auto any = static_cast<std::uint32_t>(generator_());
    switch (generator_() % 4) {
      case 0:
        return any;
      case 1:
        return (any & 0x807FFFFF) | static_cast<std::uint32_t>(100 + generator_() % 56) << 23;
      case 2:
        return (any & 0xFFF00000) | (generator_() % 2 != 0 ? 0x000FFFFF : 0);
      default:
        return (any & 0x80000003) | static_cast<std::uint32_t>(generator_() % 256) << 23;
    }
  }
  std::uint64_t below(std::uint64_t limit) { return generator_() % limit; }

  Patterns many(std::size_t count) {
    Patterns x;
    for (std::size_t i = 0; i < count; ++i) x.push_back((*this)());
    return x;
  }
  /// Finite values within 2^-12 of one another, with ties among them.
  Patterns block(std::size_t count) {
    const auto top = 20 + static_cast<std::uint32_t>(below(210));
    Patterns x;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t field = top - static_cast<std::uint32_t>(below(13));
      const std::uint32_t kept = below(2) != 0 ? 0x807FFFFF : 0x807E0000;
      x.push_back(((*this)() & kept) | field << 23);
    }
    if (below(3) == 0) x[0] &= 0x80000000;
    return x;
  }

 private:
  std::mt19937_64 generator_{7};
};

}  // namespace mx::emulators::dmx
