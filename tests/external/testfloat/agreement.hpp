// When another machine's result and flags are mxgold's.
#pragma once

#include <cstdint>
#include <span>

#include "tests/external/testfloat/functions.hpp"

namespace mx::external {

/// A result as TestFloat says it; flags: inexact 1, underflow 2, overflow 4, infinite 8, invalid
/// 16.
struct TestfloatAnswer {
  std::uint64_t code = 0;
  unsigned flags = 0;
};

/// mxgold's flags in TestFloat's bits.
[[nodiscard]] unsigned testfloat_flags(std::uint8_t flags);

/// The other machine's answer is ours: the code and all five flags. Which NaN comes out is the
/// machine's choice; that it is a quiet one is not.
[[nodiscard]] bool agrees(const TestfloatModel& model, std::span<const std::uint64_t> operands,
                          const Encoded& ours, const TestfloatAnswer& theirs);

}  // namespace mx::external
