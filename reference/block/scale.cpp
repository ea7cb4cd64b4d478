#include "reference/block/scale.hpp"

#include <cassert>

#include "reference/block/rules.hpp"
#include "reference/block/scaling.hpp"

namespace mx {
namespace {

Unpacked power_of_two(int exponent) { return unpack_integer(false, 1, exponent); }

/// Step 2. A block with NaN or infinities has no finite maximum, so it is not flushed.
bool flushes(const QuantizerConfig& c, const BlockScan& scan) {
  return c.block.src_daz_block == BlockFlush::kFlush && !scan.has_nan && !scan.has_inf &&
         scan.amax.cls == ValueClass::kFinite && flush_exponent(c, scan.amax) <= -127;
}

void set_nan(const QuantizerConfig& c, BlockScale& scale) {
  scale.code = nan_scale_code(c.format.scale);
  scale.is_nan = true;
}

void apply_rule(const QuantizerConfig& c, const Unpacked& amax,
                std::span<const std::uint64_t> source, std::uint32_t random, BlockScale& scale) {
  const ScaleChoice choice = facts_of(c.block.rule).reads_four_over_six
                                 ? choose_four_over_six(c, amax, source)
                                 : choose_scale(c, amax, random);
  scale.code = choice.code;
  scale.unclamped = choice.unclamped;
  scale.rule_applied = true;
  if (choice.clamped) scale.flags |= kBlockScaleClamped;
  if (c.format.sublevels[0] != 0) scale.code = add_sublevels(c, scale.code, source);
}

void scale_infinity(const QuantizerConfig& c, std::span<const std::uint64_t> source,
                    std::uint32_t random, BlockScale& scale) {
  switch (c.block.inf_block) {
    case InfBlock::kScaleNan:
    case InfBlock::kAllNan:
      return set_nan(c, scale);
    case InfBlock::kScaleMax:
      scale.code = c.format.scale_limit != 0 ? c.format.scale_limit : c.format.scale.max_code;
      return;
    case InfBlock::kAsE255:
    case InfBlock::kAsTwoTo128:
      // Real-valued rules decide for infinity itself, the others for the exponent it has in bits.
      apply_rule(c, is_power_rule(c.block.rule) ? power_of_two(128) : scale.scan.amax, source,
                 random, scale);
  }
}

void scale_zero(const QuantizerConfig& c, std::span<const std::uint64_t> source,
                std::uint32_t random, BlockScale& scale) {
  const ScaleFormat& format = c.format.scale;
  scale.flags |= kBlockZero;
  switch (c.block.zero_block_scale) {
    case ZeroBlockScale::kCode00:
      // Real-valued rules are defined at zero; those of powers of two are not.
      if (!is_power_rule(c.block.rule)) apply_rule(c, {}, source, random, scale);
      return;
    case ZeroBlockScale::kMinNormal:
      scale.code = encode(power_of_two(format.emin()), format, ElementPolicy{}, 0).code;
      return;
    case ZeroBlockScale::kOne:
      scale.code = encode(power_of_two(0), format, ElementPolicy{}, 0).code;
      return;
    case ZeroBlockScale::kMinAmax:
      apply_rule(c, power_of_two(-126), source, random, scale);
  }
}

/// maxabs_finite answers for every block: infinite only without a finite element, NaN only if all
/// are NaN. Elements that a partial block lacks are zeros, so finite.
void scale_maxabs(const QuantizerConfig& c, std::uint64_t lanes, BlockScale& scale) {
  const bool partial = c.format.extent == BlockExtent::kElements &&
                       lanes < static_cast<std::uint64_t>(c.format.elements());
  const bool any_finite = scale.scan.has_finite || partial;
  if (!any_finite && !scale.scan.has_inf) return set_nan(c, scale);
  if (!any_finite) scale.scan.amax = {.cls = ValueClass::kInf};
  if (scale.scan.amax.cls == ValueClass::kZero) scale.flags |= kBlockZero;
  apply_rule(c, scale.scan.amax, {}, 0, scale);
}

/// Steps 2 to 5 for a block that was scanned. `source` is read by the rules that look at elements
/// once more.
BlockScale scale_scanned(const QuantizerConfig& c, const BlockScan& scanned, std::uint64_t lanes,
                         std::span<const std::uint64_t> source, std::uint32_t random) {
  BlockScale scale{.scan = scanned};
  BlockScan& scan = scale.scan;
  if (flushes(c, scan)) {
    scale.flushed = true;
    scan.amax = {};
    source = {};  // zeros, as far as any rule looks at elements
  }
  if (scan.has_inf) scale.flags |= kBlockHasInf;
  if (scan.has_nan) scale.flags |= kBlockHasNan;
  if (facts_of(c.block.rule).takes_every_block) {
    scale_maxabs(c, lanes, scale);
  } else if (scan.has_nan && c.block.amax_over == AmaxOver::kAll) {
    set_nan(c, scale);
  } else if (scan.amax.cls == ValueClass::kInf) {
    scale_infinity(c, source, random, scale);
  } else if (scan.amax.cls == ValueClass::kZero) {
    scale_zero(c, source, random, scale);
  } else {
    apply_rule(c, scan.amax, source, random, scale);
  }
  scale.is_nan =
      scale.is_nan ||
      decode(c.format.scale, scale.code & c.format.scale.code_mask()).cls == ValueClass::kNan;
  return scale;
}

}  // namespace

BlockScale scale_block(const QuantizerConfig& c, std::span<const std::uint64_t> source,
                       std::span<const std::uint32_t> random) {
  return scale_scanned(c, scan_block(c, source), source.size(), source,
                       random.empty() ? 0 : random[0]);
}

bool scale_needs_only_scan(const QuantizerConfig& c) {
  return !facts_of(c.block.rule).reads_four_over_six && c.format.sublevels[0] == 0;
}

BlockScale scale_of_scan(const QuantizerConfig& c, const BlockScan& scan, std::uint64_t lanes,
                         std::uint32_t random) {
  assert(scale_needs_only_scan(c));
  return scale_scanned(c, scan, lanes, {}, random);
}

}  // namespace mx
