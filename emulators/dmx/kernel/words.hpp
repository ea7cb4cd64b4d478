// Random words as a kernel draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::emulators::dmx {

/// Gives the words of a span one by one and counts how many were asked for; beyond the end, zeros.
class Words {
 public:
  Words() = default;
  explicit Words(std::span<const std::uint32_t> words) : words_(words) {}

  [[nodiscard]] std::uint32_t draw() {
    const std::size_t index = drawn_++;
    return index < words_.size() ? words_[index] : 0;
  }
  [[nodiscard]] std::size_t drawn() const { return drawn_; }

 private:
  std::span<const std::uint32_t> words_;
  std::size_t drawn_ = 0;
};

}  // namespace mx::emulators::dmx
