// Bit ranges of a Verilated port, whatever C++ type its width gave it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "verilated.h"

namespace mx::rtl_test {

template <std::integral T>
void put_bits(T& port, int lsb, int width, std::uint64_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << lsb;
  port = static_cast<T>((std::uint64_t{port} & ~mask) | ((value << lsb) & mask));
}

template <std::integral T>
std::uint64_t get_bits(const T& port, int lsb, int width) {
  return (std::uint64_t{port} >> lsb) & ((std::uint64_t{1} << width) - 1);
}

template <std::size_t kWords>
void put_bits(VlWide<kWords>& port, int lsb, int width, std::uint64_t value) {
  for (int i = 0; i < width; ++i) {
    const auto bit = static_cast<unsigned>(lsb + i);
    const std::uint32_t mask = 1U << (bit % 32);
    port[bit / 32] = ((value >> i) & 1) != 0 ? port[bit / 32] | mask : port[bit / 32] & ~mask;
  }
}

template <std::size_t kWords>
std::uint64_t get_bits(const VlWide<kWords>& port, int lsb, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    const auto bit = static_cast<unsigned>(lsb + i);
    value |= std::uint64_t{(port[bit / 32] >> (bit % 32)) & 1U} << i;
  }
  return value;
}

}  // namespace mx::rtl_test
