// The element types of AIMET's FloatQuantizeDequantize: exponent bits, mantissa bits and two flags.
// spec S8.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulators/common/interface.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// The types that torch has itself, which the package casts to and back: name, exponent bits,
/// mantissa bits, finite, unsigned_zero.
#define MX_AIMET_DTYPE(X)                                 \
  X(kFloat16, "float16", 5, 10, false, false)             \
  X(kBfloat16, "bfloat16", 8, 7, false, false)            \
  X(kFloat8E4m3fn, "float8_e4m3fn", 4, 3, true, false)    \
  X(kFloat8E4m3fnuz, "float8_e4m3fnuz", 4, 3, true, true) \
  X(kFloat8E5m2, "float8_e5m2", 5, 2, false, false)       \
  X(kFloat8E5m2fnuz, "float8_e5m2fnuz", 5, 2, true, true)
MX_POLICY(AimetDtype, MX_AIMET_DTYPE);

}  // namespace mx

namespace mx::emulators::aimet {

using Dtype = AimetDtype;

struct FloatInfo {
  int exponent_bits = 0;  ///< 0..8; strict: 1..8
  int mantissa_bits = 0;  ///< 0..23
  /// No infinities (the package's documentation says the opposite).
  bool finite = false;
  /// No negative zero.
  bool unsigned_zero = false;

  constexpr bool operator==(const FloatInfo&) const = default;

  [[nodiscard]] constexpr int bitwidth() const { return 1 + exponent_bits + mantissa_bits; }
  /// Of the top exponent field, which the formula of the maximum leaves out: 2^(E-1) - 1.
  [[nodiscard]] constexpr int bias() const { return ((1 << exponent_bits) - 1) / 2; }
  /// floor(log2(largest value)).
  [[nodiscard]] int emax() const;
  /// The torch type with these facts, if there is one.
  [[nodiscard]] std::optional<Dtype> dtype() const;
  /// "float8_e4m3fn", "float6_e3m2".
  [[nodiscard]] std::string name() const;
  /// The largest value: (2 - 2^-M) * 2^bias but for the finite types.
  [[nodiscard]] Unpacked max() const;
  /// The same rounded once to binary32.
  [[nodiscard]] std::uint32_t max_fp32() const;
  /// The values as a descriptor: subnormals from 1 - bias on, saturating at max().
  [[nodiscard]] ElementFormat format() const;
};

/// float4_e2m1fn, which torch does not have and AIMET simulates.
inline constexpr FloatInfo kFloat4E2m1fn = {2, 1, true, false};

[[nodiscard]] FloatInfo info_of(Dtype dtype);

/// A type of the constructor: ValueError outside the emulator's ranges, RuntimeError where the
/// package refuses the combination.
[[nodiscard]] Checked<FloatInfo> make_info(const FloatInfo& wanted, Mode mode);

/// Where the package puts a type's largest value: the buffer of a quantizer, the bound of a clamp.
enum class MaximumUse : std::uint8_t { kBuffer, kBound };

/// Compat: without mantissa bits the largest value is a Python integer; why torch cannot take it
/// there, "" if it can. The buffer is one of int64, the clamp takes up to 64 bits.
[[nodiscard]] std::string_view maximum_problem(const FloatInfo& info, Mode mode, MaximumUse use);

}  // namespace mx::emulators::aimet
