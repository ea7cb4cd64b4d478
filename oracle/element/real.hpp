// Extended reals with rational magnitudes, and arithmetic that rounds: what the block rules of
// spec F11 compute with, written from the texts alone.
#pragma once

#include <cstdint>
#include <optional>

#include "oracle/element/encode.hpp"
#include "oracle/number/number.hpp"
#include "oracle/number/value.hpp"

namespace mx::oracle {

struct Extended {
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool signaling = false;
  Rational magnitude = 0;

  [[nodiscard]] bool nan() const { return kind == Kind::kNan; }
  [[nodiscard]] bool inf() const { return kind == Kind::kInf; }
  [[nodiscard]] bool zero() const { return kind == Kind::kFinite && magnitude == 0; }
};

[[nodiscard]] Extended extended(const Real& x);
[[nodiscard]] Extended extended(const Rational& magnitude);
/// numerator * 2^exponent
[[nodiscard]] Rational dyadic(std::uint64_t numerator, int exponent);

[[nodiscard]] Extended times(const Extended& a, const Extended& b);
[[nodiscard]] Extended over(const Extended& a, const Extended& b);
[[nodiscard]] Extended plus(const Extended& a, const Extended& b);
[[nodiscard]] Extended negated(Extended x);
/// a < b of magnitudes; false with a NaN.
[[nodiscard]] bool smaller(const Extended& a, const Extended& b);

/// The code and flags of any extended real in any format of at most 32 bits.
[[nodiscard]] Outcome encode_extended(const ElementFormat& format, const Extended& x,
                                      const ElementPolicy& policy, std::uint32_t random = 0);
/// Rounded to a format ties_to_even with overflow to infinity, as a number again.
[[nodiscard]] Extended rounded(const ElementFormat& format, const Extended& x);
/// via_unbounded of spec F9.5: n * 2^exponent, the magnitude rounded as if the exponent of the
/// format had no end. Nothing where the staging changes nothing: other formats than floats, zero,
/// the normals.
struct Denormalised {
  std::uint64_t n = 0;
  int exponent = 0;
};
[[nodiscard]] std::optional<Denormalised> before_denormalising(const Rational& magnitude,
                                                               bool negative,
                                                               const ElementPolicy& policy,
                                                               const ElementFormat& destination);
/// fl32(.)
[[nodiscard]] Extended fl32(const Extended& x);

}  // namespace mx::oracle
