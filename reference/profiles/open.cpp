// What comparisons with a profile skip, and what its answers say of themselves as open.
#include <algorithm>
#include <bit>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/scaling.hpp"
#include "reference/number/log2f.hpp"
#include "reference/profiles/profile.hpp"

namespace mx {
namespace {

/// Tensors of bf16 and fp16 are computed with in their type, wider ones in binary32.
bool is_narrow(const ElementFormat& source) {
  return source.kind == FormatKind::kFloat && source.man_bits < 23;
}

bool is_log2_slip(const ElementFormat& source, const Unpacked& x) {
  if (!is_narrow(source)) {
    const fp32::Bits bits = fp32::round(x) & 0x7FFFFFFF;
    return bits < 0x7F800000 && bits != 0 && log2f::floor_exponent(bits) != x.exponent;
  }
  const log2f::Type type{.precision = source.man_bits + 1, .emin = source.emin()};
  // How far below 2^(exponent + 1), in steps between the source's numbers there.
  const std::uint64_t distance = -x.significand >> (64 - type.precision);
  const int subnormal = std::max(0, type.emin - x.exponent);
  return distance >> subnormal <=
         static_cast<std::uint64_t>(log2f::misread_below(type, x.exponent + 1));
}

/// The largest number of the source below half the smallest positive value, of normal ones.
bool is_below_half(const ElementFormat& source, const Unpacked& x, const ElementFormat& f) {
  const Unpacked half =
      unpack_integer(false, 1, f.is_fixed() ? -f.frac_bits - 1 : f.emin() - f.man_bits - 1);
  if (!is_narrow(source)) return (fp32::round(x) & 0x7FFFFFFF) + 1 == fp32::round(half);
  return x.exponent + 1 == half.exponent && x.significand == ~std::uint64_t{0}
                                                                 << (63 - source.man_bits);
}

/// Is x no multiple of 2^-23 times the smallest normal value?
bool is_fine(const Unpacked& x, const ElementFormat& f) {
  return x.exponent < f.emin() && x.exponent - 63 + std::countr_zero(x.significand) < f.emin() - 23;
}

bool masks_nan(Masks masks, const ElementFormat& source, const Unpacked& x, std::uint64_t code) {
  const bool has_payload = (code & source.magnitude_mask()) != source.canonical_nan;
  return (masks & kMaskNan) != 0 || ((masks & kMaskNegativeNan) != 0 && x.negative) ||
         ((masks & kMaskNanPayload) != 0 && has_payload);
}

bool masks_finite(Masks masks, const ElementFormat& source, const ElementFormat& f,
                  const Unpacked& x) {
  const bool is_fixed = f.is_fixed();
  const auto below = [&](int exponent) { return x.exponent < exponent; };
  const int lowest = is_fixed                       ? -f.frac_bits
                     : f.zero == ZeroKind::kNone    ? f.emin()
                     : f.kind == FormatKind::kFloat ? f.emin() - f.man_bits
                                                    : -22;
  if ((masks & kMaskBelowNormal) != 0 && !is_fixed && below(f.emin())) return true;
  if ((masks & kMaskBelowLowest) != 0 && below(lowest)) return true;
  if ((masks & kMaskBelowHalf) != 0 && is_below_half(source, x, f)) return true;
  if ((masks & kMaskFineBelowNormal) != 0 && !is_fixed && is_fine(x, f)) return true;
  if ((masks & kMaskLog2Slip) != 0 && is_log2_slip(source, x)) return true;
  const int top = is_narrow(source) ? source.emax() : 127;
  if ((masks & kMaskLog2Top) != 0 && x.exponent == top && is_log2_slip(source, x)) return true;
  const Masks beyond = kMaskOverflow | (x.negative ? kMaskNegativeOverflow : 0U);
  return (masks & beyond) != 0 && compare_magnitude(x, decode(f, f.max_code)) > 0;
}

/// Is the number `x` left open as one of `destination`? `code` is the source's, of which a NaN's
/// payload is read.
bool masks_number(Masks masks, const ElementFormat& source, const ElementFormat& destination,
                  const Unpacked& x, std::uint64_t code) {
  if ((masks & kMaskAll) != 0) return true;
  if (x.cls == ValueClass::kNan) return masks_nan(masks, source, x, code);
  if ((masks & kMaskNegative) != 0 && x.negative) return true;
  switch (x.cls) {
    case ValueClass::kZero:
      return false;
    case ValueClass::kInf:
      return (masks & kMaskInf) != 0 || ((masks & kMaskNegativeInf) != 0 && x.negative);
    default:
      return masks_finite(masks, source, destination, x);
  }
}

struct Classes {
  bool nan = false, inf = false;
  Unpacked amax;
};

Classes classes_of(const QuantizerConfig& c, std::span<const std::uint64_t> source) {
  Classes classes;
  for (const std::uint64_t code : source) {
    const Unpacked x = decode_flushed(c.source, c.element, code);
    classes.nan |= x.cls == ValueClass::kNan;
    classes.inf |= x.cls == ValueClass::kInf;
    const bool is_number = x.cls == ValueClass::kFinite;
    if (is_number && compare_magnitude(x, classes.amax) > 0) classes.amax = x;
  }
  return classes;
}

/// Masks of blocks of numbers, by their largest magnitude.
bool masks_amax(Masks masks, const Unpacked& amax) {
  if (amax.cls != ValueClass::kFinite) return false;
  return ((masks & kMaskTinyBlock) != 0 && amax.exponent < -125) ||
         ((masks & kMaskSubnormalBlock) != 0 && amax.exponent < -126) ||
         ((masks & kMaskHugeBlock) != 0 && amax.exponent >= 126);
}

/// x divided by the block's power of two.
Unpacked scaled(const QuantizerConfig& c, const Unpacked& x, std::uint64_t scale_code) {
  Unpacked y = x;
  y.exponent -= decode(c.format.scale, scale_code & c.format.scale.code_mask()).exponent;
  return y;
}

/// An element brought to its scale, before any policy of the source has changed it: masks speak of
/// inputs.
Unpacked scaled_input(const MaskedBlock& masked, const QuantizerConfig& c, std::uint64_t code,
                      std::size_t lane) {
  const Unpacked x = decode(c.source, code);
  const ElementScaling scaling = element_scaling(c, masked.scale_code, masked.amax, false);
  if (scaling.kind == ElementScaling::Kind::kSearch && x.cls == ValueClass::kFinite) {
    return exact_divide(x, scaling.factor).value;
  }
  return scale_element(c, scaling, masked.scale_code, lane, x);
}

/// Do the masks of single values leave open what the block's scale makes of an element?
bool is_open_element(const MaskedBlock& masked, const QuantizerConfig& c, std::uint64_t code,
                     std::size_t lane) {
  const ElementFormat& scale = c.format.scale;
  if (decode(scale, masked.scale_code & scale.code_mask()).cls == ValueClass::kNan) return false;
  return masks_number(masked.lanes & kElementMasks, c.source, c.format.element,
                      scaled_input(masked, c, code, lane), code);
}

/// An element that an addition in binary32 rounds before the rounding itself: integers are added to
/// 6 * 2^e, floats below the smallest normal value to that value.
bool is_fine_lane(const QuantizerConfig& c, const Unpacked& y) {
  const ElementFormat& f = c.format.element;
  if (!f.is_fixed()) return is_fine(y, f);
  return y.exponent - 63 + std::countr_zero(y.significand) < -21;
}

}  // namespace

bool is_masked(Masks masks, const ConversionConfig& conversion, std::uint64_t source_code) {
  if (masks == 0) return false;
  return masks_number(masks, conversion.source, conversion.destination,
                      decode(conversion.source, source_code), source_code);
}

MaskedBlock masked_block(Masks masks, const QuantizerConfig& config,
                         std::span<const std::uint64_t> source, const BlockResult& result) {
  MaskedBlock masked{.codes = (result.flags & kBlockCodesMasked) != 0,
                     .scale_code = result.scale_code,
                     .amax = {}};
  if (masks == 0) return masked;
  const Classes classes = classes_of(config, source);
  masked.amax = classes.amax;
  const auto has = [&](BlockMask mask) { return (masks & mask) != 0; };
  const bool has_inf = classes.inf && !classes.nan;
  if (has(kMaskAllBlocks) || (classes.nan && has(kMaskNanBlock)) ||
      (classes.inf && has(kMaskInfBlock)) || masks_amax(masks, classes.amax) ||
      (has(kMaskClampedScale) && (result.flags & kBlockScaleClamped) != 0)) {
    masked.scale = masked.codes = true;
    return masked;
  }
  masked.scale = has(kMaskZeroBlock) && (result.flags & kBlockZero) != 0;
  masked.codes |= has(kMaskZeroBlockCodes) && (result.flags & kBlockZero) != 0;
  masked.codes |= (classes.nan && has(kMaskNanBlockCodes)) || (has_inf && has(kMaskInfBlockCodes));
  masked.lanes = masks & (kElementMasks | kMaskHalfLanes | kMaskLog2Lanes | kMaskFineLanes |
                          kMaskNegativeOverflowLanes | (classes.nan ? kMaskSpecialLanes : 0U));
  return masked;
}

bool is_lane_masked(const MaskedBlock& masked, const QuantizerConfig& config,
                    std::uint64_t source_code, std::size_t lane) {
  if (masked.codes) return true;
  if (masked.lanes == 0) return false;
  if ((masked.lanes & kElementMasks) != 0 && is_open_element(masked, config, source_code, lane)) {
    return true;
  }
  const auto has = [&](BlockMask mask) { return (masked.lanes & mask) != 0; };
  const Unpacked x = decode_flushed(config.source, config.element, source_code);
  const ElementFormat& element = config.format.element;
  switch (x.cls) {
    case ValueClass::kNan:
    case ValueClass::kInf:
      return has(kMaskSpecialLanes);
    case ValueClass::kZero:
      return false;
    case ValueClass::kFinite:
      break;
  }
  const Unpacked y = scaled(config, x, masked.scale_code);
  if (has(kMaskNegativeOverflowLanes) && x.negative &&
      compare_magnitude(y, decode(element, element.max_code)) > 0) {
    return true;
  }
  if (has(kMaskHalfLanes) && is_below_half(config.source, y, element)) return true;
  if (has(kMaskFineLanes) && is_fine_lane(config, y)) return true;
  // Within 44 units of 2^-24 below a power of two: the most that a binary32 log2 misreads.
  return has(kMaskLog2Lanes) && ~y.significand < std::uint64_t{44} << 40 && y.significand << 1 != 0;
}

OpenFields open_fields(Masks masks, const ConversionConfig& conversion, std::uint64_t source_code) {
  OpenFields fields{.elements = {0}};
  for (const MaskFacts& each : kMaskFacts) {
    if (is_masked(masks & each.bit, conversion, source_code)) fields.elements[0] |= each.bit;
  }
  return fields;
}

OpenFields open_fields(Masks masks, const QuantizerConfig& config,
                       std::span<const std::uint64_t> source, const BlockResult& result) {
  OpenFields fields{.elements = std::vector<Masks>(source.size()),
                    .codes_masked = (result.flags & kBlockCodesMasked) != 0};
  // Under a NaN scale that says nothing of codes, a mask is asked as if it did.
  BlockResult asked = result;
  asked.flags &= static_cast<std::uint16_t>(~kBlockCodesMasked);
  for (const MaskFacts& each : kMaskFacts) {
    if ((masks & each.bit) == 0) continue;
    const MaskedBlock masked = masked_block(each.bit, config, source, asked);
    if (masked.scale) fields.scale |= each.bit;
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (is_lane_masked(masked, config, source[i], i)) fields.elements[i] |= each.bit;
    }
  }
  return fields;
}

}  // namespace mx
