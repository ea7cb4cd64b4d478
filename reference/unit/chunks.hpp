// A dot product that a kernel takes in chunks of K on a matrix unit: spec U6.
#pragma once

#include <cstdint>

#include "reference/unit/unit_dot.hpp"

namespace mx {

/// The unit sums each chunk of `chunk` elements (the last one may be shorter) from +0; the sums are
/// added in the order of K, each by one round to nearest even in the result's format. A value type.
class ChunkedDot {
 public:
  /// Of a unit on these formats, or why there is none: what UnitDot::make() says, and what
  /// problem() does.
  [[nodiscard]] static Checked<ChunkedDot> make(const UnitConfig& config, std::size_t chunk);

  /// Why K cannot be taken in such chunks ("" if it can): none of an element or more, a block of
  /// scales cut through, a chunk that the unit's tree of sums does not take.
  [[nodiscard]] static std::string_view problem(const UnitConfig& config, std::size_t chunk);

  /// The code of A * B. Operands as UnitDot's.
  [[nodiscard]] std::uint64_t operator()(const DotOperand& a, const DotOperand& b) const;

 private:
  ChunkedDot(const UnitDot& dot, std::size_t chunk) : dot_(dot), chunk_(chunk) {}

  UnitDot dot_;
  std::size_t chunk_;
};

}  // namespace mx
