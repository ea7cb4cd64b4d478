// How the elements of a block meet its scale: spec F12.1 steps 6 and 7, the sublevels
// of hifx4 and the searches of nvfp4_4over6 and ggml.
#pragma once

#include <cstdint>
#include <span>

#include "reference/block/quantizer.hpp"
#include "reference/block/rules.hpp"
#include "reference/element/encode.hpp"

namespace mx {

/// y = f(x) for every element of a block.
struct ElementScaling {
  enum class Kind : std::uint8_t {
    kShift,       ///< x * 2^-shift
    kDivide,      ///< x * numerator / factor, one rational
    kMultiply,    ///< x * factor * 2^-sublevels, exactly
    kMultiply32,  ///< fl32(x * factor)
    kDivide32,    ///< fl32(x / factor)
    kZero,        ///< a zero of the sign of x
    kSign,        ///< +-1 of the signs: an infinite scale
    kNan,
    kSearch  ///< the first code of least binary32 error under the scale `factor`
  };
  Kind kind = Kind::kZero;
  int shift = 0;
  Unpacked factor = {};
  Unpacked numerator = {};        ///< kDivide: 1 if zero
  bool negative_invalid = false;  ///< NaN made by the division is negative, as on x86
};

/// Of a block whose scale code is `code`; `amax` is its maximum. `is_nan`: the scale is NaN.
[[nodiscard]] ElementScaling element_scaling(const QuantizerConfig& config, std::uint64_t code,
                                             const Unpacked& amax, bool is_nan);

/// Do the codes of a block that is not all zeros stand for nothing under a scale code that is no
/// NaN? Those of nvfp4_cublas under a scale of zero: nobody documents that division (spec F12.1
/// step 6).
[[nodiscard]] bool has_undefined_codes(const QuantizerConfig& config, std::uint64_t code);

/// The element; where inf_block is as_two_to_128 an infinite one is the number 2^128 of its sign.
[[nodiscard]] Unpacked infinity_as_number(const QuantizerConfig& config, const Unpacked& x);

/// The element brought to the scale. Not for kSearch.
[[nodiscard]] Unpacked scale_element(const QuantizerConfig& config, const ElementScaling& scaling,
                                     std::uint64_t code, std::size_t lane, const Unpacked& x);

/// The scaled element as a code of the block's element format: encoded under `policy`, cut or found
/// by search. `trace` may be null.
[[nodiscard]] Encoded encode_scaled(const QuantizerConfig& config, const ElementPolicy& policy,
                                    const ElementScaling& scaling, std::uint64_t code,
                                    std::size_t lane, const Unpacked& x, std::uint32_t random,
                                    Trace* trace);

/// The element policy with what the rule or the format fixes: hif4 rounds ties_to_away and has no
/// -0, nor have formats whose -0 code means something else.
[[nodiscard]] ElementPolicy element_policy(const QuantizerConfig& config);

/// Sum of a lane's sublevel bits.
[[nodiscard]] int sublevel_shift(const BlockFormat& format, std::uint64_t code, std::size_t lane);

/// hif4: the scale code with the bits of both levels above it.
[[nodiscard]] std::uint64_t add_sublevels(const QuantizerConfig& config, std::uint64_t code,
                                          std::span<const std::uint64_t> source);

/// nvfp4_4over6: the candidate with the smaller error, the one that maps the maximum to 6 if equal.
[[nodiscard]] ScaleChoice choose_four_over_six(const QuantizerConfig& config, const Unpacked& amax,
                                               std::span<const std::uint64_t> source);

}  // namespace mx
