#include "mx/quantizer.hpp"

#include "element_loop.hpp"
#include "encode_kernel.hpp"
#include "scale.hpp"

namespace mx {
namespace {

/// What the scan of a block finds: formats.md section 12.1 step 3.
struct Scan {
  Unpacked amax;  ///< zero if nothing takes part
  int argmax = -1;
  bool has_nan = false;
  bool has_inf = false;
};

/// Takes one value into the scan.
void scan_value(Scan& scan, const Unpacked& x, int lane, AmaxOver amax_over) {
  if (x.cls == ValueClass::kNan) {
    scan.has_nan = true;
    return;
  }
  if (x.cls == ValueClass::kInf) {
    scan.has_inf = true;
    if (amax_over == AmaxOver::kFiniteOnly) return;
  }
  if (scan.argmax < 0 || compare_magnitude(x, scan.amax) > 0) {
    scan.amax = x;
    scan.argmax = lane;
  }
}

/// Finite magnitude codes are ordered like their values, so the maximum is found on codes and only
/// the winner is decoded; anything beyond max_code, and the code of -0, is looked at by value.
Scan scan_block(const QuantizerConfig& c, std::span<const std::uint64_t> source) {
  const ElementFormat& f = c.source;
  const bool by_code = f.kind == FormatKind::kFloat && c.element.staging == Staging::kNone;
  Scan scan;
  std::uint64_t largest = 0;
  int argmax = -1;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::uint64_t magnitude = source[i] & f.magnitude_mask();
    if (!by_code || magnitude > f.max_code || (magnitude == 0 && source[i] != 0)) {
      scan_value(scan, kernel::decode_source(f, c.element, source[i]), static_cast<int>(i),
                 c.block.amax_over);
    } else if (argmax < 0 || magnitude > largest) {
      largest = magnitude;
      argmax = static_cast<int>(i);
    }
  }
  if (argmax >= 0) {
    const Unpacked x = kernel::decode_source(f, c.element, largest);
    const int order = scan.argmax < 0 ? 1 : compare_magnitude(x, scan.amax);
    if (order > 0 || (order == 0 && argmax < scan.argmax)) {
      scan.amax = x;
      scan.argmax = argmax;
    }
  }
  scan.amax.negative = false;
  return scan;
}

/// Steps 4 and 5: special blocks by policy, then the rule.
struct BlockScale {
  std::uint64_t code = 0;
  std::uint16_t flags = 0;
  int unclamped = 0;
  bool rule_applied = false;
};

BlockScale from_choice(const ScaleChoice& choice, std::uint16_t flags) {
  return {choice.code,
          static_cast<std::uint16_t>(flags | (choice.clamped ? kBlockScaleClamped : 0)),
          choice.unclamped, true};
}

BlockScale scale_of(const QuantizerConfig& c, const Scan& scan) {
  const BlockPolicy& p = c.block;
  const ScaleFormat& scale = c.format.scale;
  const auto flags = static_cast<std::uint16_t>((scan.has_inf ? kBlockHasInf : 0) |
                                                (scan.has_nan ? kBlockHasNan : 0));
  if (scan.has_nan && p.amax_over == AmaxOver::kAll)
    return {.code = scale.canonical_nan, .flags = flags};
  if (scan.amax.cls == ValueClass::kInf) {
    switch (p.inf_block) {
      case InfBlock::kScaleNan:
        return {.code = scale.canonical_nan, .flags = flags};
      case InfBlock::kScaleMax:
        return {.code = scale.max_code, .flags = flags};
      case InfBlock::kAsE255:
        return from_choice(choose_scale_as_e255(c.format.element, scale, p), flags);
    }
  }
  if (scan.amax.cls == ValueClass::kZero) {
    const auto one = static_cast<std::uint64_t>(scale.bias);
    return {.code = p.zero_block_scale == ZeroBlockScale::kOne ? one : 0,
            .flags = static_cast<std::uint16_t>(flags | kBlockZero)};
  }
  return from_choice(choose_scale(scan.amax, c.format.element, scale, p), flags);
}

/// x * 2^-k, exact: the only arithmetic a power-of-two scale needs.
Unpacked scale_down(Unpacked x, int k) {
  if (x.cls == ValueClass::kFinite) x.exponent -= k;
  return x;
}

}  // namespace

