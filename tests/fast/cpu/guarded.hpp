// Outputs that notice what is written beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace mx::fast::test {

/// Bytes around the outputs of a call that it may not touch.
inline constexpr std::size_t kGuard = 64;
inline constexpr std::byte kUntouched{0xA5};

/// A buffer at an odd address between guards.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size), bytes_(size + 2 * kGuard + 1, kUntouched) {}
  [[nodiscard]] std::span<std::byte> span() { return std::span(bytes_).subspan(kGuard + 1, size_); }
  [[nodiscard]] bool guards_hold() const {
    const auto is_untouched = [](std::byte b) { return b == kUntouched; };
    return std::all_of(bytes_.begin(), bytes_.begin() + kGuard + 1, is_untouched) &&
           std::all_of(bytes_.end() - kGuard, bytes_.end(), is_untouched);
  }

 private:
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

}  // namespace mx::fast::test
