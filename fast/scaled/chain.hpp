// The arithmetic of the rules for real-valued scales (spec F11.4), read backwards: not what a
// maximum or an element becomes, but from which one on something is reached.
#pragma once

#include <cstdint>

#include "fast/rules/binary32.hpp"
#include "fast/scaled/scaled_block_plan.hpp"

namespace mx::fast::scaled {

/// Of nvfp4_4over6: the product of the largest element and the largest scale that S_enc aims at, a
/// binary32 pattern.
[[nodiscard]] std::uint32_t largest_encoded(FourOverSix kind);

/// The value of a magnitude code of a float format, the codes above its largest included.
[[nodiscard]] Real code_value(const ElementFormat& format, std::uint32_t code);

/// The positive numbers that a rounding brings to a code, above 0, or beyond it; `negative` is the
/// sign that the rounding sees.
[[nodiscard]] Bound code_bound(const ElementFormat& format, std::uint32_t code, Rounding rounding,
                               bool negative);

/// Which number of e2m1fn a block's maximum is meant to become. nvfp4_4over6 tries both; other
/// rules know the first alone.
enum class Candidate : std::uint8_t { kSix, kFour };

/// One rule at one tensor level.
class Chain {
 public:
  explicit Chain(const ScaledBlockJob& job, Candidate candidate = Candidate::kSix);

  /// The maxima whose scale, before it is rounded into its format, lies within a bound.
  [[nodiscard]] Bound maxima(const Bound& scale) const;

  /// The maxima whose scale code is `code`, above 0, or a larger one.
  [[nodiscard]] Bound maxima_of_code(std::uint32_t code) const;

  /// How elements meet a scale code.
  struct Scaling {
    bool to_zero = false;   ///< whatever they are
    bool is_exact = false;  ///< divided by `divisor` without a rounding
    Real divisor;
    /// Otherwise fl32(x * factor / over), where one of the two is 1; both may be 0 or kInf32.
    std::uint32_t factor = 0;
    std::uint32_t over = kOne32;

    /// Is every element multiplied or divided by a number?
    [[nodiscard]] bool is_usable() const;
  };
  [[nodiscard]] Scaling scaling(std::uint32_t scale_code) const;

  /// The elements that, brought to their scale, lie within a bound.
  [[nodiscard]] static Bound elements(const Scaling& scaling, const Bound& scaled);

  /// Is the tensor level one that the rule can compute with?
  [[nodiscard]] bool is_usable() const;

 private:
  [[nodiscard]] Bound ggml_scale(std::uint32_t code) const;

  ScaleRule rule_;
  Candidate candidate_;
  const ScaleFormat& scale_;
  Layout type_;   ///< of what nvfp4_ct computes from the tensor
  Real largest_;  ///< element
  std::uint32_t tensor_scale_;
  std::uint32_t encode_ = 0;    ///< nvfp4_te, nvfp4_4over6: S_enc; nvfp4_ct: the global scale
  std::uint32_t by_sixth_ = 0;  ///< nvfp4_te: fl32(S_enc * fl32(1/6))
};

}  // namespace mx::fast::scaled
