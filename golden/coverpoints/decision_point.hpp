// The coverpoint of one rounding in formats of any width: last bit kept, first bit lost, the rest.
#pragma once

#include <string>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {

/// What is known of a number that is not zero: a multiple of 2^lowest below 2^(highest + 1) with at
/// most `width` bits from its first one to its last.
struct Extent {
  int lowest = 0;
  int highest = 0;
  int width = 1;

  /// The same of what a format makes of it.
  [[nodiscard]] Extent in(const ElementFormat& format) const;
};

/// The bits of a rounding; `subnormal`: the number lies below the smallest normal one.
struct Decision {
  bool subnormal = false;
  bool negative = false;
  bool lsb = false;
  bool guard = false;
  bool sticky = false;
};

/// Is there such a decision among numbers of an extent? Every number of the extent may be there.
[[nodiscard]] bool is_decision(const Decision& decision, const Extent& extent,
                               const ElementFormat& format);

/// The bit of weight 2^position, and whether a one stands below it.
[[nodiscard]] bool bit_at(const Unpacked& value, int position);
[[nodiscard]] bool has_ones_below(const Unpacked& value, int position);

/// The coverpoint sign x lsb x guard x sticky x {normal, subnormal} (fixed point has no subnormals)
/// of finite numbers up to the format's last binade. Formats whose gaps are no power of two times
/// the exponent's (HiF8) or that have no zero get no bins.
class DecisionPoint {
 public:
  enum class Signs : std::uint8_t { kPositive, kBoth };

  /// Bins that no number of the extent can hit are unreachable.
  DecisionPoint(std::string name, std::string meaning, const ElementFormat& format,
                const Extent& extent, Signs signs);

  void sample(const Unpacked& value);
  /// Can a number of the extent lose a bit?
  [[nodiscard]] bool loses() const { return loses_; }
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  ElementFormat format_;
  Coverpoint point_;
  bool loses_ = false;
};

}  // namespace mx::golden
