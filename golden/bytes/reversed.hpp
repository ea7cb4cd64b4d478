// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mx::golden {

/// The lowest `bits` of a word, whose parts of `part` bits each stand in the opposite order:
/// reversed_parts(0x1234, 16, 8) is 0x3412. `part` divides `bits`, which are at most 64.
[[nodiscard]] constexpr std::uint64_t reversed_parts(std::uint64_t word, int bits, int part) {
  const std::uint64_t mask = (std::uint64_t{1} << part) - 1;
  std::uint64_t reversed = 0;
  for (int at = 0; at + part <= bits; at += part) {
    reversed |= (word >> at & mask) << (bits - part - at);
  }
  return reversed;
}

static_assert(reversed_parts(0x1234, 16, 8) == 0x3412);
static_assert(reversed_parts(0x0123456789ABCDEF, 64, 8) == 0xEFCDAB8967452301);
static_assert(reversed_parts(0b0001, 4, 1) == 0b1000);

}  // namespace mx::golden
