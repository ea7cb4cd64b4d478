#include "reference/block/quantizer.hpp"

#include <cassert>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/back.hpp"
#include "reference/block/block_elements.hpp"
#include "reference/block/scale.hpp"
#include "reference/block/scaling.hpp"
#include "reference/element/encode_kernel.hpp"
#include "reference/format/way_back.hpp"

namespace mx {
namespace {

/// The value of an element code: the code of -0 may mean something else.
Unpacked datum_value(const BlockFormat& format, std::uint64_t code) {
  if (format.negative_zero != NegativeZeroDatum::kZero && code == format.element.sign_bit()) {
    return format.negative_zero == NegativeZeroDatum::kMinusInfinity
               ? Unpacked{.cls = ValueClass::kInf, .negative = true}
               : unpack_integer(true, 1, 16);
  }
  return decode(format.element, code);
}

/// A finite number that is not zero, rounded where the format is normal; then its exponent field
/// keeps the low bits of what it would be.
std::uint64_t wrapped_code(const Unpacked& x, const ElementFormat& f, const ElementPolicy& policy) {
  Unpacked normal = x;
  normal.exponent = f.emin();
  const std::uint64_t code = encode(normal, f, policy, 0).code;
  const auto moved = static_cast<std::uint64_t>(x.exponent - f.emin()) << f.man_bits;
  return (code & ~f.magnitude_mask()) | ((code + moved) & f.magnitude_mask());
}

/// May a block of the format have so many elements?
[[maybe_unused]] bool fits_block(const BlockFormat& format, std::size_t count) {
  if (count == 0) return false;
  return format.extent != BlockExtent::kElements ||
         count <= static_cast<std::size_t>(format.elements());
}

/// Is the datum's value its own, whatever the scale?
bool is_absolute(const BlockFormat& format, std::uint64_t code, const Unpacked& element) {
  return element.cls == ValueClass::kInf ||
         (format.negative_zero != NegativeZeroDatum::kZero && code == format.element.sign_bit());
}

}  // namespace

bool has_wrapping_fields(const ElementFormat& f) {
  return f.kind == FormatKind::kFloat && f.inf == InfKind::kIeeeTop &&
         f.zero == ZeroKind::kPosAndNeg && f.exp_bits == 8 && f.bias == 127 && f.man_bits > 0;
}

std::string_view back_problem(DequantOverflow overflow, const ElementFormat& output) {
  if (overflow != DequantOverflow::kWrap || has_wrapping_fields(output)) return {};
  return "dequant_overflow wrap goes with values of 8 exponent bits: fp32, bf16 or tf32";
}

BlockResult Quantizer::quantize_block(std::span<const std::uint64_t> source,
                                      std::span<const std::uint32_t> random,
                                      std::span<std::uint64_t> codes) const {
  assert(fits_block(config_.format, source.size()));
  assert(!facts_of(config_.block.rule).draws || !random.empty());
  BlockElements lanes = lanes_under(config_, scale_block(config_, source, random));
  lanes.block.flags |= encode_lanes(config_, lanes, 0, source, random, codes);
  return lanes.block;
}

ScaleTrace Quantizer::explain_scale(std::span<const std::uint64_t> source,
                                    std::span<const std::uint32_t> random) const {
  const BlockScale scale = scale_block(config_, source, random);
  return {scale.scan.amax, scale.scan.argmax, scale.unclamped, scale.rule_applied};
}

Encoded Quantizer::explain_element(std::uint64_t source, std::uint64_t scale_code,
                                   std::uint32_t random, Trace& trace, std::size_t lane,
                                   const Unpacked& amax) const {
  const Unpacked x = decode_flushed(config_.source, config_.element, source);
  const ElementScaling scaling = element_scaling(config_, scale_code, amax, false);
  return encode_scaled(config_, element_policy(config_), scaling, scale_code, lane, x, random,
                       &trace);
}

Unpacked Quantizer::scaled_element(std::uint64_t source, std::uint64_t scale_code, std::size_t lane,
                                   const Unpacked& amax) const {
  const Unpacked x = decode_flushed(config_.source, config_.element, source);
  const ElementScaling scaling = element_scaling(config_, scale_code, amax, false);
  if (scaling.kind == ElementScaling::Kind::kSearch && x.cls == ValueClass::kFinite) {
    return exact_divide(x, scaling.factor).value;
  }
  const Unpacked element = infinity_as_number(config_, x);
  return kernel::staged(scale_element(config_, scaling, scale_code, lane, element), config_.element,
                        config_.format.element);
}

Unpacked Quantizer::scale_value(std::uint64_t scale_code, std::size_t lane) const {
  Unpacked scale = decode(config_.format.scale, scale_code & config_.format.scale.code_mask());
  if (scale.cls == ValueClass::kFinite) {
    scale.exponent += sublevel_shift(config_.format, scale_code, lane);
  }
  return scale;
}

void Quantizer::dequantize_block(std::uint64_t scale_code, std::span<const std::uint64_t> codes,
                                 const ElementFormat& output, std::span<std::uint64_t> values,
                                 const Dequantizing& how) const {
  assert(values.size() == codes.size() && config_.format.takes_scale(scale_code));
  const bool has_tensor_scale = config_.format.tensor_scale != TensorScale::kNone;
  const WayBack way = way_back_of(config_.block.rule);
  const bool in_fp32 = way != WayBack::kExact;
  ElementPolicy policy;
  policy.rounding = how.rounding;
  policy.dst_ftz = how.dst_ftz;
  policy.overflow = config_.block.dequant_overflow == DequantOverflow::kSaturate
                        ? Overflow::kSatFiniteKeepInf
                        : Overflow::kNoneInfOrNan;
  const bool wraps =
      config_.block.dequant_overflow == DequantOverflow::kWrap && has_wrapping_fields(output);
  for (std::size_t i = 0; i < codes.size(); ++i) {  // spec F12.2
    Unpacked scale = scale_value(scale_code, i);
    if (has_tensor_scale && scale.cls == ValueClass::kFinite) {
      const Unpacked level = fp32::value(config_.tensor.scale);
      scale = way == WayBack::kQuotient ? exact_divide(scale, level).value : multiply(scale, level);
      if (in_fp32) scale = fp32::value(fp32::round(scale));
    }
    assert(config_.format.element.takes(codes[i]));
    const Unpacked element = datum_value(config_.format, codes[i]);
    if (scale.cls == ValueClass::kNan || element.cls == ValueClass::kNan) {
      values[i] = output.canonical_nan;
      continue;
    }
    Unpacked value = element;
    if (element.cls == ValueClass::kFinite && !is_absolute(config_.format, codes[i], element)) {
      value = multiply(scale, element);
      if (in_fp32) value = fp32::value(fp32::round(value));
    }
    if (wraps && value.cls == ValueClass::kFinite) {
      values[i] = wrapped_code(value, output, policy);
      continue;
    }
    const Encoded encoded = encode(value, output, policy, 0);
    const bool to_nan = config_.block.dequant_overflow == DequantOverflow::kNan &&
                        (encoded.flags & kFlagOverflow) != 0;
    values[i] = to_nan ? output.canonical_nan : encoded.code;
  }
}

}  // namespace mx
