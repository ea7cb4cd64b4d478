// The number classes of QPyTorch and its rounding modes. spec S4.1, S4.6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/policy/checked.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// How a value between two representable ones is rounded.
#define MX_QTORCH_ROUNDING(X)  \
  X(kStochastic, "stochastic") \
  X(kNearest, "nearest")       \
  X(kDocLiteral, "doc_literal") /* the formula of FixedPoint's text: ties toward -Inf */
MX_POLICY(QtorchRounding, MX_QTORCH_ROUNDING);

}  // namespace mx

namespace mx::emulators::qtorch {

using Rounding = QtorchRounding;

/// Multiples of 2^-fl in [-2^(wl-fl-1), 2^(wl-fl-1) - 2^-fl]; `symmetric` drops the smallest one,
/// without `clamp` only the precision is simulated.
struct FixedPoint {
  std::int64_t wl = 0;  ///< word length in bits, the sign included
  std::int64_t fl = 0;  ///< fractional bits
  bool clamp = true;
  bool symmetric = false;

  /// "AssertionError: ..." unless wl > 0 and fl > 0.
  [[nodiscard]] static Checked<FixedPoint> make(std::int64_t wl, std::int64_t fl, bool clamp = true,
                                                bool symmetric = false);
  constexpr bool operator==(const FixedPoint&) const = default;
};

/// `exp` exponent bits and `man` stored significand bits.
struct FloatingPoint {
  std::int64_t exp = 0;
  std::int64_t man = 0;

  /// "AssertionError: ..." unless 0 < exp <= 8 and 0 < man <= 23.
  [[nodiscard]] static Checked<FloatingPoint> make(std::int64_t exp, std::int64_t man);
  constexpr bool operator==(const FloatingPoint&) const = default;
};

/// Words of `wl` bits that share an exponent: in the whole tensor (dim -1) or for each index of
/// axis `dim`.
struct BlockFloatingPoint {
  std::int64_t wl = 0;
  std::int64_t dim = -1;

  /// "AssertionError: ..." unless wl > 0 and dim >= -1.
  [[nodiscard]] static Checked<BlockFloatingPoint> make(std::int64_t wl, std::int64_t dim = -1);
  constexpr bool operator==(const BlockFloatingPoint&) const = default;
};

/// None (std::monostate), or one of the formats.
using Number = std::variant<std::monostate, FixedPoint, FloatingPoint, BlockFloatingPoint>;

[[nodiscard]] inline bool is_none(const Number& number) {
  return std::holds_alternative<std::monostate>(number);
}

/// As Python prints it: "FixedPoint (wl=8, fl=4)"; "None".
[[nodiscard]] std::string to_string(const Number& number);

/// As a call that read_number() reads back: "FixedPoint(wl=8,fl=4,clamp=True,symmetric=False)".
[[nodiscard]] std::string call_text(const Number& number);

/// The number of a text: "None", "FixedPoint(wl=8,fl=4)", "FloatingPoint(exp=5,man=2)",
/// "BlockFloatingPoint(wl=8,dim=-1)".
[[nodiscard]] Checked<Number> read_number(std::string_view text);

}  // namespace mx::emulators::qtorch
