// Words in packed vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::bridge {

/// A packed vector, least significant 32 bits first.
using BusIn = std::span<const std::uint32_t>;
using BusOut = std::span<std::uint32_t>;

/// All ones in the low `bits`, 0 to 64.
[[nodiscard]] constexpr std::uint64_t ones(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// Bits [at, at + width) of a packed vector, width up to 64; 0 beyond its end.
[[nodiscard]] constexpr std::uint64_t read_bits(BusIn bus, std::size_t at, int width) {
  std::uint64_t value = 0;
  for (int done = 0; done < width;) {
    const std::size_t bit = at + static_cast<std::size_t>(done);
    if (bit / 32 >= bus.size()) break;
    const int in_word = static_cast<int>(bit % 32);
    value |= std::uint64_t{bus[bit / 32] >> in_word} << done;
    done += 32 - in_word;
  }
  return value & ones(width);
}

/// Sets bits [at, at + width), which are 0, of a packed vector that has them.
constexpr void write_bits(BusOut bus, std::size_t at, int width, std::uint64_t value) {
  value &= ones(width);
  for (int done = 0; done < width;) {
    const std::size_t bit = at + static_cast<std::size_t>(done);
    const int in_word = static_cast<int>(bit % 32);
    bus[bit / 32] |= static_cast<std::uint32_t>(value >> done << in_word);
    done += 32 - in_word;
  }
}

}  // namespace mx::bridge
