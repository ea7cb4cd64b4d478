// The values of a destination by rank, and where a source first reaches an exact value.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/certificates/certificate.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {

/// A ray of magnitudes: everything from `from` on, with it or without.
enum class RayEnd : std::uint8_t { kClosed, kOpen };
struct Ray {
  Unpacked from;
  RayEnd end = RayEnd::kClosed;
};

/// The magnitudes of a destination: spec V5.1.
struct RankLadder {
  /// y_0 < y_1 < ... < y_top, and y_(top + 1), where the ladder would go on.
  std::vector<Unpacked> values;
  /// Is the code of a rank odd (spec F9.3)?
  std::vector<bool> odd;
  /// The code of each rank of + and -; - may have one more (the most negative integer).
  std::array<std::vector<std::uint8_t>, 2> codes;
  /// Formats without zero: the spacing of the grid below the smallest value; zero for the others.
  Unpacked grid;
};
[[nodiscard]] RankLadder rank_ladder(const ElementFormat& destination);

/// (a + b) / 2, exactly, for a < b of nearly the same exponent (or a = 0).
[[nodiscard]] Unpacked midpoint(const Unpacked& a, const Unpacked& b);

/// The values that round to the upper of two neighbours or above: the table of spec V5.3.
[[nodiscard]] Ray ray_of(LadderKind kind, const Unpacked& lower, const Unpacked& upper,
                         bool lower_is_odd);

/// The first magnitude pattern of an IEEE-like source on the ray; the pattern of +Inf if none is.
[[nodiscard]] std::uint32_t first_pattern(const ElementFormat& source, const Ray& ray);

}  // namespace mx::golden
