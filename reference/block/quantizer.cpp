#include "reference/block/quantizer.hpp"

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/scale.hpp"
#include "reference/block/scaling.hpp"
#include "reference/bulk/element_loop.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx {
namespace {

/// Step 6 for a NaN scale: the code of every element, unless elements go on as computed.
std::uint64_t code_under_nan(const QuantizerConfig& c) {
  const ElementFormat& element = c.format.element;
  return c.block.nan_scale_codes == NanScaleCodes::kNan && element.has_nan() ? element.canonical_nan
                                                                             : 0;
}

/// Steps 7 and 8, element by element. Returns the OR of the flags.
std::uint8_t encode_lanes(const QuantizerConfig& c, const ElementScaling& scaling,
                          const BlockScale& scale, std::span<const std::uint64_t> source,
                          std::span<const std::uint32_t> random, std::span<std::uint64_t> codes) {
  const ElementPolicy policy = element_policy(c);
  const bool draws = is_stochastic(policy.rounding);
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    Unpacked x = kernel::decode_source(c.source, c.element, source[i]);
    if (scale.flushed) x = {.negative = x.negative};
    const Encoded encoded =
        encode_scaled(c, policy, scaling, scale.code, i, x, draws ? random[i] : 0, nullptr);
    codes[i] = encoded.code;
    flags |= encoded.flags;
  }
  return flags;
}

/// The element loop of element_loop.cpp takes blocks that are only shifted.
bool is_plain_shift(const QuantizerConfig& c, const ElementScaling& scaling) {
  return scaling.kind == ElementScaling::Kind::kShift && c.format.cut_from == 0 &&
         c.format.negative_zero == NegativeZeroDatum::kZero;
}

/// The value of an element code: the code of -0 may mean something else.
Unpacked datum_value(const BlockFormat& format, std::uint64_t code) {
  if (format.negative_zero != NegativeZeroDatum::kZero && code == format.element.sign_bit()) {
    return format.negative_zero == NegativeZeroDatum::kMinusInfinity
               ? Unpacked{.cls = ValueClass::kInf, .negative = true}
               : unpack_integer(true, 1, 16);
  }
  return decode(format.element, code);
}

/// Is the datum's value its own, whatever the scale?
bool is_absolute(const BlockFormat& format, std::uint64_t code, const Unpacked& element) {
  return element.cls == ValueClass::kInf ||
         (format.negative_zero != NegativeZeroDatum::kZero && code == format.element.sign_bit());
}

}  // namespace

BlockResult Quantizer::quantize_block(std::span<const std::uint64_t> source,
                                      std::span<const std::uint32_t> random,
                                      std::span<std::uint64_t> codes) const {
  const QuantizerConfig& c = config_;
  const BlockScale scale = scale_block(c, source, random);
  BlockResult result{.scale_code = scale.code, .flags = scale.flags};
  if (scale.is_nan) {  // spec F12.1 step 6
    result.flags |= kBlockNanScale;
    if (c.block.nan_scale_codes == NanScaleCodes::kDontCare) result.flags |= kBlockCodesMasked;
    if (c.block.nan_scale_codes != NanScaleCodes::kAsComputed) {
      for (std::uint64_t& out : codes) out = code_under_nan(c);
      return result;
    }
  }
  const ElementScaling scaling = element_scaling(c, scale.code, scale.scan.amax, scale.is_nan);
  result.flags |= is_plain_shift(c, scaling) && !scale.flushed
                      ? kernel::encode_elements(c.source, c.format.element, c.element,
                                                scaling.shift, source, random, codes, {})
                      : encode_lanes(c, scaling, scale, source, random, codes);
  return result;
}

ScaleTrace Quantizer::explain_scale(std::span<const std::uint64_t> source,
                                    std::span<const std::uint32_t> random) const {
  const BlockScale scale = scale_block(config_, source, random);
  return {scale.scan.amax, scale.scan.argmax, scale.unclamped, scale.rule_applied};
}

Encoded Quantizer::explain_element(std::uint64_t source, std::uint64_t scale_code,
                                   std::uint32_t random, Trace& trace, std::size_t lane,
                                   const Unpacked& amax) const {
  const Unpacked x = decode_source(config_.source, config_.element, source);
  const ElementScaling scaling = element_scaling(config_, scale_code, amax, false);
  return encode_scaled(config_, element_policy(config_), scaling, scale_code, lane, x, random,
                       &trace);
}

Unpacked Quantizer::scaled_element(std::uint64_t source, std::uint64_t scale_code, std::size_t lane,
                                   const Unpacked& amax) const {
  const Unpacked x = decode_source(config_.source, config_.element, source);
  const ElementScaling scaling = element_scaling(config_, scale_code, amax, false);
  if (scaling.kind == ElementScaling::Kind::kSearch && x.cls == ValueClass::kFinite) {
    return exact_divide(x, scaling.factor).value;
  }
  return scale_element(config_, scaling, scale_code, lane, x);
}

Unpacked Quantizer::scale_value(std::uint64_t scale_code, std::size_t lane) const {
  Unpacked scale = decode(config_.format.scale, scale_code & config_.format.scale.code_mask());
  if (scale.cls == ValueClass::kFinite) {
    scale.exponent += sublevel_shift(config_.format, scale_code, lane);
  }
  return scale;
}

void Quantizer::dequantize_block(std::uint64_t scale_code, std::span<const std::uint64_t> codes,
                                 const ElementFormat& output,
                                 std::span<std::uint64_t> values) const {
  const bool has_tensor_scale = config_.format.tensor_scale != TensorScale::kNone;
  const bool by_torchao = config_.block.rule == ScaleRule::kNvfp4Torchao;
  ElementPolicy policy;
  policy.overflow = config_.block.dequant_overflow == DequantOverflow::kSaturate
                        ? Overflow::kSatFiniteKeepInf
                        : Overflow::kNoneInfOrNan;
  for (std::size_t i = 0; i < codes.size(); ++i) {  // spec F12.2
    Unpacked scale = scale_value(scale_code, i);
    if (has_tensor_scale && scale.cls == ValueClass::kFinite) {
      scale = multiply(scale, fp32::value(config_.tensor.scale));
      if (by_torchao) scale = fp32::value(fp32::round(scale));
    }
    const Unpacked element = datum_value(config_.format, codes[i]);
    if (scale.cls == ValueClass::kNan || element.cls == ValueClass::kNan) {
      values[i] = output.canonical_nan;
      continue;
    }
    Unpacked value = element;
    if (element.cls == ValueClass::kFinite && !is_absolute(config_.format, codes[i], element)) {
      value = multiply(scale, element);
      if (by_torchao) value = fp32::value(fp32::round(value));
    }
    const Encoded encoded = encode(value, output, policy, 0);
    const bool to_nan = config_.block.dequant_overflow == DequantOverflow::kNan &&
                        (encoded.flags & kFlagOverflow) != 0;
    values[i] = to_nan ? output.canonical_nan : encoded.code;
  }
}

}  // namespace mx
