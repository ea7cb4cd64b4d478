#include "sim/block/stage_faults.hpp"

#include <bit>

#include "sim/block/recode.hpp"

namespace mx::sim {
namespace {

using Config = QuantizerConfig;

bool has_name(const ElementFormat& format, std::string_view name) { return format.name == name; }

std::array<std::uint64_t, kLanes> codes_of(const BlockIn& block, const Quantizer& quantizer) {
  std::array<std::uint64_t, kLanes> source;
  source_codes(block, quantizer.config().source, source);
  return source;
}

/// What the scale rule makes of the block.
ScaleTrace scale_trace(const BlockIn& block, const Quantizer& quantizer) {
  return quantizer.explain_scale(codes_of(block, quantizer));
}

bool is_subnormal(const Quantizer& quantizer, const LaneAnswer& lane) {
  const ElementFormat& source = quantizer.config().source;
  const std::uint64_t magnitude = lane.source & ~source.sign_bit();
  return magnitude != 0 && magnitude >> source.man_bits == 0;
}

std::uint64_t signed_code(const Quantizer& quantizer, const LaneAnswer& lane,
                          std::uint64_t magnitude) {
  const ElementFormat& format = quantizer.config().format.element;
  return is_negative(quantizer, lane) ? format.sign_bit() | magnitude : magnitude;
}

// Elements.

/// An fp16 subnormal of twice its value.
void double_fp16_subnormals(BlockIn& block, const Config& config, const FaultContext&) {
  if (!has_name(config.source, "fp16") || config.element.src_ftz == SourceSubnormals::kFlush)
    return;
  for (std::uint32_t& word : block.source) {
    if ((word & 0x7C00) == 0) word = (word & 0xFFFF8000) | (word & 0x3FF) << 1;
  }
}

/// The data path halves what the key has right.
void halve_source_subnormals(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                             BlockOut& out) {
  if (has_name(quantizer.config().source, "fp16") || out.scale() >= 0xFE) return;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    return is_subnormal(quantizer, lane) ? element_under(quantizer, lane, out.scale() + 1U)
                                         : lane.encoded;
  });
}

void halve_elements(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                    BlockOut& out) {
  if (out.scale() >= 0xFE) return;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    return element_under(quantizer, lane, out.scale() + 1U);
  });
}

void zero_subnormal_results(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                            BlockOut& out) {
  const ElementFormat& format = quantizer.config().format.element;
  if (format.kind != FormatKind::kFloat) return;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    const Trace& trace = lane.trace;
    if (!trace.has_neighbours || trace.lower >> format.man_bits != 0) return lane.encoded;
    return Encoded{signed_code(quantizer, lane, 0), 0};
  });
}

/// What lies below the guard and the bits that N random bits meet is forgotten.
void forget_far_sticky(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                       BlockOut& out) {
  const Config& config = quantizer.config();
  const ElementFormat& format = config.format.element;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    const Trace& trace = lane.trace;
    if (!trace.has_neighbours || !trace.rounded_up) return lane.encoded;
    const Discarded seen{trace.discarded.fraction & ~(~std::uint64_t{0} >> 8), false};
    const bool negative = is_negative(quantizer, lane);
    if (round_up(config.element.rounding, negative, trace.odd, seen, config.element.random_bits,
                 lane.random)) {
      return lane.encoded;
    }
    if (trace.lower > format.max_code) return lane.encoded;
    const auto flags = static_cast<std::uint8_t>(trace.lower == 0 ? kFlagToZero : 0);
    if (format.kind != FormatKind::kFloat) {
      const std::uint64_t code = negative ? (0 - trace.lower) & format.code_mask() : trace.lower;
      return Encoded{code, flags};
    }
    const bool drops_sign =
        trace.lower == 0 && config.element.zero_sign == ZeroSign::kFlushPositive;
    return Encoded{drops_sign ? 0 : signed_code(quantizer, lane, trace.lower), flags};
  });
}

/// A carry stays in the lowest bit.
void lose_carry(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                BlockOut& out) {
  const ElementFormat& format = quantizer.config().format.element;
  change_codes(block, quantizer, out, [&](const LaneAnswer& lane) {
    const Trace& trace = lane.trace;
    const bool negative = is_negative(quantizer, lane);
    const bool carries = trace.has_neighbours && trace.rounded_up && trace.odd &&
                         trace.upper <= format.max_code &&
                         (format.kind == FormatKind::kFloat || !negative);
    if (!carries) return lane.encoded.code;
    return format.kind == FormatKind::kFloat ? signed_code(quantizer, lane, trace.lower)
                                             : trace.lower;
  });
}

