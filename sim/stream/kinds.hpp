// Blocks for statements about the stream: two kinds, and what the reference answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mx::sim {

inline constexpr std::size_t kStreamWords = 4;

/// Blocks of so many beats of so many lanes.
struct Shape {
  int lanes = 32;
  int beats = 1;
  /// Beats of the block that is marked: it ends early where it can.
  [[nodiscard]] int marked_beats() const { return beats == 1 ? 1 : beats - 1; }
};

/// A block of beats that repeat four words, its configuration, and the reference's answer.
struct Kind {
  std::uint32_t config_word = 0;
  std::array<std::uint64_t, kStreamWords> words = {};
  int elements = 0;
  std::uint32_t random = 0;
  std::array<std::uint64_t, kStreamWords> codes = {};
  std::uint16_t status = 0;
};

/// The block that is marked, which lacks four lanes of its last beat, and all others. They differ
/// in every field of their answers.
struct Kinds {
  Kind marked;
  Kind other;
};

/// e2m1fn, toward_negative, floor, the maximum of finite words: saturates, with NaN and Inf.
/// e5m2, ties_to_even, ceil: so small that the scale is clamped.
[[nodiscard]] Kinds deterministic_kinds(const Shape& shape);

/// e4m3fn, stochastic A with every random bit; a block of zeros whose scale is that of 1, whose
/// random words have no bit.
[[nodiscard]] Kinds stochastic_kinds(const Shape& shape);

}  // namespace mx::sim
