// The files of the probe: sections, one for each instruction and class, little-endian.
//
// A section is 64 bytes of header and four arrays. Header: instruction's name (32 bytes), class
// (16), then four 32-bit words: k, bytes of an input code, dot products n, dot products whose
// copies elsewhere in the tile differed. Arrays: a and b (n * k codes each), c and d (n 32-bit
// words each).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/device/accumulators/stimuli.hpp"
#include "tests/device/matrix/ask.hpp"

namespace mx::probe {

/// What computes the dot products of packed words.
using Run = Answer (*)(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                       const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c);

/// Zeros for every dot product: stimuli for a judge's own test.
Answer run_nothing(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                   const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c);

/// Writes every set into an existing folder; false, and a line on stderr, where a file cannot be.
bool write_sets(const std::string& folder, Run run);

}  // namespace mx::probe
