// Lines of memory asked for before they are needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mx::fast {

/// Asks for the lines of `bytes` bytes that begin `distance` bytes behind an address. They need not
/// be anybody's: a line that cannot be had is left.
// Inlined in any case: g++ takes a function that only asks for lines for one without effect.
[[gnu::always_inline]] inline void fetch_ahead(const void* from, std::size_t distance,
                                               std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(from) + distance;
  for (std::size_t i = 0; i < bytes; i += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + i));
  }
}

}  // namespace mx::fast
