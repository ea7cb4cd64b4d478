// The oracle's view of a code: an extended real, read off spec F7 line by line.
//
// The oracle judges the reference, so it shares the descriptor data with it and nothing else: it
// reads the stored fields of ElementFormat, never the quantities the descriptor derives.
#pragma once

#include <cstdint>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::oracle {

enum class Kind : std::uint8_t { kFinite, kInf, kNan };

/// An extended real with a sign. For kFinite the magnitude is exactly significand * 2^exponent
/// (not normalised; zero has significand 0 and keeps its sign).
struct Real {
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool signaling = false;  ///< NaN only: the quiet bit of an IEEE layout is clear
  bool subnormal = false;  ///< the source code was subnormal
  std::uint64_t significand = 0;
  int exponent = 0;

  [[nodiscard]] bool finite() const { return kind == Kind::kFinite; }
  [[nodiscard]] bool zero() const { return finite() && significand == 0; }
};

/// The value of a code: spec F7. Requires code < 2^bits.
[[nodiscard]] Real value_of(const ElementFormat& format, std::uint64_t code);

/// The code of +Inf or -Inf. Requires a format that has it (and a sign, for the negative one).
[[nodiscard]] std::uint64_t infinity_code(const ElementFormat& format, bool negative);

/// x * 2^shift, exactly.
[[nodiscard]] Real scaled(Real x, int shift);

}  // namespace mx::oracle
