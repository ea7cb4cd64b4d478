// Dot products to be asked of matrix units: what was read, and what a unit gives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/units/operands.hpp"

namespace mx::cli {

/// Rows of A by rows of B, or each row of A by B's of the same number.
struct UnitJob {
  UnitMatrix a, b;
  ElementFormat result;
  bool is_paired = false;
  std::vector<std::uint64_t> c;    ///< an addend for each result
  std::optional<Origin> c_origin;  ///< of C's file, where there is one

  [[nodiscard]] std::uint64_t columns() const { return is_paired ? 1 : b.rows; }
  [[nodiscard]] std::uint64_t count() const { return a.rows * columns(); }
  [[nodiscard]] UnitConfig config(const MatrixUnit& unit) const {
    return {unit, a.side, b.side, result};
  }
  /// The shapes that C and results may have, that of results first.
  [[nodiscard]] std::vector<Lengths> shapes() const {
    return is_paired ? paired_shapes(a.leading) : result_shapes(a.leading, b.leading);
  }
  /// Why a unit does not compute this, in chunks of K (0: as a whole) ("" if it does).
  [[nodiscard]] std::string_view problem(const MatrixUnit& unit, std::uint64_t chunk) const;

  /// The first `count` results of a unit without a problem, `chunk` elements of K at a time (0: all
  /// of them).
  [[nodiscard]] std::vector<std::uint64_t> results(const MatrixUnit& unit, std::uint64_t chunk,
                                                   std::uint64_t count) const;
};

}  // namespace mx::cli
