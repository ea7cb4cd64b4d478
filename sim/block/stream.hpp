// A counter-based stream of words: schedules and configuration draws are pure functions of a seed.
#pragma once

#include <cstdint>

#include "reference/number/philox.hpp"

namespace mx::sim {

/// What a stream of words is for. Streams of one key never overlap.
enum class StreamUse : std::uint32_t {
  kInputStall = 1,
  kOutputStall,
  kReset,
  kOrder,
  kConfiguration,
  kShape,
  kRandomWord,
  kIdle,
  kResetShape,
  kMutation
};

/// Words of (key, use, substream), in order or at any position.
class Stream {
 public:
  constexpr Stream(std::uint64_t key, StreamUse use, std::uint32_t substream = 0)
      : key_(key), use_(static_cast<std::uint32_t>(use)), substream_(substream) {}

  /// Word i of the stream, whatever was drawn before.
  [[nodiscard]] constexpr std::uint32_t at(std::uint64_t i) const { return group(i / 4)[i % 4]; }
  /// The four words 4g to 4g+3.
  [[nodiscard]] constexpr PhiloxBlock group(std::uint64_t g) const {
    return philox4x32({static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(g >> 32),
                       substream_, use_ + 0x51D00000},
                      key_);
  }
  /// The next word in order.
  constexpr std::uint32_t next() {
    if (position_ % 4 == 0) buffer_ = group(position_ / 4);
    return buffer_[position_++ % 4];
  }
  /// A number in [0, bound), bound >= 1; the bias of bound / 2^32 does not matter for stimulus.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32);
  }

 private:
  std::uint64_t key_;
  std::uint32_t use_;
  std::uint32_t substream_;
  std::uint64_t position_ = 0;
  PhiloxBlock buffer_{};
};

}  // namespace mx::sim
