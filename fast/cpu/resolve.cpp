#include "fast/cpu/resolve.hpp"

#include <algorithm>
#include <string>

#include "fast/cpu/ends.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast::cpu {
namespace {

constexpr std::uint16_t kAll = 0xFFFF;

std::uint16_t code16(std::uint64_t code) { return static_cast<std::uint16_t>(code); }

std::string_view policy_problem(const ElementPolicy& p) {
  if (p.src_ftz != SourceSubnormals::kKeep) return "src_ftz";
  if (p.dst_ftz != ResultSubnormals::kKeep) return "dst_ftz";
  return p.staging != Staging::kNone ? "staging" : "";
}

/// The draw of a rounding; a carry needs a bit below the drawn ones, except for A.
Draw draw_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kStochasticA:
      return Draw::kA;
    case Rounding::kStochasticB:
      return Draw::kB;
    case Rounding::kStochasticC:
      return Draw::kC;
    case Rounding::kStochasticCOdd:
      return Draw::kCOdd;
    default:
      return Draw::kNone;
  }
}

std::string_view drawing_problem(const ElementPolicy& p, Drawing drawing) {
  if (is_stochastic(p.rounding) != (drawing == Drawing::kDrawn)) {
    return drawing == Drawing::kDrawn ? "the rounding draws nothing" : "the rounding is stochastic";
  }
  if (drawing == Drawing::kNone) return "";
  const int most = p.rounding == Rounding::kStochasticA ? 32 : 31;
  return p.random_bits < 1 || p.random_bits > most ? "random_bits" : "";
}

std::string_view block_problem(const BlockJob& job) {
  const BlockPolicy& b = job.block;
  if (const std::string_view why = shape_problem(job.format); !why.empty()) return why;
  if (b.amax_over != AmaxOver::kAll) return "amax_over";
  if (b.inf_block != InfBlock::kScaleNan && b.inf_block != InfBlock::kAllNan) return "inf_block";
  if (b.nan_scale_codes == NanScaleCodes::kAsComputed) return "elem_codes_when_nan_scale";
  if (b.elem_scaling != ElemScaling::kExact) return "elem_scaling";
  if (!has_known_ratio(b)) return "ratio_op";
  const E8m0Quirk quirk = job.element.e8m0_quirk;
  if (facts_of(b.rule).quirk == RuleQuirk::kNone) return "";
  return quirk != E8m0Quirk::kNone && quirk != E8m0Quirk::kOnnxUp ? "e8m0_quirk" : "";
}

/// What a rule adds to the maximum's key so that its exponent field is the rule's; negative: the
/// rule is another kind of rule. The thresholds of spec F11.2 lie on bits that a key holds.
int addend_of(ScaleRule rule, const ElementFormat& element) {
  const int m = element.rule_man_bits();
  const std::uint64_t below = element.is_fixed() ? element.max_code ^ (std::uint64_t{1} << m)
                                                 : element.max_code & element.man_mask();
  switch (rule) {
    case ScaleRule::kFloor:
      return 0;
    case ScaleRule::kCeil:
      return 255;
    case ScaleRule::kRceil:
      return 255 - static_cast<int>(below << (kKeyBits - m));
    case ScaleRule::kEvenUp:
      return 1 << (kKeyBits - 1 - m);
    case ScaleRule::kEvenDown:
      return (1 << (kKeyBits - 1 - m)) - 1;
    case ScaleRule::kMidmax: {
      // Half an ulp above the largest element; a tie goes to it where its code is even.
      if (m == 0) return -1;
      const int middle = static_cast<int>((2 * below + 1) << (kKeyBits - 1 - m));
      return 256 - middle - ((element.max_code & 1) == 0 ? 1 : 0);
    }
    default:
      return -1;
  }
}

