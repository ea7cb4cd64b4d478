// The codes of values that a destination has no code for: beyond its range, infinite, NaN.
#pragma once

#include <cstdint>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::fast::cpu {

/// What stands for a value of one sign that has no code of its own: spec F10.1 and F10.3.
class Ends {
 public:
  Ends(const ElementFormat& format, const ElementPolicy& policy, bool negative)
      : f_(format), p_(policy), negative_(negative) {}

  [[nodiscard]] std::uint64_t largest(IntMin int_min) const {
    if (!negative_) return f_.max_code;
    if (f_.kind != FormatKind::kTwosComplement) return f_.max_code | f_.sign_bit();
    const std::uint64_t magnitude = f_.max_code + (int_min == IntMin::kAllow ? 1 : 0);
    return (0 - magnitude) & f_.code_mask();
  }

  [[nodiscard]] std::uint64_t overflow() const {
    const std::uint64_t end = largest(p_.int_min);
    if (!f_.has_inf() && !f_.has_nan()) return end;
    switch (p_.overflow) {
      case Overflow::kSatFinite:
      case Overflow::kSatFiniteKeepInf:
      case Overflow::kPropagateInf:
        return end;
      case Overflow::kNoneP3109V4:
        return f_.has_inf() && !stays_inside() ? infinite() : largest(IntMin::kClampSymmetric);
      case Overflow::kAlwaysInfOrNan:
        return infinite();
      case Overflow::kNoneInfOrNan:
      case Overflow::kNoneP310920260714:
        break;
    }
    return stays_inside() ? end : infinite();
  }

  [[nodiscard]] std::uint64_t infinity() const {
    const std::uint64_t end = largest(p_.int_min);
    if (!f_.has_inf() && !f_.has_nan()) return end;
    switch (p_.overflow) {
      case Overflow::kSatFinite:
        return end;
      case Overflow::kPropagateInf:
        return f_.has_inf() ? infinite() : end;
      case Overflow::kNoneP3109V4:
        return f_.has_inf() ? infinite() : largest(IntMin::kClampSymmetric);
      default:
        return infinite();
    }
  }

  [[nodiscard]] std::uint64_t nan() const {
    switch (p_.nan) {
      case NanPolicy::kCanonicalPositive:
        return f_.has_nan() ? f_.canonical_nan : f_.max_code;
      case NanPolicy::kKeepSign:
        return f_.has_nan() ? signed_nan() : largest(IntMin::kClampSymmetric);
      case NanPolicy::kToSignedMax:
        return largest(IntMin::kClampSymmetric);
      case NanPolicy::kToPositiveMax:
        return f_.max_code;
      case NanPolicy::kToMin:
        return f_.is_signed ? Ends(f_, p_, true).largest(IntMin::kAllow) : 0;
      case NanPolicy::kToOppositeZero:
        break;
    }
    return negative_ || f_.zero != ZeroKind::kPosAndNeg ? 0 : f_.sign_bit();
  }

 private:
  [[nodiscard]] std::uint64_t signed_nan() const {
    return f_.canonical_nan | (negative_ && f_.nan_has_sign() ? f_.sign_bit() : 0);
  }
  [[nodiscard]] std::uint64_t infinite() const {
    if (f_.has_inf()) return f_.inf_code() | (negative_ ? f_.sign_bit() : 0);
    return f_.has_nan() ? signed_nan() : largest(IntMin::kClampSymmetric);
  }
  /// Does the rounding keep values of this sign below the next code, however close they are?
  [[nodiscard]] bool stays_inside() const {
    return p_.rounding == Rounding::kTowardZero ||
           p_.rounding == (negative_ ? Rounding::kTowardPositive : Rounding::kTowardNegative);
  }

  const ElementFormat& f_;
  const ElementPolicy& p_;
  bool negative_;
};

}  // namespace mx::fast::cpu
