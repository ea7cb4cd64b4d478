#include "sim/block/fault.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "sim/block/recode.hpp"
#include "sim/block/stage_faults.hpp"

namespace mx::sim {
namespace {

using Config = QuantizerConfig;

bool is(const ElementFormat& format, std::string_view name) { return format.name == name; }

template <typename E>
void replace(E& value, E from, E to) {
  if (value == from) value = to;
}

// The format with IEEE's layout: the top exponent is for infinities and NaN.
void reserve_top_binade(ElementFormat& f) {
  f.inf = InfKind::kIeeeTop;
  f.nan = NanKind::kIeeeAll;
  f.max_code = f.inf_code() - 1;
  f.canonical_nan = f.magnitude_mask();
}

std::uint64_t overflow_code_of(const Config& config, std::uint64_t code) {
  const ElementFormat& f = config.format.element;
  const std::uint64_t sign = f.kind == FormatKind::kFloat ? code & f.sign_bit() : 0;
  if (f.has_inf()) return sign | f.inf_code();
  return f.has_nan() ? sign | f.canonical_nan : code;
}

bool is_ieee_like(const Config& config) {
  return config.element.overflow == Overflow::kNoneInfOrNan &&
         (config.format.element.has_inf() || config.format.element.has_nan());
}

/// Does a rounding stop at the largest value of a sign?
bool is_inward(Rounding rounding, bool negative) {
  return rounding == Rounding::kTowardZero ||
         rounding == (negative ? Rounding::kTowardPositive : Rounding::kTowardNegative);
}

constexpr std::uint16_t kStatusClamped = 1 << 8;
constexpr std::uint16_t kStatusInf = 1 << 10;
constexpr std::uint16_t kStatusUnderflow = 1 << 12;
constexpr std::uint16_t kStatusSaturated = 1 << 13;

void clear_status(BlockOut& out, std::uint16_t bit) {
  out.status = static_cast<std::uint16_t>(out.status & ~bit);
}

// Wrong rounding decisions and what is discarded.
constexpr Fault kRoundingFaults[] = {
    {"ties_to_away_for_even", "ties_to_even at a tie takes the even neighbour (spec F9.1)",
     [](Config& c) { replace(c.element.rounding, Rounding::kTiesToEven, Rounding::kTiesToAway); }},
    {"ties_to_zero_for_away", "ties_to_away at a tie goes away from zero (spec F9.1)",
     [](Config& c) { replace(c.element.rounding, Rounding::kTiesToAway, Rounding::kTiesToZero); }},
    {"directed_modes_swapped", "toward_positive and toward_negative see the sign (spec F9.1)",
     [](Config& c) {
       if (c.element.rounding == Rounding::kTowardPositive) {
         c.element.rounding = Rounding::kTowardNegative;
       } else {
         replace(c.element.rounding, Rounding::kTowardNegative, Rounding::kTowardPositive);
       }
     }},
    {"to_odd_truncates", "to_odd makes an inexact result odd (spec F9.1)",
     [](Config& c) { replace(c.element.rounding, Rounding::kToOdd, Rounding::kTowardZero); }},
    {"away_needs_guard", "away_from_zero moves on any discarded bit (spec F9.1)",
     [](Config& c) {
       replace(c.element.rounding, Rounding::kAwayFromZero, Rounding::kTiesToAway);
     }},
    {"sticky_cut_short", "sticky is the OR of every bit below guard (spec R5.3 step 4)", nullptr,
     [](BlockIn& b, const Config& c, const FaultContext&) {
       if (!is(c.source, "fp32")) return;
       for (std::uint32_t& word : b.source) {
         if ((word & 0x7F800000) != 0x7F800000) word &= ~std::uint32_t{0xFF};
       }
     }},
    {"double_rounding_bf16", "one rounding for each element (spec F9.5)",
     [](Config& c) {
       if (is(c.source, "fp32")) c.element.staging = Staging::kViaBf16;
     }},
    {"stochastic_compare", "stochastic_a is a carry, exact values never move (spec R5.4)", nullptr,
     [](BlockIn& b, const Config& c, const FaultContext&) {
       if (!is_stochastic(c.element.rounding)) return;
       for (std::uint32_t& r : b.random) r = (1U << c.element.random_bits) - r;
     }},
    {"stochastic_b_for_a", "stochastic_a compares the top N discarded bits (spec F9.1)",
     [](Config& c) {
       replace(c.element.rounding, Rounding::kStochasticA, Rounding::kStochasticB);
     }},
    {"random_bits_short", "all N random bits count (spec R5.5)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext&) {
       for (std::uint32_t& r : b.random) r &= ~1U;
     }},
    {"random_lanes_reversed", "lane i takes rnd_i[i*N +: N] (spec R5.5)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext&) { std::ranges::reverse(b.random); }},
    {"random_shared", "every lane has its own random bits (spec R5.5)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext&) { b.random.fill(b.random[0]); }},
};

// Wrong facts about formats, subnormals and overflow.
constexpr Fault kFormatFaults[] = {
    {"results_flushed", "subnormal results are kept (spec F10.5)",
     [](Config& c) { c.element.dst_ftz = ResultSubnormals::kFlushAfterRounding; }},
    {"sources_flushed", "subnormal sources are exact (spec F10.5)",
     [](Config& c) { c.element.src_ftz = SourceSubnormals::kFlush; }},
    {"fp16_subnormals_flushed", "fp16 subnormals need their true exponent (spec R5.2)",
     [](Config& c) {
       if (is(c.source, "fp16")) c.element.src_ftz = SourceSubnormals::kFlush;
     }},
    {"subnormal_shift_off", "the subnormal quantum is 2^(emin - m) (spec R5.3 step 3)", nullptr,
     nullptr,
     [](const BlockIn& b, const Quantizer& q, const FaultContext&, BlockOut& out) {
       const ElementFormat& f = q.config().format.element;
       if (f.kind != FormatKind::kFloat || out.scale() == 0) return;
       change_elements(b, q, out, [&](const LaneAnswer& lane) {
         if (!lane.trace.has_neighbours || lane.trace.upper >> f.man_bits != 0) return lane.encoded;
         return element_under(q, lane, out.scale() - 1U);
       });
     }},
    {"e4m3_max_240", "the largest e4m3fn code is 7E = 448 (spec F3.1)",
     [](Config& c) {
       if (is(c.format.element, "e4m3fn")) reserve_top_binade(c.format.element);
     }},
    {"e3m2_top_binade_reserved", "the largest e3m2fn code is 1F = 28 (spec F3.1)",
     [](Config& c) {
       if (is(c.format.element, "e3m2fn")) reserve_top_binade(c.format.element);
     }},
    {"e5m2_emax_16", "the largest e5m2 exponent is 15 (spec F3.1)",
     [](Config& c) {
       ElementFormat& f = c.format.element;
       if (!is(f, "e5m2")) return;
       f.inf = InfKind::kNone;
       f.nan = NanKind::kNone;
       f.max_code = 0x7F;
       f.canonical_nan = 0;
     }},
    {"int8_scale_2_7", "an int8 element is i * 2^-6 (spec F3.4)",
     [](Config& c) {
       if (is(c.format.element, "int8")) c.format.element.frac_bits = 7;
     }},
    {"e4m3_inf_as_78", "e4m3fn has no infinity; 78 is 256 (spec F3.1)",
     [](Config& c) {
       if (is(c.format.element, "e4m3fn")) c.format.element.inf = InfKind::kIeeeTop;
     }},
    {"e5m2_nan_7e", "the e5m2 NaN code is 7F (spec R5.6)",
     [](Config& c) {
       if (is(c.format.element, "e5m2")) c.format.element.canonical_nan = 0x7E;
     }},
    {"overflow_before_rounding", "overflow is judged after rounding (spec F8 step 10)", nullptr,
     nullptr,
     [](const BlockIn& b, const Quantizer& q, const FaultContext&, BlockOut& out) {
       if (!is_ieee_like(q.config())) return;
       change_codes(b, q, out, [&](const LaneAnswer& lane) {
         const Trace& t = lane.trace;
         const bool above = t.has_neighbours && t.lower == q.config().format.element.max_code &&
                            !t.discarded.exact() &&
                            !is_inward(q.config().element.rounding, is_negative(q, lane));
         return above ? overflow_code_of(q.config(), lane.encoded.code) : lane.encoded.code;
       });
     }},
    {"overflow_ignores_mode", "inward directed modes stop at the largest value (spec F10.1)",
     nullptr, nullptr,
     [](const BlockIn& b, const Quantizer& q, const FaultContext&, BlockOut& out) {
       if (!is_ieee_like(q.config())) return;
       change_codes(b, q, out, [&](const LaneAnswer& lane) {
         const Trace& t = lane.trace;
         const bool beyond = t.step == Trace::Step::kOverflowed ||
                             (t.has_neighbours && t.lower > q.config().format.element.max_code);
         return beyond ? overflow_code_of(q.config(), lane.encoded.code) : lane.encoded.code;
       });
     }},
    {"top_tie_overflows", "a tie above an even largest code stays (spec F10.1)", nullptr, nullptr,
     [](const BlockIn& b, const Quantizer& q, const FaultContext&, BlockOut& out) {
       if (!is_ieee_like(q.config()) || q.config().element.rounding != Rounding::kTiesToEven)
         return;
       change_codes(b, q, out, [&](const LaneAnswer& lane) {
         const Trace& t = lane.trace;
         const bool top_tie = t.has_neighbours && t.discarded.guard() && !t.discarded.sticky() &&
                              t.lower == q.config().format.element.max_code;
         return top_tie ? overflow_code_of(q.config(), lane.encoded.code) : lane.encoded.code;
       });
     }},
    {"saturation_lost", "sat_finite gives the largest code (spec F10.1)",
     [](Config& c) { replace(c.element.overflow, Overflow::kSatFinite, Overflow::kNoneInfOrNan); }},
    {"overflow_saturates", "none_inf_or_nan gives Inf, else NaN (spec F10.1)",
     [](Config& c) { replace(c.element.overflow, Overflow::kNoneInfOrNan, Overflow::kSatFinite); }},
    {"int_min_allowed", "clamp_symmetric keeps int8 within +-127 (spec F8 step 5)",
     [](Config& c) { c.element.int_min = IntMin::kAllow; }},
    {"int_min_clamped", "int_min = allow gives code 80 (spec F8 step 5)",
     [](Config& c) { c.element.int_min = IntMin::kClampSymmetric; }},
    {"minus_zero_lost", "-0 keeps its sign (spec F10.4)",
     [](Config& c) { c.element.zero_sign = ZeroSign::kFlushPositive; }},
    {"minus_zero_kept", "flush_positive drops the sign of zero (spec F10.4)",
     [](Config& c) { c.element.zero_sign = ZeroSign::kKeep; }},
};

void lose_lane_31(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                  BlockOut& out) {
  const ElementFormat& format = quantizer.config().source;
  const ValueClass last = decode(format, block.source[31] & format.code_mask()).cls;
  if (out.scale() == 0xFF || last == ValueClass::kNan || last == ValueClass::kInf) return;
  BlockIn without = block;
  without.source[31] = 0;
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(without, format, source);
  BlockOut other;
  make_answer(block, quantizer.quantize_block(source, without.random, codes), codes, other);
  if (other.scale() == 0xFF) return;
  out.status = other.status;
  recode(block, quantizer, other.scale(), out);
}

void scale_of_previous(const BlockIn& block, const Quantizer& quantizer,
                       const FaultContext& context, BlockOut& out) {
  if (context.previous == nullptr || out.scale() == 0xFF) return;
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(*context.previous, quantizer.config().source, source);
  const BlockResult result = quantizer.quantize_block(source, context.previous->random, codes);
  if (result.scale_code != 0xFF) recode(block, quantizer, result.scale_code, out);
}

// The mask 4FFFFF looks at neither bit 20 nor bit 21 of the fraction, of any lane.
void ceil_mask_short(const BlockIn& block, const Quantizer& quantizer, const FaultContext&,
                     BlockOut& out) {
  const Config& config = quantizer.config();
  if (config.block.rule != ScaleRule::kCeil || out.scale() == 0xFF) return;
  std::array<std::uint64_t, kLanes> source;
  source_codes(block, config.source, source);
  const ScaleTrace trace = quantizer.explain_scale(source);
  if (!trace.rule_applied || trace.amax.significand << 1 == 0) return;
  for (const std::uint64_t code : source) {
    const Unpacked value = decode(config.source, code);
    const bool is_top = value.cls == ValueClass::kFinite && value.exponent == trace.amax.exponent;
    if (is_top && (value.significand >> 40 & 0x4FFFFF) != 0) return;
  }
  recode_unclamped(block, quantizer, trace.unclamped - 1, out);
}

void bias_in_scale(const BlockIn&, const Quantizer& quantizer, const FaultContext&, BlockOut& out) {
  const auto bias = static_cast<unsigned>(quantizer.config().format.element.bias);
  if (out.scale() == 0xFF || out.scale() < bias) return;
  out.status = static_cast<std::uint16_t>(out.status - bias);
}

// Wrong scales and special blocks.
constexpr Fault kScaleFaults[] = {
    {"bias_in_scale", "the scale is E_max - emax, without the element bias (spec R5.2)", nullptr,
     nullptr, bias_in_scale},
    {"ceil_mask_4fffff", "ceil looks at all 23 fraction bits (spec F11.2)", nullptr, nullptr,
     ceil_mask_short},
    {"floor_for_ceil", "ceil rounds the exponent up (spec F11.2)",
     [](Config& c) { replace(c.block.rule, ScaleRule::kCeil, ScaleRule::kFloor); }},
    {"ceil_for_floor", "floor never rounds the exponent up (spec F11.2)",
     [](Config& c) { replace(c.block.rule, ScaleRule::kFloor, ScaleRule::kCeil); }},
    {"ceil_for_rceil", "rceil compares with the largest value (spec F11.2)",
     [](Config& c) { replace(c.block.rule, ScaleRule::kRceil, ScaleRule::kCeil); }},
    {"even_down_for_even_up", "even_up carries at the tie (spec F11.2)",
     [](Config& c) { replace(c.block.rule, ScaleRule::kEvenUp, ScaleRule::kEvenDown); }},
    {"lane_31_not_in_maximum", "the maximum is over all kept lanes (spec R5.2)", nullptr, nullptr,
     lose_lane_31},
    {"scale_of_previous_block", "maximum and data belong to the same block (spec R8.3 item 13)",
     nullptr, nullptr, scale_of_previous},
    {"nan_left_out_of_maximum", "a NaN lane makes the block's scale FF (spec F12.1)",
     [](Config& c) { replace(c.block.amax_over, AmaxOver::kAll, AmaxOver::kIgnoreNan); }},
    {"inf_left_out_of_maximum", "an Inf lane counts unless finite_only (spec F12.1)",
     [](Config& c) { replace(c.block.amax_over, AmaxOver::kIgnoreNan, AmaxOver::kFiniteOnly); }},
    {"inf_block_always_nan", "inf_block = scale_max gives FE (spec F12.1)",
     [](Config& c) { c.block.inf_block = InfBlock::kScaleNan; }},
    {"zero_block_scale_one", "a zero block has scale 00 (spec F12.1)",
     [](Config& c) { c.block.zero_block_scale = ZeroBlockScale::kOne; }},
    {"zero_block_scale_ignored", "zero_block_scale = one gives 7F (spec F12.1)",
     [](Config& c) { c.block.zero_block_scale = ZeroBlockScale::kCode00; }},
    {"nan_scale_codes_zero", "nan_scale_codes = nan gives NaN codes (spec F12.1)",
     [](Config& c) { c.block.nan_scale_codes = NanScaleCodes::kDontCare; }},
    {"even_carry_exact", "even_carry = to_nan gives FF (spec F11.2)",
     [](Config& c) { c.block.even_carry = EvenCarry::kExact; }},
    {"scale_sat_clamps", "scale_sat = to_nan gives FF (spec F11.2)",
     [](Config& c) { c.block.scale_sat = ScaleSat::kClamp; }},
    {"element_nan_unsigned", "keep_sign keeps a NaN's sign (spec F10.3)",
     [](Config& c) {
       replace(c.element.nan, NanPolicy::kKeepSign, NanPolicy::kCanonicalPositive);
     }},
    {"clamped_bit_missing", "status bit 8: scale clamped (spec R6)", nullptr, nullptr,
     [](const BlockIn&, const Quantizer&, const FaultContext&, BlockOut& out) {
       clear_status(out, kStatusClamped);
     }},
    {"inf_bit_missing", "status bit 10: Inf present (spec R6)", nullptr, nullptr,
     [](const BlockIn&, const Quantizer&, const FaultContext&, BlockOut& out) {
       clear_status(out, kStatusInf);
     }},
    {"underflow_bit_missing", "status bit 12: underflow (spec R6)", nullptr, nullptr,
     [](const BlockIn&, const Quantizer&, const FaultContext&, BlockOut& out) {
       clear_status(out, kStatusUnderflow);
     }},
    {"saturated_bit_missing", "status bit 13: saturated (spec R6)", nullptr, nullptr,
     [](const BlockIn&, const Quantizer&, const FaultContext&, BlockOut& out) {
       clear_status(out, kStatusSaturated);
     }},
};

// Configuration and side channels taken from the wrong place.
constexpr Fault kStreamFaults[] = {
    {"format_of_previous_block", "configuration travels with its block (spec R6)", nullptr, nullptr,
     nullptr, PortFault::kNone,
     [](Config& c, const Config& p) { c.format.element = p.format.element; }},
    {"rounding_of_previous_block", "configuration travels with its block (spec R6)", nullptr,
     nullptr, nullptr, PortFault::kNone,
     [](Config& c, const Config& p) { c.element.rounding = p.element.rounding; }},
    {"rule_of_previous_block", "configuration travels with its block (spec R6)", nullptr, nullptr,
     nullptr, PortFault::kNone, [](Config& c, const Config& p) { c.block.rule = p.block.rule; }},
    {"random_of_previous_block", "random word k belongs to block k (spec R5.5)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext& f) {
       if (f.previous != nullptr) b.random = f.previous->random;
     }},
    {"neighbours_exchanged", "element i is at [i*IN +: IN] (spec R6)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext&) {
       for (std::size_t i = 0; i + 1 < kLanes; i += 2) std::swap(b.source[i], b.source[i + 1]);
     }},
    {"keep_ignored", "lanes not kept count as +0 (spec R6)", nullptr,
     [](BlockIn& b, const Config&, const FaultContext&) { b.keep = kAllLanes; }},
    {"last_lost", "tlast passes through (spec R6)", nullptr, nullptr,
     [](const BlockIn&, const Quantizer&, const FaultContext&, BlockOut& out) {
       out.last = false;
     }},
    {"high_half_seen", "the high half of a 16-bit slot is ignored (spec R6)", nullptr,
     [](BlockIn& b, const Config& c, const FaultContext&) {
       if (c.source.bits != 16) return;
       for (std::uint32_t& word : b.source) word ^= word >> 31;
     }},
};

constexpr Fault kPortFaults[] = {
    {"drop_on_stall", "no block is lost under back-pressure (spec R8.3 item 15)", nullptr, nullptr,
     nullptr, PortFault::kDropOnStall},
    {"duplicate", "one answer for each block (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kDuplicate},
    {"reorder", "answers come in the order of the blocks (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kReorder},
    {"hang", "a block comes out (spec R6)", nullptr, nullptr, nullptr, PortFault::kHang},
    {"never_ready", "a block is taken (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kNeverReady},
    {"stale_after_reset", "a reset clears every valid bit (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kStaleAfterReset},
    {"payload_changes", "the payload is stable while it waits (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kPayloadChanges},
    {"valid_falls", "valid stays until ready (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kValidFalls},
    {"extra_at_end", "one answer for each block (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kExtraAtEnd},
    {"valid_waits", "valid never waits for ready (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kValidWaits},
    {"valid_waits_late", "valid never waits for ready (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kValidWaitsLate},
    {"bubble_each_block", "a block is taken in every cycle (spec R6)", nullptr, nullptr, nullptr,
     PortFault::kBubble},
    {"late_answer", "an answer comes after the declared latency (spec R6)", nullptr, nullptr,
     nullptr, PortFault::kLate},
};

}  // namespace

std::span<const Fault> all_faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> faults;
    for (const std::span<const Fault> part :
         {std::span<const Fault>(kRoundingFaults), std::span<const Fault>(kFormatFaults),
          std::span<const Fault>(kScaleFaults), stage_faults(),
          std::span<const Fault>(kStreamFaults), std::span<const Fault>(kPortFaults)}) {
      faults.insert(faults.end(), part.begin(), part.end());
    }
    return faults;
  }();
  return all;
}

const Fault* find_fault(std::string_view token) {
  const auto all = all_faults();
  const auto found = std::ranges::find(all, token, &Fault::token);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace mx::sim