/// The lower byte of the keys between whose values a rule has its threshold: that of a binade far
/// from 1, where those of logarithms lie furthest from powers of two.
std::uint16_t uncertain_of(const ExponentRule& rule) {
  constexpr std::uint32_t kPower = std::uint32_t{227} << 23;
  const int lower = rule.of(kPower);
  std::uint32_t below = 0;
  std::uint32_t reaching = std::uint32_t{1} << 23;
  while (reaching - below > 1) {
    const std::uint32_t middle = (below + reaching) / 2;
    (rule.of(kPower + middle) > lower ? reaching : below) = middle;
  }
  // Of a threshold between two keys, the lower one.
  const std::uint32_t upper = reaching >> 16 << 1;
  return static_cast<std::uint16_t>((reaching & 0xFFFF) != 0 ? upper + 1 : upper - 1);
}

/// A rule that keys do not decide alone; "" or why it has no kernels.
std::string_view find_rule(const BlockJob& job, int emax, BlockConstants& c) {
  c.rule = exponent_rule(job.source, job.format.element, emax, job.block, job.element.e8m0_quirk);
  const bool is_quirky = facts_of(job.block.rule).quirk != RuleQuirk::kNone &&
                         job.element.e8m0_quirk != E8m0Quirk::kNone;
  if (is_quirky && (!c.rule.lifts || job.format.scale.bias != kKeyBias)) return "e8m0_quirk";
  if (!c.rule.any()) return "";
  c.uncertain = uncertain_of(c.rule);
  // What ratios below the normal numbers become is seen where the source's words are.
  const bool are_plain = c.element.emin <= c.element.man_bits;
  return c.rule.ratio == RatioStep::kNone || are_plain ? "" : "the codes' range";
}

/// The scale of a block of zeros that takes the rule at 2^-126, where keys decide.
void find_least_scale(BlockConstants& c) {
  const int scale = (((1 << kKeyBits) + c.rule_addend) >> kKeyBits) + c.scale_offset;
  c.zero_scale = std::clamp(scale, c.lowest_scale, c.highest_scale);
  if (c.zero_scale != scale) c.zero_status |= kClamped;
}

int zero_scale_of(const BlockJob& job) {
  const ScaleFormat& scale = job.format.scale;
  switch (job.block.zero_block_scale) {
    case ZeroBlockScale::kMinNormal:
      return scale.zero == ZeroKind::kNone ? 0 : 1;
    case ZeroBlockScale::kOne:
      return scale.bias;
    default:
      return 0;
  }
}

/// The short kernel, of constants that have all else. What it aligned it cuts at the end, which may
/// not lie within the first binade; a code above the largest may be the end.
void find_short(Rounding rounding, ElementConstants& c) {
  const bool ties = rounding == Rounding::kTiesToEven || rounding == Rounding::kTiesToAway;
  if (!ties || c.man_bits < 1 || c.limit[0] < (2 << c.man_bits) - 1) return;
  if (c.limit[0] != c.limit[1]) return;
  const std::uint16_t end = c.overflow.of[0];
  if (c.twos_complement != 0) {
    const bool is_even = end == c.limit[0] && c.overflow.of[1] == ((0 - end) & c.code_mask);
    if (is_even) c.short_kernel = Short::kTwos;
  } else if (c.overflow.of[1] == (end | c.sign_bit) && end - c.limit[0] <= 1 && end >= c.limit[0]) {
    c.short_kernel = c.drops_zero_sign != 0    ? Short::kZeroByCode
                     : c.drops_input_sign != 0 ? Short::kZeroByInput
                                               : Short::kSigned;
  }
  c.short_end = end;
}

}  // namespace

Problem no_path(std::string_view why) { return Problem{"no fast path: " + std::string(why)}; }

Problem no_highway() {
  return no_path(
      "this build was configured without Highway; install libhwy-dev and configure again");
}

