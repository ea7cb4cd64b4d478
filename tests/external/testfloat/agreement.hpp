// When another machine's result and flags are mxgold's.
#pragma once

#include <array>
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
[[nodiscard]] constexpr unsigned testfloat_flags(unsigned flags) {
  const auto bit = [flags](unsigned flag, unsigned theirs) {
    return (flags & flag) != 0 ? theirs : 0U;
  };
  return bit(kFlagInexact, 1) | bit(kFlagUnderflow, 2) | bit(kFlagOverflow, 4) |
         bit(kFlagDivideByZero, 8) | bit(kFlagInvalid, 16);
}

/// The same of every byte of flags: most of what agrees() does.
inline constexpr std::array<std::uint8_t, 256> kTestfloatFlags = [] {
  std::array<std::uint8_t, 256> all{};
  for (unsigned flags = 0; flags < all.size(); ++flags) {
    all[flags] = static_cast<std::uint8_t>(testfloat_flags(flags));
  }
  return all;
}();

/// The other machine's answer is ours: the code and all five flags. Which NaN comes out is the
/// machine's choice; that it is a quiet one is not.
[[nodiscard]] bool agrees_but_for_nan(const TestfloatModel& model,
                                      std::span<const std::uint64_t> operands, const Encoded& ours,
                                      const TestfloatAnswer& theirs);
[[nodiscard]] inline bool agrees(const TestfloatModel& model,
                                 std::span<const std::uint64_t> operands, const Encoded& ours,
                                 const TestfloatAnswer& theirs) {
  if (ours.code == theirs.code && kTestfloatFlags[ours.flags] == theirs.flags) return true;
  return agrees_but_for_nan(model, operands, ours, theirs);
}

}  // namespace mx::external
