// Elements under one scale, many at once: the quotient by the scale's reciprocal, its rounding and
// the product by 32-bit integers without a branch, which compilers turn into vector code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/systems/aimet/element/kernel.hpp"

namespace mx::systems::aimet {

/// A kernel on binary32 in compat mode under one scale. The sign of the scale does not count: it
/// divides and multiplies.
class ScaledLanes {
 public:
  static constexpr int kMostMantissaBits = 10;

  /// Does a kernel have lanes? Its clamp must leave nothing beyond the largest value.
  [[nodiscard]] static bool applies(const Kernel& kernel);

  ScaledLanes(const Kernel& kernel, Bits scale);

  /// Is the scale far enough from the ends of binary32?
  [[nodiscard]] bool valid() const { return is_valid_; }

  /// Results of elements, binary32 both. What is not certain goes through the kernel.
  void operator()(const std::byte* values, std::byte* results, std::size_t count) const;

 private:
  /// At most so many elements are rounded before the doubtful ones are looked for.
  static constexpr std::size_t kStretch = 64;

  template <bool kWide>
  void run(const std::byte* values, std::byte* results, std::size_t count) const;
  template <bool kWide>
  bool round_certain(const std::byte* values, std::byte* results, std::size_t count,
                     std::uint32_t* doubts) const;

  const Kernel& kernel_;
  Bits scale_;
  bool is_valid_ = false;
  int mantissa_bits_;
  std::uint32_t significand_ = 0;
  std::uint32_t reciprocal_ = 0;  ///< 2^55 / significand, cut
  std::int32_t least_ = 0;        ///< from this magnitude on quotients and results are normal
  std::int32_t top_ = 0;          ///< the largest result
};

}  // namespace mx::systems::aimet
