// The coverpoint of one rounding in formats of any width: last bit kept, first bit lost, the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  std::optional<Unpacked> most = {};  ///< the largest magnitude, where it is known
  std::optional<int> least = {};      ///< the exponent of the smallest, where that is not `lowest`

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

/// Is there one among odd numbers times powers of two, whose last place is that of a fixed weight
/// (`precision` nothing) or so many bits from the leading one?
[[nodiscard]] bool is_decision_of(const Decision& decision, std::span<const std::uint64_t> odd,
                                  std::optional<int> precision);

/// The bit of weight 2^position, and whether a one stands below it.
[[nodiscard]] bool bit_at(const Unpacked& value, int position);
[[nodiscard]] bool has_ones_below(const Unpacked& value, int position);

/// The coverpoint sign x lsb x guard x sticky x {normal, subnormal} (fixed point has no subnormals)
/// of finite numbers up to the format's last binade. Formats whose gaps are no power of two times
/// the exponent's (HiF8) or that have no zero get no bins.
class DecisionPoint {
 public:
  enum class Signs : std::uint8_t { kPositive, kBoth };

  /// Bins that no number of the extent can hit are unreachable; `odd`: what the numbers are, each
  /// times any power of two, or nothing where they are any.
  DecisionPoint(std::string name, std::string meaning, const ElementFormat& format,
                const Extent& extent, Signs signs, std::span<const std::uint64_t> odd = {});

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
