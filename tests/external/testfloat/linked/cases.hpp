// TestFloat's generator of cases for mulAdd. Its state is global: one format at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tests/external/testfloat/linked/machine.hpp"
#include "tests/external/testfloat/linked/rand.hpp"

namespace mx::external {

struct CaseGenerator {
  void (*begin)(int level, std::uint64_t seed);
  std::uint64_t (*announced)();
  /// Fills the room with the next cases. How many: fewer than it holds only at the end.
  std::size_t (*make)(std::span<FusedOperands> room);
  /// Lets so many cases go by, after begin() and before the first of them, which draws no numbers.
  void (*leap)(std::uint64_t cases);
  /// What it draws from.
  Rand& rand;
};

/// Of "f16", "f32" or "f64".
[[nodiscard]] const CaseGenerator& case_generator(std::string_view format);

}  // namespace mx::external
