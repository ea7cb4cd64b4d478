// Stimuli of the probe: independent dot products, made from a stated seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/device/matrix/instructions.hpp"

namespace mx::probe {

inline constexpr std::uint64_t kSeed = 0x6d78676f6c643930;

/// A class of stimuli. Counts are multiples of 8: a tile holds 8 dot products.
struct StimulusClass {
  std::string_view name;
  std::size_t count;
};

inline constexpr std::array kClasses{
    StimulusClass{"exact", 256},  // small whole numbers: every rule agrees, so only layout can fail
    StimulusClass{"mid", 2048},   // mid-range, as in spec U5
    StimulusClass{"wide", 2560},  // exponents far apart, C at any distance
    StimulusClass{"bottom", 3584},   // bottom of the range: subnormal inputs, C and results; zeros
    StimulusClass{"top", 2048},      // overflow, products above the range that cancel
    StimulusClass{"special", 2048},  // Inf and NaN in inputs and C
    StimulusClass{"zeros", 1024},    // signs of zeros
    StimulusClass{"order",
                  3072},          // a cancelling pair and one small term: which lanes share a group
    StimulusClass{"ties", 2560},  // rounding of the result, and the last kept bit
};

/// One code a word: a and b have k words a dot product.
struct DotProducts {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<std::uint32_t> c;
};

/// The same formats and k have the same stimuli, whatever the unit.
DotProducts make_stimuli(const Instruction& instruction, const StimulusClass& stimulus);

}  // namespace mx::probe
