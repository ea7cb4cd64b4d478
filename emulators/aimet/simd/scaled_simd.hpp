// Elements under one scale, many at once, by 32-bit integers without a branch, which compilers turn
// into vector code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulators/aimet/element/kernel.hpp"
#include "emulators/common/vector_target.hpp"

namespace mx::emulators::aimet {

/// A kernel on binary32 in compat mode under one scale. The sign of the scale does not count: it
/// divides and multiplies.
class ScaledSimd {
 public:
  static constexpr int kMostMantissaBits = 10;

  /// Does a kernel have lanes? Its clamp must leave nothing beyond the largest value.
  [[nodiscard]] static bool applies(const Kernel& kernel);

  ScaledSimd(const Kernel& kernel, Bits scale, VectorTarget target = vector_target());

  /// Is the scale far enough from the ends of binary32?
  [[nodiscard]] bool valid() const { return is_valid_; }

  /// Results of elements, binary32 both. What is not certain goes through the kernel.
  void operator()(const std::byte* values, std::byte* results, std::size_t count) const;

 private:
  template <typename Rounding>
  void run(const Rounding& rounding, const std::byte* values, std::byte* results,
           std::size_t count) const;
  template <typename Rounding>
  bool round_certain(const Rounding& rounding, const std::byte* values, std::byte* results,
                     std::size_t count, std::uint32_t* doubts) const;

  const Kernel& kernel_;
  Bits scale_;
  VectorTarget target_;
  bool is_valid_ = false;
  std::int32_t least_ = 0;  ///< from this magnitude on quotients and results are normal
  std::int32_t top_ = 0;    ///< the largest result
};

}  // namespace mx::emulators::aimet