/// Minus one is missing, or there where it should not be.
void ones_complement(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                     BlockOut& out) {
  const ElementFormat& format = quantizer.config().format.element;
  if (!has_name(format, "int8")) return;
  change_codes(block, quantizer, out, [&](const LaneAnswer& lane) -> std::uint64_t {
    const Trace& trace = lane.trace;
    const bool is_zero = trace.step == Trace::Step::kZero;
    if (!is_negative(quantizer, lane)) return lane.encoded.code;
    if (is_zero) return quantizer.config().element.zero_sign == ZeroSign::kKeep ? 0xFF : 0;
    if (!trace.has_neighbours || (lane.encoded.flags & kFlagOverflow) != 0)
      return lane.encoded.code;
    return (0 - trace.lower - (trace.rounded_up ? 0U : 1U)) & 0xFF;
  });
}

/// What is rounded from 480 on is no overflow but what its bits say.
void nan_code_above_448(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                        BlockOut& out) {
  if (!has_name(quantizer.config().format.element, "e4m3fn")) return;
  change_elements(block, quantizer, out, [&](const LaneAnswer& lane) {
    if (!lane.trace.has_neighbours || lane.trace.lower != 0x7F) return lane.encoded;
    return Encoded{signed_code(quantizer, lane, 0) | (0x7FU + (lane.trace.rounded_up ? 1U : 0U)),
                   0};
  });
}

void infinity_loses_sign(BlockIn& block, const Config& config, const FaultContext&) {
  if (config.element.zero_sign != ZeroSign::kFlushPositive || !config.source.has_inf()) return;
  const auto inf = static_cast<std::uint32_t>(config.source.inf_code());
  const auto sign = static_cast<std::uint32_t>(config.source.sign_bit());
  for (std::uint32_t& word : block.source) {
    if ((word & config.source.code_mask()) == (inf | sign)) word &= ~sign;
  }
}

// Scales.

void emax_of_e5m2_off(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                      BlockOut& out) {
  if (!has_name(quantizer.config().format.element, "e5m2")) return;
  const ScaleTrace trace = scale_trace(block, quantizer);
  if (!trace.rule_applied || out.scale() == 0xFF) return;
  recode_unclamped(block, quantizer, trace.unclamped + 1, out);
}

void low_clamp_one_off(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                       BlockOut& out) {
  const ScaleTrace trace = scale_trace(block, quantizer);
  if (trace.rule_applied && trace.unclamped < 0) recode(block, quantizer, 1, out);
}

/// One bit fewer than even_up and even_down have to look at.
void even_run_one_short(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                        BlockOut& out) {
  const Config& config = quantizer.config();
  if (config.block.rule != ScaleRule::kEvenUp) return;
  const ScaleTrace trace = scale_trace(block, quantizer);
  if (!trace.rule_applied || out.scale() == 0xFF) return;
  const ElementFormat& format = config.format.element;
  const int bits = has_name(format, "int8") ? 6 : format.man_bits;
  const std::uint64_t below_top = trace.amax.significand << 1;
  const bool is_run = std::countl_one(below_top) >= bits;
  const bool has_carried = std::countl_one(below_top) >= bits + 1;
  if (is_run && !has_carried) recode_unclamped(block, quantizer, trace.unclamped + 1, out);
}

/// A NaN's exponent field and fraction in the maximum: one binade above the largest finite number.
void nan_a_number_in_maximum(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                             BlockOut& out) {
  const ElementFormat& format = quantizer.config().source;
  if (out.scale() == 0xFF) return;
  std::array<std::uint64_t, kLanes> source = codes_of(block, quantizer);
  bool has_nan = false;
  for (std::uint64_t& code : source) {
    const bool is_nan = decode(format, code).cls == ValueClass::kNan;
    has_nan = has_nan || is_nan;
    code = is_nan ? code ^ std::uint64_t{1} << format.man_bits : 0;
  }
  if (!has_nan || (out.status >> 10 & 1) != 0) return;
  const ScaleTrace trace = quantizer.explain_scale(source);
  if (trace.rule_applied) recode_unclamped(block, quantizer, trace.unclamped + 1, out);
}

/// Which ends of the range make the scale of the finite lanes NaN.
struct RangeEnds {
  bool above = false, carry = false;
};