RoundingMasks masks_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTiesToEven:
      return {.by_odd = kAll, .nearest = kAll};
    case Rounding::kTiesToAway:
      return {.always = kAll, .nearest = kAll};
    case Rounding::kTiesToZero:
      return {.nearest = kAll};
    case Rounding::kTiesTowardPositive:
      return {.by_negative = kAll, .always = kAll, .nearest = kAll};
    case Rounding::kTowardNegative:
      return {.by_negative = kAll};
    case Rounding::kTowardPositive:
      return {.by_negative = kAll, .always = kAll};
    case Rounding::kAwayFromZero:
      return {.always = kAll};
    case Rounding::kToOdd:
      return {.by_odd = kAll, .always = kAll};
    default:
      return {};
  }
}

std::string_view format_problem(const ElementFormat& f) {
  if (f.bits > 8 || f.storage_bits != 8) return "codes of more than 8 bits";
  if (!f.is_signed) return "codes without a sign";
  if (f.kind == FormatKind::kTapered) return "codes that are not ordered by value";
  if (f.rule_man_bits() < 0 || f.rule_man_bits() > 6) return "the codes' precision";
  if (f.is_fixed()) return f.max_code == 0 ? "codes without a range" : "";
  if (f.parity == Parity::kImplicitOdd && f.man_bits == 0) return "the codes' parity";
  if (!f.has_subnormal && f.man_bits > 0) return "codes without subnormals";
  if (f.zero == ZeroKind::kNone) return "codes without a zero";
  return f.bias > 100 || f.bias < -100 ? "the codes' range" : "";
}

std::string_view shape_problem(const BlockFormat& f) {
  if (f.extent != BlockExtent::kElements || f.tile_lines != 1) return "blocks of another shape";
  if (f.block_size < 1 || f.block_size > 1024) return "the block size";
  if (f.sublevels[0] != 0) return "more than one scale";
  // Those of two levels that have a kernel were found before.
  if (f.tensor_scale != TensorScale::kNone) return "the scale rule";
  if (f.cut_from != 0 || f.negative_zero != NegativeZeroDatum::kZero) return "cut elements";
  const ScaleFormat& s = f.scale;
  const bool is_exponent = s.kind == FormatKind::kFloat && !s.is_signed && s.man_bits == 0;
  if (!is_exponent || s.bits > 8 || s.storage_bits != 8) return "the scale is no bare exponent";
  return f.scale_limit > s.max_code ? "the scale limit" : "";
}

Checked<Source> source_of(const ElementFormat& format) {
  if (format == formats::fp32) return Source::kFp32;
  if (format == formats::bf16) return Source::kBf16;
  if (format == formats::fp16) return Source::kFp16;
  return no_path("sources other than fp32, bf16 and fp16");
}

Checked<ElementConstants> resolve_element(const ElementFormat& f, const ElementPolicy& p,
                                          Drawing drawing) {
  if (const std::string_view why = format_problem(f); !why.empty()) return no_path(why);
  if (const std::string_view why = policy_problem(p); !why.empty()) return no_path(why);
  if (const std::string_view why = drawing_problem(p, drawing); !why.empty()) return no_path(why);
  ElementConstants c;
  c.man_bits = f.rule_man_bits();
  c.emin = f.is_fixed() ? f.emax() : f.emin();
  c.rounding = masks_of(p.rounding);
  c.draw = draw_of(p.rounding);
  c.random_bits = p.random_bits;
  const bool is_twos = f.kind == FormatKind::kTwosComplement;
  for (const bool negative : {false, true}) {
    const Ends ends(f, p, negative);
    const std::size_t sign = negative ? 1 : 0;
    const bool is_deeper = negative && is_twos && p.int_min == IntMin::kAllow;
    c.limit[sign] = code16(f.max_code + (is_deeper ? 1 : 0));
    c.overflow.of[sign] = code16(ends.overflow());
    c.infinity.of[sign] = code16(ends.infinity());
    c.nan.of[sign] = code16(ends.nan());
  }
  c.sign_bit = is_twos ? 0 : code16(f.sign_bit());
  c.twos_complement = is_twos ? kAll : 0;
  c.code_mask = code16(f.code_mask());
  const bool has_negative_zero = f.zero == ZeroKind::kPosAndNeg;
  c.drops_zero_sign =
      has_negative_zero && p.zero_sign != ZeroSign::kFlushPositive ? std::uint16_t{0} : kAll;
  c.drops_input_sign = p.zero_sign == ZeroSign::kFlushInput ? kAll : std::uint16_t{0};
  c.saturates = !is_twos && c.drops_zero_sign == 0 && c.drops_input_sign == 0 &&
                c.overflow.of[0] == c.limit[0] && c.limit[1] == c.limit[0] &&
                c.overflow.of[1] == (c.limit[0] | c.sign_bit);
  const bool is_even_twos = is_twos && c.limit[1] == c.limit[0] && c.overflow.of[0] == c.limit[0] &&
                            c.overflow.of[1] == ((0 - c.limit[0]) & c.code_mask);
  c.is_plain = (c.saturates || is_even_twos) && p.rounding == Rounding::kTiesToEven &&
               c.man_bits >= 1 && c.limit[0] >= (2 << c.man_bits) - 1;
  find_short(p.rounding, c);
  return c;
}

