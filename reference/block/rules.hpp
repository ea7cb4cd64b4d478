// The shared scale of a block: from the block maximum to a scale code. spec F11.
#pragma once

#include <cstdint>

#include "reference/block/quantizer.hpp"
#include "reference/number/unpacked.hpp"

namespace mx {

struct ScaleChoice {
  std::uint64_t code = 0;
  int unclamped = 0;     ///< the rule's code, before the ends of the scale format's range
  bool clamped = false;  ///< the range, a floor or even_carry changed the rule's answer
};

/// Chooses by the configuration's rule. `amax` is finite and nonzero for power-of-two rules; the
/// others decide for zero and infinity as well. `random` is the word stoch_exp takes. nvfp4_4over6
/// gives its first candidate, the one that maps the maximum to 6.
[[nodiscard]] ScaleChoice choose_scale(const QuantizerConfig& config, const Unpacked& amax,
                                       std::uint32_t random);

/// The power of two a rule chooses, as its exponent before any clamp.
[[nodiscard]] int choose_exponent(const QuantizerConfig& config, const Unpacked& amax,
                                  std::uint32_t random);

/// The real-valued rules of spec F11.4, maxabs_finite and sbfp.
[[nodiscard]] ScaleChoice choose_real_scale(const QuantizerConfig& config, const Unpacked& amax);

/// S_enc of nvfp4_te and nvfp4_4over6 as a binary32 pattern; 1 where the tensor's amax is 0.
[[nodiscard]] std::uint32_t te_encode_scale(const QuantizerConfig& config);

/// The global scale of nvfp4_ct as a binary32 pattern: 2688 / amax of the tensor, its reciprocal
/// and the product rounded to the source's type; 1 where the amax is 0 or the product infinite.
[[nodiscard]] std::uint32_t ct_global_scale(const QuantizerConfig& config);

/// The two candidates of nvfp4_4over6: the maximum mapped to 6, and to 4.
struct FourOverSixScales {
  ScaleChoice map6;
  ScaleChoice map4;
};
[[nodiscard]] FourOverSixScales four_over_six_scales(const QuantizerConfig& config,
                                                     const Unpacked& amax);

/// The code that stands for a NaN scale: the largest one where the format has no NaN.
[[nodiscard]] constexpr std::uint64_t nan_scale_code(const ScaleFormat& scale) {
  return scale.has_nan() ? scale.canonical_nan : scale.max_code;
}

/// floor(log2 amax) as block flushing sees it: spec F12.1 step 2 and S7.3.
[[nodiscard]] int flush_exponent(const QuantizerConfig& config, const Unpacked& amax);

/// amax / max_elem by a ratio_op: spec F11.2. 0 and infinity where its arithmetic ends there.
[[nodiscard]] Unpacked amax_over_largest(const QuantizerConfig& config, const Unpacked& amax,
                                         RatioOp op);

/// The largest element.
[[nodiscard]] inline Unpacked largest_element(const ElementFormat& element) {
  return decode(element, element.max_code);
}

}  // namespace mx