RangeEnds ends_of(const BlockIn& block, const Quantizer& quantizer) {
  Config config = quantizer.config();
  config.block.amax_over = AmaxOver::kFiniteOnly;
  const ScaleTrace trace = scale_trace(block, Quantizer::make(config).value());
  if (!trace.rule_applied) return {};
  const BlockPolicy& policy = config.block;
  const bool is_even = policy.rule == ScaleRule::kEvenUp || policy.rule == ScaleRule::kEvenDown;
  return {.above = trace.unclamped > 0xFE && policy.scale_sat == ScaleSat::kToNan,
          .carry = is_even && policy.even_carry == EvenCarry::kToNan &&
                   trace.unclamped + config.format.element.emax() > 0xFE};
}

/// The answer that inf_block = scale_nan gives.
void answer_nan_for_infinity(const BlockIn& block, const Quantizer& quantizer, BlockOut& out) {
  Config config = quantizer.config();
  config.block.inf_block = InfBlock::kScaleNan;
  const Quantizer other = Quantizer::make(config).value();
  std::array<std::uint64_t, kLanes> codes;
  make_answer(block, other.quantize_block(codes_of(block, other), block.random, codes), codes, out);
}

bool is_infinity_block(const BlockOut& out) {
  return out.scale() == 0xFE && (out.status >> 10 & 1) != 0;
}

void scale_sat_before_infinity(const BlockIn& block, const Quantizer& quantizer,
                               const FaultContext&, BlockOut& out) {
  if (is_infinity_block(out) && ends_of(block, quantizer).above) {
    answer_nan_for_infinity(block, quantizer, out);
  }
}

void range_nan_before_infinity(const BlockIn& block, const Quantizer& quantizer,
                               const FaultContext&, BlockOut& out) {
  if (!is_infinity_block(out)) return;
  const RangeEnds ends = ends_of(block, quantizer);
  if (ends.above || ends.carry) answer_nan_for_infinity(block, quantizer, out);
}

constexpr Fault kFaults[] = {
    {"fp16_subnormal_exponent_off", "fp16 subnormals need their true exponent (spec R5.2)", nullptr,
     double_fp16_subnormals},
    {"fp32_subnormal_exponent_off", "a source subnormal has exponent 1 (spec R5.3 step 1)", nullptr,
     nullptr, halve_source_subnormals},
    {"element_exponent_off",
     "the biased exponent of an element is E - S + 1 - emin (spec R5.3 step 1)", nullptr, nullptr,
     halve_elements},
    {"subnormals_zeroed", "subnormal results are kept (spec F10.5)", nullptr, nullptr,
     zero_subnormal_results},
    {"sticky_below_kept_lost", "sticky is the OR of every bit below guard (spec R5.3 step 4)",
     nullptr, nullptr, forget_far_sticky},
    {"stochastic_carry_in",
     "stochastic_a is the carry of the discarded bits and R, and of nothing else (spec R5.4)",
     nullptr,
     [](BlockIn& b, const Config& c, const FaultContext&) {
       if (!is_stochastic(c.element.rounding)) return;
       for (std::uint32_t& r : b.random) ++r;
     }},
    {"rounding_carry_lost", "a carry out of rounding goes on into the exponent (spec R5.3 step 5)",
     nullptr, nullptr, lose_carry},
    {"int8_ones_complement", "a negative int8 element is the two's complement (spec F3.4)", nullptr,
     nullptr, ones_complement},
    {"nan_code_above_448", "a magnitude above the largest code is an overflow (spec R5.3 step 6)",
     nullptr, nullptr, nan_code_above_448},
    {"infinity_loses_sign",
     "flush_positive drops the sign of zero, and of nothing else (spec F10.4)", nullptr,
     infinity_loses_sign},
    {"emax_of_e5m2_off", "the scale is E_max - emax, and emax of e5m2 is 15 (spec F3.1)", nullptr,
     nullptr, emax_of_e5m2_off},
    {"low_clamp_one_off", "a scale below 00 is clamped to it (spec R5.2)", nullptr, nullptr,
     low_clamp_one_off},
    {"even_run_one_short", "even_up looks at the top mb + 1 fraction bits (spec R5.2)", nullptr,
     nullptr, even_run_one_short},
    {"nan_a_number_in_maximum", "NaN lanes give key 0 (spec R5.2)", nullptr, nullptr,
     nan_a_number_in_maximum},
    {"scale_sat_before_infinity",
     "inf_block = scale_max gives FE, where scale_sat = to_nan too (spec F12.1)", nullptr, nullptr,
     scale_sat_before_infinity},
    {"range_nan_before_infinity",
     "inf_block = scale_max gives FE, wherever the finite lanes lie (spec F12.1)", nullptr, nullptr,
     range_nan_before_infinity},
};

}  // namespace

std::span<const Fault> stage_faults() { return kFaults; }

}  // namespace mx::sim
