// D = A * B + C as a named matrix unit computes it: spec U1 and U2.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/dot/dot.hpp"
#include "reference/policy/checked.hpp"
#include "reference/unit/unit.hpp"

namespace mx {

/// One dot product on a matrix unit. A value type.
class UnitDot {
 public:
  /// The unit on these formats, or why it does not take them: what problem() says.
  [[nodiscard]] static Checked<UnitDot> make(const UnitConfig& config);

  /// Why a configuration cannot be used ("" if it can): formats that the unit does not multiply,
  /// scales missing, too many or of other blocks, a result that it does not give.
  [[nodiscard]] static std::string_view problem(const UnitConfig& config);

  /// Why the unit cannot sum `elements` products ("" if it can): none, or a number of which its
  /// tree of sums has no whole groups.
  [[nodiscard]] static std::string_view size_problem(const UnitConfig& config,
                                                     std::size_t elements);

  /// The unit sums multiples of so many products.
  [[nodiscard]] static std::size_t whole_group(const MatrixUnit& unit);

  [[nodiscard]] const UnitConfig& config() const { return config_; }

  /// The code of D. Both sides hold the same number of codes, without bits above their format's,
  /// and a scale for each of their blocks where the unit takes scales (none otherwise); the tensor
  /// scales of the operands are not looked at. `c` is a code of the result's format, 0 where
  /// nothing is added.
  [[nodiscard]] std::uint64_t operator()(const DotOperand& a, const DotOperand& b,
                                         std::uint64_t c) const;

 private:
  explicit UnitDot(const UnitConfig& config) : config_(config) {}

  UnitConfig config_;
};

/// Are two results the same, as far as the unit's row says? `want` is the unit's: where it is a NaN
/// whose code is open, or a zero whose sign is, any NaN or zero is kOpen, the same bits too.
enum class UnitMatch : std::uint8_t { kEqual, kOpen, kDifferent };
[[nodiscard]] UnitMatch match(const MatrixUnit& unit, const ElementFormat& result,
                              std::uint64_t want, std::uint64_t got);

}  // namespace mx
