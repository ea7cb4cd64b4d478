// The oracle's blocks under every rule: spec F11 and F12 once more, with rationals and
// rounded rationals, for every scale format, two levels, sublevels and vendors' chains.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oracle/block/block.hpp"
#include "oracle/element/real.hpp"

namespace mx::oracle {

/// A block and the tensor it is part of.
struct RulesCase {
  BlockCase block;
  Rational tensor_amax = 0;    ///< the largest finite magnitude, 0 if unknown
  Extended tensor_scale = {};  ///< the stored scale; see stored_tensor_scale
};

/// The tensor scale a rule stores for a tensor's maximum: spec F11.4.
[[nodiscard]] Extended stored_tensor_scale(const BlockCase& block, const Rational& amax);

/// spec F12.1.
[[nodiscard]] BlockOutcome quantize_by_rules(const RulesCase& what,
                                             std::span<const std::uint64_t> source,
                                             std::span<const std::uint32_t> random);

/// spec F12.2 for one element of a lane.
[[nodiscard]] std::uint64_t dequantize_by_rules(const RulesCase& what, const ElementFormat& output,
                                                std::uint64_t scale_code,
                                                std::uint64_t element_code, std::size_t lane,
                                                Rounding rounding = Rounding::kTiesToEven,
                                                ResultSubnormals ftz = ResultSubnormals::kKeep);

/// floor and ceil of the correctly rounded binary32 logarithm of a positive number, and floor of
/// its sum with one half in binary32.
[[nodiscard]] int floor_log2f(const Rational& v);
[[nodiscard]] int ceil_log2f(const Rational& v);
[[nodiscard]] int nearest_log2f(const Rational& v);

// What follows is shared by the oracle's sources.

/// A rule's answer for a maximum (finite, or infinite for rules that are not powers of two).
struct RuleScale {
  std::uint64_t code = 0;
  bool clamped = false;
  bool nan = false;
};
[[nodiscard]] RuleScale scale_by_rule(const RulesCase& what, const Extended& amax,
                                      std::span<const Extended> values, std::uint32_t random);
/// One element brought to its scale and encoded.
[[nodiscard]] Outcome element_by_rule(const RulesCase& what, const Extended& amax,
                                      std::uint64_t scale_code, bool scale_is_nan, std::size_t lane,
                                      const Extended& x, std::uint32_t random);
/// S_enc of nvfp4_te and nvfp4_4over6.
[[nodiscard]] Extended encoding_scale(const RulesCase& what);
/// 2688 / amax of nvfp4_ct.
[[nodiscard]] Extended global_scale(const RulesCase& what);
[[nodiscard]] Rational largest_magnitude(const ElementFormat& format);

}  // namespace mx::oracle