Checked<BlockConstants> resolve_block(const BlockJob& job, Drawing drawing) {
  const std::string_view why = block_problem(job);
  if (!why.empty()) return no_path(why);
  Checked<ElementConstants> element = resolve_element(job.format.element, job.element, drawing);
  if (!element) return Problem{std::string(element.problem())};
  const ScaleFormat& scale = job.format.scale;
  // rceil divides by the largest element itself, whatever e_max the format gives its rules.
  const int own_emax = job.format.element.emax();
  const int emax =
      facts_of(job.block.rule).reads_ratio_op ? own_emax : job.format.rule_emax.value_or(own_emax);
  BlockConstants c;
  c.element = *element;
  c.block_size = job.format.block_size;
  if (const std::string_view missing = find_rule(job, emax, c); !missing.empty()) {
    return no_path(missing);
  }
  const int addend =
      c.rule.any() ? 255 - c.uncertain : addend_of(job.block.rule, job.format.element);
  if (addend < 0) return no_path("the scale rule");
  c.rule_addend = static_cast<std::uint16_t>(addend);
  c.scale_offset = scale.bias - kKeyBias - emax;
  c.scale_bias = scale.bias;
  c.lowest_scale = scale.zero == ZeroKind::kNone ? 0 : 1;
  c.highest_scale =
      static_cast<int>(job.format.scale_limit != 0 ? job.format.scale_limit : scale.max_code);
  // A scale format without NaN stores its largest code for one.
  c.nan_scale = static_cast<int>(scale.has_nan() ? scale.canonical_nan : scale.max_code);
  if (job.block.scale_sat == ScaleSat::kToNan && scale.has_nan()) {
    c.nan_field = c.highest_scale - c.scale_offset + 1;
  }
  const bool carries_to_nan =
      facts_of(job.block.rule).reads_even_carry && job.block.even_carry == EvenCarry::kToNan;
  if (carries_to_nan && !scale.has_nan()) return no_path("even_carry without a NaN scale");
  if (carries_to_nan) c.nan_field = std::min(c.nan_field, 255);
  if (c.nan_field < 2) return no_path("a NaN scale for every block");
  c.zero_scale = zero_scale_of(job);
  c.zero_status = kZero;
  if (job.block.zero_block_scale == ZeroBlockScale::kMinAmax) find_least_scale(c);
  c.flushes = job.block.src_daz_block == BlockFlush::kFlush;
  c.element_offset = c.element.emin + kKeyBias - scale.bias - 1;
  const bool fills_nan =
      job.block.nan_scale_codes == NanScaleCodes::kNan && job.format.element.has_nan();
  c.nan_fill =
      fills_nan ? static_cast<std::uint8_t>(job.format.element.canonical_nan) : std::uint8_t{0};
  return c;
}

}  // namespace mx::fast::cpu
