// The vector kernels of Hadamard transforms, dispatched to the instructions of this machine. The
// machine's floating point rounds to nearest, ties to even, and flushes nothing.
#pragma once

#include <cstddef>

#include "fast/hadamard/hadamard.hpp"

namespace mx::fast::cpu {

/// Words, and where their values go.
struct HadamardRun {
  const std::byte* words;
  std::byte* values;
};

/// Groups that follow each other: a multiple of 16 elements.
void transform_lines(const HadamardPlan::Constants& c, const HadamardRun& run,
                     std::size_t elements);

/// Groups side by side: element i of the group of a column stands i * columns elements behind its
/// first.
void transform_columns(const HadamardPlan::Constants& c, const HadamardRun& run,
                       std::size_t columns);

}  // namespace mx::fast::cpu
