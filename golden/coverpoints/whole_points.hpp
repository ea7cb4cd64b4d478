// Coverpoints of rounding to whole numbers: where between two of them a value lies, and where it
// lies next to the ends of an integer type.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {

/// The coverpoint `fraction`: sign, the parity of the whole number at or below the magnitude, and
/// what remains: nothing, less than a half, a half, more.
class FractionPoint {
 public:
  FractionPoint();
  void sample(const Unpacked& value);
  void exclude_what(const FractionPoint& witnesses) { point_.exclude_what(witnesses.point_); }
  void append_to(std::vector<Coverpoint>& points) const { points.push_back(point_); }

 private:
  Coverpoint point_;
};

/// The coverpoint `end`: how far a number lies beyond the largest or the least integer, in halves
/// and what is between them, within 1 on either side.
class EndPoint {
 public:
  /// Bins that no number of `format` falls into are unreachable.
  EndPoint(const ElementFormat& format, const ElementFormat& integer);
  void sample(const Unpacked& value);
  void append_to(std::vector<Coverpoint>& points) const { points.push_back(point_); }

 private:
  ElementFormat integer_;
  Coverpoint point_;
};

}  // namespace mx::golden
