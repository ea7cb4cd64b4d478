// The number formats of dmx as values: what its constructors take and what they check.
// spec S5.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "reference/policy/checked.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// The rounding modes under the names that the constructors take.
#define MX_DMX_ROUNDING(X)    \
  X(kUp, "up", 'U')           \
  X(kDown, "down", 'D')       \
  X(kNearest, "nearest", 'N') \
  X(kStochastic, "stochastic", 'S')
MX_POLICY(DmxRounding, MX_DMX_ROUNDING);

}  // namespace mx

namespace mx::emulators::dmx {

using Rounding = DmxRounding;

/// The letter of a rounding in shorthands, and back.
[[nodiscard]] char letter_of(Rounding rounding);
[[nodiscard]] std::optional<Rounding> rounding_of(char letter);

/// Does nothing.
struct Same {};

/// Integers of `precision` bits times 2^-fraction.
struct FixedPoint {
  std::int64_t precision = 8;
  std::int64_t fraction = 0;
  bool clamp = true;
  bool symmetric = true;
  Rounding rounding = Rounding::kNearest;
};

struct FloatingPoint {
  int mantissa = 23;
  int exponent = 8;
  int bias = 127;
  bool flush_subnormal = true;
  bool is_unsigned = false;
  Rounding rounding = Rounding::kNearest;
};

/// Blocks that share an 8-bit exponent; `precision` counts sign and magnitude bits.
struct BlockFloatingPoint {
  int precision = 8;
  std::int64_t block_size = 64;
  bool symmetric = true;
  Rounding rounding = Rounding::kNearest;
  /// The axis that the documented spelling {size,axis} carries; strict only.
  std::optional<std::int64_t> axis = {};
  /// Spelt as MXINT: symmetric, nearest.
  bool is_mxint = false;
};

struct ScaledBlockFloatingPoint {
  FixedPoint block_format;
  FloatingPoint scaler_format;
  std::int64_t block_size = 64;
};

struct Mxfp {
  FloatingPoint element_format;
  std::int64_t block_size = 32;
};

using Format = std::variant<Same, FixedPoint, FloatingPoint, BlockFloatingPoint,
                            ScaledBlockFloatingPoint, Mxfp>;

/// What the constructor asserts, "AssertionError: ..." with the package's text; "" where it holds.
[[nodiscard]] std::string problem_of(const FixedPoint& format);
[[nodiscard]] std::string problem_of(const FloatingPoint& format);
[[nodiscard]] std::string problem_of(const BlockFloatingPoint& format);
[[nodiscard]] std::string problem_of(const ScaledBlockFloatingPoint& format);
[[nodiscard]] std::string problem_of(const Mxfp& format);
[[nodiscard]] std::string problem_of(const Format& format);

/// The canonical spelling: what from_shorthand() reads back.
[[nodiscard]] std::string repr(const FixedPoint& format);
[[nodiscard]] std::string repr(const FloatingPoint& format);
[[nodiscard]] std::string repr(const Format& format);

/// repr(), but MXFP<FP[...]>{size} where repr() would lose facts of the element format.
[[nodiscard]] std::string canonical_text(const Format& format);

[[nodiscard]] bool is_blocked(const Format& format);

/// Does a cast of this format draw random words?
[[nodiscard]] bool is_stochastic(const Format& format);

/// Elements of a block; 1 of formats without blocks.
[[nodiscard]] std::int64_t block_size_of(const Format& format);

}  // namespace mx::emulators::dmx
