// The C++ functions and CUDA kernels on a binary32 pattern: exact integer arithmetic that takes NaN
// patterns for numbers and has one zero. spec S7.4 (MS-C).
#pragma once

#include <cstdint>

#include "emulators/common/machine.hpp"
#include "emulators/microxcaling/kernels/element_config.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

class KernelElement {
 public:
  explicit KernelElement(const ElementConfig& config)
      : round_(config.round),
        is_integer_(config.is_integer()),
        saturates_(config.saturate_normals || config.is_integer()),
        dropped_(24 - (config.bits - 1)),
        field_offset_((is_integer_ ? 1 : (1 << (config.exp_bits - 1)) - 1) - 127),
        first_field_(config.allow_denorm || is_integer_ ? 0 : 1 - field_offset_),
        max_norm_(largest(config.max_norm)) {}

  [[nodiscard]] Bits operator()(Bits x) const {
    const Bits sign = x & 0x80000000;
    const Bits magnitude = x & 0x7FFFFFFF;
    const int field = static_cast<int>(magnitude >> 23);
    if (magnitude == 0 || field < first_field_) return 0;
    // binary32 subnormals have no hidden bit and a window of 23 bits; with 23 bits kept the shift
    // count is -1 on the way, and x86 shifts everything out.
    const bool is_subnormal = field == 0;
    if (is_subnormal && dropped_ == 1) return 0;
    const int lost_below = field + field_offset_ <= 0 ? 1 - (field + field_offset_) : 0;
    const int drop = dropped_ + (lost_below > 24 ? 24 : lost_below) - (is_subnormal ? 1 : 0);
    if (drop > 25) return 0;
    const Bits significand = (magnitude & 0x007FFFFF) | (is_subnormal ? 0 : 0x00800000);
    Bits kept = rounded_off(significand, drop);
    if (kept == 0) return 0;
    // A significand that overflows carries into the exponent field, from 255 on into the sign.
    const Bits base = is_subnormal ? 0 : static_cast<Bits>(field - 1) << 23;
    const Bits result = (base + kept) | sign;
    if ((result & 0x7FFFFFFF) > 0x7F800000 || (result & 0x7FFFFFFF) <= max_norm_) return result;
    return sign | (saturates_ ? max_norm_ : fp32::kInfinity);
  }

 private:
  /// The parameter as a C++ float.
  [[nodiscard]] static Bits largest(std::uint64_t max_norm) {
    if (max_norm == Fp64::kInfinity) return fp32::kInfinity;
    return static_cast<Bits>(Fp32::rounded(Fp64::value(max_norm)));
  }

  [[nodiscard]] Bits rounded_off(Bits significand, int drop) const {
    const Bits half = Bits{1} << (drop - 1);
    const Bits cut = significand >> drop << drop;
    if (round_ == RoundingMode::kFloor) return cut;
    // Integers are not rounded up out of their bits: that is left to the maximum.
    const bool is_full =
        is_integer_ && significand >> (drop - 1) == (Bits{1} << (25 - dropped_)) - 1;
    if (is_full) return cut;
    if (round_ == RoundingMode::kNearest) return (significand + half) >> drop << drop;
    return (significand + half - 1 + (significand >> drop & 1)) >> drop << drop;
  }

  RoundingMode round_;
  bool is_integer_;
  bool saturates_;
  int dropped_;       ///< bits of a 24-bit significand below the kept ones
  int field_offset_;  ///< the element's exponent field minus binary32's
  int first_field_;   ///< smaller exponent fields are flushed
  Bits max_norm_;
};

}  // namespace mx::emulators::microxcaling