std::string_view Quantizer::problem(const QuantizerConfig& c) {
  if (const std::string_view reason = invalid_reason(c.source); !reason.empty()) return reason;
  if (const std::string_view reason = invalid_reason(c.format.element); !reason.empty()) {
    return reason;
  }
  if (const std::string_view reason = invalid_reason(c.format.scale); !reason.empty())
    return reason;
  if (c.format.block_size < 1 || c.format.block_size > 1024) {
    return "the block size lies outside 1..1024";
  }
  if (c.format.scale.man_bits != 0 || c.format.scale.zero != ZeroKind::kNone ||
      !c.format.scale.has_nan()) {
    return "the scale format is not an exponent-only format with a NaN";
  }
  if (c.format.element.rule_man_bits() > 62) return "the element significand is wider than 62 bits";
  if (c.element.random_bits < 1 || c.element.random_bits > 32) {
    return "random_bits lies outside 1..32";
  }
  return {};
}

BlockResult Quantizer::quantize_block(std::span<const std::uint64_t> source,
                                      std::span<const std::uint32_t> random,
                                      std::span<std::uint64_t> codes) const {
  const Scan scan = scan_block(config_, source);
  const BlockScale scale = scale_of(config_, scan);
  const ElementFormat& element = config_.format.element;
  BlockResult result{.scale_code = scale.code, .flags = scale.flags};
  const Unpacked stored = decode(config_.format.scale, scale.code);
  if (stored.cls == ValueClass::kNan) {  // section 12.1 step 6
    result.flags |= kBlockNanScale;
    const bool masked = config_.block.nan_scale_codes == NanScaleCodes::kDontCare;
    if (masked) result.flags |= kBlockCodesMasked;
    const std::uint64_t code = !masked && element.has_nan() ? element.canonical_nan : 0;
    for (std::uint64_t& out : codes) out = code;
    return result;
  }
  result.flags |= kernel::encode_elements(config_.source, element, config_.element, stored.exponent,
                                          source, random, codes, {});  // steps 7 and 8
  return result;
}

ScaleTrace Quantizer::explain_scale(std::span<const std::uint64_t> source) const {
  const Scan scan = scan_block(config_, source);
  const BlockScale scale = scale_of(config_, scan);
  return {scan.amax, scan.argmax, scale.unclamped, scale.rule_applied};
}

Encoded Quantizer::explain_element(std::uint64_t source, std::uint64_t scale_code,
                                   std::uint32_t random, Trace& trace) const {
  const Unpacked stored = decode(config_.format.scale, scale_code);
  const Unpacked x = decode_source(config_.source, config_.element, source);
  return encode(scale_down(x, stored.exponent), config_.format.element, config_.element, random,
                trace);
}

void Quantizer::dequantize_block(std::uint64_t scale_code, std::span<const std::uint64_t> codes,
                                 const ElementFormat& output,
                                 std::span<std::uint64_t> values) const {
  const Unpacked scale = decode(config_.format.scale, scale_code);
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  ElementPolicy saturate = policy;
  saturate.overflow = Overflow::kSatFiniteKeepInf;
  for (std::size_t i = 0; i < codes.size(); ++i) {  // section 12.2
    const Unpacked element = decode(config_.format.element, codes[i]);
    if (scale.cls == ValueClass::kNan || element.cls == ValueClass::kNan) {
      values[i] = output.canonical_nan;
      continue;
    }
    const bool saturates = config_.block.dequant_overflow == DequantOverflow::kSaturate;
    const Unpacked value = element.cls == ValueClass::kFinite ? multiply(scale, element) : element;
    const Encoded encoded = encode(value, output, saturates ? saturate : policy, 0);
    const bool to_nan = config_.block.dequant_overflow == DequantOverflow::kNan &&
                        (encoded.flags & kFlagOverflow) != 0;
    values[i] = to_nan ? output.canonical_nan : encoded.code;
  }
}

}  // namespace mx
