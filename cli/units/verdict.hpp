// Given results beside those of matrix units.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cli/base/error.hpp"
#include "reference/unit/unit_dot.hpp"

namespace mx::cli {

/// How one unit's results compare with those given.
struct UnitVerdict {
  const MatrixUnit* unit = nullptr;
  std::uint64_t chunk = 0;  ///< elements of K that the unit sums at a time; 0: all of them
  std::uint64_t equal = 0;
  /// NaN codes and signs of zeros that no source settles, whatever the bits: not compared.
  std::uint64_t open = 0;
  std::uint64_t different = 0;
  std::uint64_t first = 0;  ///< the first different one, and both codes
  std::uint64_t want = 0;
  std::uint64_t got = 0;
};

[[nodiscard]] constexpr std::uint64_t compared(const UnitVerdict& verdict) {
  return verdict.equal + verdict.different;
}

/// Does a unit give every result? Open bits alone explain nothing.
[[nodiscard]] constexpr bool explains(const UnitVerdict& verdict) {
  return verdict.different == 0 && verdict.equal > 0;
}

[[nodiscard]] UnitVerdict unit_verdict(const MatrixUnit& unit, const ElementFormat& result,
                                       std::span<const std::uint64_t> unit_gives,
                                       std::span<const std::uint64_t> expected);

/// Prints a line a unit and which of them explain every result; kMismatch where none does,
/// kBadInput where nothing could be compared, kUsage where none was asked. `left_out` units do not
/// take the operands.
[[nodiscard]] Exit report_verdicts(std::span<const UnitVerdict> verdicts,
                                   const ElementFormat& result, std::size_t left_out, bool is_json);

}  // namespace mx::cli
