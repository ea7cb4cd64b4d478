// Simpler words to try in place of one. spec V11.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/shrink/case.hpp"

namespace mx::sim {

/// Words that a slot may hold and that are simpler than `word`, the simplest first: at rest; one;
/// fewer significand bits; exponents nearer to 1; positive. Every step makes the word simpler by
/// one measure, so that going from word to word ends.
[[nodiscard]] std::vector<std::uint64_t> simpler_words(const Slot& slot, std::uint64_t word);

/// Does a slot hold a number of a floating-point format?
[[nodiscard]] bool is_number(const Slot& slot);

/// The finite number with one of its clear significand bits set, each in turn, the lowest first:
/// beside its others, and alone. Nothing of other words.
[[nodiscard]] std::vector<std::uint64_t> with_another_bit(const Slot& slot, std::uint64_t word);

/// The exponent field of a number of a floating-point format over that of 1; 0 for every other.
[[nodiscard]] int exponent_over_one(const Slot& slot, std::uint64_t word);

/// The number times 2^-by; the word itself where that is no normal number.
[[nodiscard]] std::uint64_t scaled_down(const Slot& slot, std::uint64_t word, int by);

}  // namespace mx::sim
