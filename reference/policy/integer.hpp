// Integers as machines have them, and what a conversion to them does with what they cannot hold.
#pragma once

#include <array>
#include <cstdint>

#include "reference/policy/token.hpp"

namespace mx {

/// Whether the most significant bit of an integer counts negatively: two's complement.
enum class IntegerSign : std::uint8_t { kUnsigned, kSigned };

/// Integer types by the number of their bits.
#define MX_INTEGER_TYPE(X)      \
  X(kI8, "i8", 8, kSigned)      \
  X(kU8, "u8", 8, kUnsigned)    \
  X(kI16, "i16", 16, kSigned)   \
  X(kU16, "u16", 16, kUnsigned) \
  X(kI32, "i32", 32, kSigned)   \
  X(kU32, "u32", 32, kUnsigned) \
  X(kI64, "i64", 64, kSigned)   \
  X(kU64, "u64", 64, kUnsigned)
MX_POLICY(IntegerType, MX_INTEGER_TYPE);

/// The integer that to_integer gives for NaN and for what, rounded, lies beyond the type (spec
/// F1.2). Each raises invalid alone.
#define MX_OUT_OF_RANGE(X)                                                                 \
  X(kSaturateNanMax, "saturate_nan_max")   /* the nearest end; NaN: the largest. RISC-V */ \
  X(kSaturateNanZero, "saturate_nan_zero") /* the nearest end; NaN: 0. ARM */              \
  X(kIndefinite, "indefinite")             /* signed: the most negative; unsigned: all ones. x86 */
MX_POLICY(OutOfRange, MX_OUT_OF_RANGE);

/// Between what integers and what else a conversion goes.
struct IntegerConversion {
  IntegerType type = IntegerType::kI32;
  OutOfRange out_of_range = OutOfRange::kSaturateNanMax;  ///< to_integer only
  constexpr bool operator==(const IntegerConversion&) const = default;
};

}  // namespace mx
