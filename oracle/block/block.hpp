// The oracle's blocks: spec F11 and F12 by value, with exact rationals. Logarithms are
// found by searching a table of powers of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/policy.hpp"

namespace mx::oracle {

/// What decides a block, in the descriptors' and policies' own terms.
struct BlockCase {
  ElementFormat source;
  BlockFormat format;
  ElementPolicy element;
  BlockPolicy block;
};

struct BlockOutcome {
  std::uint64_t scale_code = 0;
  bool clamped = false;     ///< the rule's code lies outside the scale's range, or FF by even_carry
  bool zero_block = false;  ///< the maximum is 0 and no special rule applied
  bool has_inf = false;
  bool has_nan = false;
  bool nan_scale = false;
  bool masked = false;             ///< element codes are don't-care
  std::uint8_t element_flags = 0;  ///< OR of the elements' mx::Flag bits
  std::vector<std::uint64_t> codes;
};

/// What the scale decision found.
struct ScaleOutcome {
  std::uint64_t code = 0;
  bool clamped = false;
  bool zero_block = false;
  bool nan = false;
  bool rule_applied = false;
  long unclamped = 0;  ///< the rule's code before clamping
  int argmax = -1;     ///< first lane with the largest magnitude that takes part, -1 if none does
};

/// floor(log2 v) and ceil(log2 v) of a positive rational.
[[nodiscard]] int floor_log2(const Rational& v);
[[nodiscard]] int ceil_log2(const Rational& v);

/// The scale code of a finite nonzero maximum before clamping: spec F11.2, for e8m0
/// (bias 127). to_nan_carry says that even_carry would turn it into NaN.
struct RuleCode {
  long code = 0;
  bool to_nan_carry = false;
};
[[nodiscard]] RuleCode rule_code(ScaleRule rule, const ElementFormat& element,
                                 const Rational& amax);

/// inf_block as_two_to_128: an infinite element is that number. Not for rules of P3109.
[[nodiscard]] Real infinity_as_number(const BlockCase& block, const Real& x);

/// dequant_overflow wrap for a positive magnitude: spec F12.2 step 4. The exponent has no end until
/// its field is cut to the output's bits.
[[nodiscard]] inline bool has_wrapping_field(const ElementFormat& output) {
  return output.kind == FormatKind::kFloat && output.inf == InfKind::kIeeeTop &&
         output.zero == ZeroKind::kPosAndNeg && output.exp_bits == 8 && output.bias == 127 &&
         output.man_bits > 0;
}
[[nodiscard]] std::uint64_t wrapped(const ElementFormat& output, bool negative,
                                    const Rational& magnitude, Rounding rounding);

/// Steps 3 to 5 of spec F12.1. `values` are the block's elements as flushed_value gives them.
[[nodiscard]] ScaleOutcome choose_scale(const BlockCase& block, std::span<const Real> values);

/// Step 7 and 8 for one element.
template <class Field>
[[nodiscard]] Outcome encode_element(const ElementOracle<Field>& judge, const BlockCase& block,
                                     const Real& value, std::uint64_t scale_code,
                                     std::uint32_t random) {
  const Real scale = value_of(block.format.scale, scale_code);
  // An e8m0 scale is a power of two: division by it moves the exponent.
  const Real x = infinity_as_number(block, value);
  return judge.encode(staged(scaled(x, -scale.exponent), block.element, block.format.element),
                      block.element, random);
}

/// A whole block. The judge's destination is block.format.element; random may be empty for
/// deterministic roundings.
template <class Field>
[[nodiscard]] BlockOutcome quantize(const ElementOracle<Field>& judge, const BlockCase& block,
                                    std::span<const std::uint64_t> source,
                                    std::span<const std::uint32_t> random) {
  std::vector<Real> values;
  values.reserve(source.size());
  BlockOutcome out;
  for (const std::uint64_t code : source) {
    values.push_back(flushed_value(block.source, block.element, code));
    out.has_inf = out.has_inf || values.back().kind == Kind::kInf;
    out.has_nan = out.has_nan || values.back().kind == Kind::kNan;
  }
  const ScaleOutcome scale = choose_scale(block, values);
  out.scale_code = scale.code;
  out.clamped = scale.clamped;
  out.zero_block = scale.zero_block;
  out.nan_scale = scale.nan;
  out.masked = scale.nan && block.block.nan_scale_codes == NanScaleCodes::kDontCare;
  const NanScaleCodes under_nan = block.block.nan_scale_codes;
  const bool emit_nan =
      scale.nan && under_nan == NanScaleCodes::kNan && block.format.element.nan != NanKind::kNone;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (scale.nan && under_nan == NanScaleCodes::kAsComputed) {
      const Real nan = values[i].kind == Kind::kNan ? values[i] : Real{Kind::kNan};
      const Outcome element = judge.encode(nan, block.element, random.empty() ? 0 : random[i]);
      out.codes.push_back(element.code);
      out.element_flags |= element.flags;
      continue;
    }
    if (scale.nan) {
      out.codes.push_back(emit_nan ? block.format.element.canonical_nan : 0);
      continue;
    }
    const Outcome element =
        encode_element(judge, block, values[i], scale.code, random.empty() ? 0 : random[i]);
    out.codes.push_back(element.code);
    out.element_flags |= element.flags;
  }
  return out;
}

/// One dequantized value: spec F12.2. The judge's destination is the output format.
template <class Field>
[[nodiscard]] std::uint64_t dequantize(const ElementOracle<Field>& judge, const BlockFormat& format,
                                       DequantOverflow overflow, std::uint64_t scale_code,
                                       std::uint64_t element_code) {
  const ElementFormat& output = judge.ladder().format();
  const Real scale = value_of(format.scale, scale_code);
  const Real element = value_of(format.element, element_code);
  if (scale.kind == Kind::kNan || element.kind == Kind::kNan) return output.canonical_nan;
  ElementPolicy policy;
  policy.overflow = Overflow::kPropagateInf;
  if (element.kind == Kind::kInf) return judge.encode(element, policy, 0).code;
  const Real product = scaled(element, scale.exponent);
  if (overflow == DequantOverflow::kWrap && has_wrapping_field(output) && !product.zero()) {
    return wrapped(output, product.negative,
                   RationalField::make(product.significand, product.exponent), policy.rounding);
  }
  const Outcome out = judge.encode(product, policy, 0);
  if ((out.flags & kFlagOverflow) == 0 || overflow == DequantOverflow::kSaturate) return out.code;
  return overflow == DequantOverflow::kNan ? output.canonical_nan
                                           : infinity_code(output, product.negative);
}

}  // namespace mx::oracle
