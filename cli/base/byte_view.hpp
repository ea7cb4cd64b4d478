// Bytes as what the packings and swizzles of reference/tensor take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::cli {

inline std::span<const std::uint8_t> bytes_of(std::span<const std::byte> span) {
  return {reinterpret_cast<const std::uint8_t*>(span.data()), span.size()};
}

inline std::span<std::uint8_t> bytes_of(std::span<std::byte> span) {
  return {reinterpret_cast<std::uint8_t*>(span.data()), span.size()};
}

}  // namespace mx::cli
