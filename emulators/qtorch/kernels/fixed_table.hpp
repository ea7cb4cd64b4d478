// Clamped fixed point of few bits: the codes as patterns, and the two roundings to a code without
// branches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {

/// The codes of a clamping format: counts of 2^-fl, from least() to most().
class FixedTable {
 public:
  /// Where the values cannot leave binary32, and the table pays for itself.
  [[nodiscard]] static bool takes(const FixedCall& call, std::size_t values) {
    return call.clamp && call.wl >= 2 && call.wl <= 12 && call.fl >= -100 && call.fl <= 100 &&
           call.rounding != Rounding::kDocLiteral && values >> call.wl != 0;
  }

  explicit FixedTable(const FixedCall& call)
      : most_((1 << (call.wl - 1)) - 1), least_(call.symmetric ? -most_ : -most_ - 1) {
    for (std::int32_t code = least_; code <= most_; ++code) {
      const auto size = static_cast<std::uint32_t>(code < 0 ? -code : code);
      patterns_.push_back((code < 0 ? fp32::kSignBit : 0) |
                          assembled(size, 150 - static_cast<int>(call.fl)));
    }
  }

  /// Patterns by code, from least() to most().
  [[nodiscard]] const Bits* zero() const { return patterns_.data() - least_; }
  [[nodiscard]] std::int32_t least() const { return least_; }
  [[nodiscard]] std::int32_t most() const { return most_; }

  [[nodiscard]] FixedResult operator()(std::int64_t code) const {
    const std::int64_t inside = std::clamp<std::int64_t>(code, least_, most_);
    return {patterns_[static_cast<std::size_t>(inside - least_)], inside != code};
  }

 private:
  std::int32_t most_;
  std::int32_t least_;
  std::vector<Bits> patterns_;
};

/// The code of a finite or infinite x before clamping; large ones beyond every code of a table.
[[nodiscard]] constexpr std::int64_t nearest_code(Bits x, int fl) {
  const Parts parts = parts_of(magnitude_of(x));
  const int shift = std::max(150 - parts.field - fl, 1);
  const std::int64_t size = shifted_to_even(parts.significand, shift);
  const std::int64_t sign = -static_cast<std::int64_t>(x >> 31);
  return (size ^ sign) - sign;
}

/// x * 2^fl in units of 2^-32, cut toward zero, for magnitudes below 2^22; larger ones stay beyond
/// 2^21. Binary32's own subnormals come out as other numbers below 2^-26, fl being at most 100.
[[nodiscard]] constexpr std::int64_t cut_units(Bits x, int fl) {
  const std::uint64_t significand = (x & 0x007FFFFF) | 0x00800000;
  const std::uint64_t units =
      (significand << 31) >> std::clamp(149 - exponent_field(x) - fl, 0, 63);
  const std::int64_t sign = -static_cast<std::int64_t>(x >> 31);
  return (static_cast<std::int64_t>(units) ^ sign) - sign;
}

/// The same of every number; what lies below the unit stays as a one in the last place.
[[nodiscard]] constexpr std::int64_t in_units(Bits x, int fl) {
  const Parts parts = parts_of(magnitude_of(x));
  const std::uint64_t scaled = std::uint64_t{parts.significand} << 31;
  const int shift = std::clamp(149 - parts.field - fl, 0, 63);
  const std::uint64_t units = scaled >> shift;
  const std::uint64_t lost = (units << shift) != scaled ? 1 : 0;
  const std::int64_t sign = -static_cast<std::int64_t>(x >> 31);
  return (static_cast<std::int64_t>(units | lost) ^ sign) - sign;
}

/// The sum that binary32 rounds, in units of 2^-32: to 24 significant bits, ties to even.
[[nodiscard]] constexpr std::int64_t rounded_sum(std::int64_t sum) {
  const std::int64_t sign = sum >> 63;
  const auto magnitude = static_cast<std::uint64_t>((sum ^ sign) - sign);
  const int dropped = std::max(40 - std::countl_zero(magnitude | 1), 0);
  const std::uint64_t odd = (magnitude >> dropped) & static_cast<std::uint64_t>(dropped > 0);
  const std::uint64_t below_half = ((std::uint64_t{1} << dropped) - 1) >> 1;
  const std::uint64_t rounded = (magnitude + below_half + odd) >> dropped << dropped;
  return (static_cast<std::int64_t>(rounded) ^ sign) - sign;
}

/// RNE(sum - 1/2) of a sum in units of 2^-32.
[[nodiscard]] constexpr std::int64_t below_half(std::int64_t sum) {
  const std::int64_t floor = sum >> 32;
  const std::int64_t is_integer = (sum & 0xFFFFFFFF) == 0 ? 1 : 0;
  return floor - (floor & is_integer);
}

}  // namespace mx::emulators::qtorch
