// Bits of ports of any width, and Verilated pins as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mx::bench {

/// The bits of one port, lowest first in 32-bit words; those above its width are 0.
using Bits = std::vector<std::uint32_t>;

inline Bits bits_of_width(unsigned width) { return Bits((width + 31) / 32, 0); }

inline std::uint64_t low_mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// Bits [at, at + width), up to 64 of them.
inline std::uint64_t get_bits(const Bits& bits, unsigned at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned shift = (at + done) % 32;
    const std::uint64_t word = bits[(at + done) / 32] >> shift;
    value |= word << done;
    done += 32 - shift;
  }
  return value & low_mask(width);
}

inline void set_bits(Bits& bits, unsigned at, unsigned width, std::uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const unsigned shift = (at + done) % 32;
    const unsigned count = width - done < 32 - shift ? width - done : 32 - shift;
    const auto mask = static_cast<std::uint32_t>(low_mask(count) << shift);
    std::uint32_t& word = bits[(at + done) / 32];
    word = (word & ~mask) | (static_cast<std::uint32_t>((value >> done) << shift) & mask);
    done += count;
  }
}

/// A pin of up to 64 bits, or one of more whose type has data(); bits [at, at + width) of the port.
template <typename Pin>
void put_pin(Pin& pin, const Bits& bits, unsigned at, unsigned width) {
  if constexpr (requires { pin.data(); }) {
    for (unsigned done = 0; done < width; done += 32) {
      const unsigned count = width - done < 32 ? width - done : 32;
      pin.data()[done / 32] = static_cast<std::uint32_t>(get_bits(bits, at + done, count));
    }
  } else {
    pin = static_cast<Pin>(get_bits(bits, at, width));
  }
}

template <typename Pin>
void get_pin(const Pin& pin, Bits& bits, unsigned at, unsigned width) {
  if constexpr (requires { pin.data(); }) {
    for (unsigned done = 0; done < width; done += 32) {
      const unsigned count = width - done < 32 ? width - done : 32;
      set_bits(bits, at + done, count, pin.data()[done / 32]);
    }
  } else {
    set_bits(bits, at, width, pin);
  }
}

}  // namespace mx::bench
