#include "fast/dequantize/resolve.hpp"

#include <string>

#include "fast/cpu/ends.hpp"
#include "fast/cpu/resolve.hpp"
#include "reference/format/way_back.hpp"

namespace mx::fast::dequantize {
namespace {

using cpu::no_path;

constexpr std::uint16_t kAll = 0xFFFF;

std::uint16_t code16(std::uint64_t code) { return static_cast<std::uint16_t>(code); }
std::uint16_t mask_if(bool holds) { return holds ? kAll : std::uint16_t{0}; }

/// The magnitude codes that are no numbers: spec F7, steps 6 and 7.
void find_specials(const ElementFormat& f, CodeConstants& c) {
  if (f.has_inf()) c.inf_magnitude = code16(f.inf_code());
  switch (f.nan) {
    case NanKind::kNone:
      return;
    case NanKind::kIeeeAll:
      c.nan_from = code16((((std::uint64_t{1} << f.exp_bits) - 1) << f.man_bits) + 1);
      return;
    case NanKind::kOuterOnePerSign:
      c.nan_from = code16(f.magnitude_mask());
      return;
    case NanKind::kNegZeroSlot:
      c.nan_code = code16(f.sign_bit());
      return;
    case NanKind::kTopCode:
      c.nan_code = code16(f.code_mask());
  }
}

CodeConstants code_constants(const ElementFormat& f) {
  CodeConstants c;
  // Fixed point, below and above its leading bit, is a float of that precision.
  c.man_bits = f.is_fixed() ? f.bits - 2 : f.man_bits;
  c.unit = f.is_fixed() ? -f.frac_bits : f.emin() - f.man_bits;
  c.sign_shift = 16 - f.bits;
  c.code_mask = code16(f.code_mask());
  const bool is_twos = f.kind == FormatKind::kTwosComplement;
  c.magnitude_mask = code16(is_twos ? f.code_mask() : f.magnitude_mask());
  c.twos_complement = mask_if(is_twos);
  if (!f.is_fixed()) find_specials(f, c);
  if (f.unused_bits == UnusedBits::kMustBeZero) c.stray_bits = code16(0xFF & ~f.code_mask());
  return c;
}

/// What values become under a policy.
WordConstants word_constants(Words words, const ElementFormat& f, const ElementPolicy& p) {
  WordConstants c;
  c.format = words;
  for (const bool negative : {false, true}) {
    const cpu::Ends ends(f, p, negative);
    const std::size_t sign = negative ? 1 : 0;
    c.overflow[sign] = static_cast<std::uint32_t>(ends.overflow());
    c.infinity[sign] = static_cast<std::uint32_t>(ends.infinity());
    c.nan[sign] = static_cast<std::uint32_t>(ends.nan());
  }
  c.rounding = cpu::masks_of(p.rounding);
  c.drops_zero_sign = mask_if(p.zero_sign == ZeroSign::kFlushPositive);
  c.drops_input_sign = mask_if(p.zero_sign != ZeroSign::kKeep);
  c.flushes_before = mask_if(p.dst_ftz == ResultSubnormals::kFlushBeforeRounding);
  c.flushes_after = mask_if(p.dst_ftz == ResultSubnormals::kFlushAfterRounding);
  return c;
}

std::string_view code_problem(const ElementFormat& f) {
  if (const std::string_view why = cpu::format_problem(f); !why.empty()) return why;
  return f.bits < 3 ? "codes of less than 3 bits" : "";
}

Checked<WordConstants> checked_words(const ElementFormat& to, const ElementPolicy& policy) {
  if (is_stochastic(policy.rounding)) return no_path("the rounding is stochastic");
  if (policy.dst_ftz == ResultSubnormals::kFlushAfterUnboundedRounding) return no_path("dst_ftz");
  const Checked<Words> words = cpu::source_of(to);
  if (!words) return no_path("words other than fp32, bf16 and fp16");
  return word_constants(*words, to, policy);
}

Checked<DequantizeConstants> constants_of(const ElementFormat& from, const ElementFormat& to,
                                          const ElementPolicy& policy) {
  if (const std::string_view why = code_problem(from); !why.empty()) return no_path(why);
  const Checked<WordConstants> word = checked_words(to, policy);
  if (!word) return Problem{std::string(word.problem())};
  return DequantizeConstants{code_constants(from), *word};
}

std::array<Scale, 256> scale_table(const ScaleFormat& f) {
  std::array<Scale, 256> table;
  CodeConstants c;
  find_specials(f, c);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint64_t code = i & f.code_mask();
    Scale& scale = table[i];
    // The lowest field is an ordinary binade where there is no zero.
    scale.exponent = static_cast<std::int16_t>(static_cast<int>(code) - f.bias);
    if (!f.takes(i)) {
      scale.kind = ScaleKind::kStray;
    } else if (code == c.nan_code || code >= c.nan_from) {
      scale.kind = ScaleKind::kNan;
    } else if (code == 0 && f.zero != ZeroKind::kNone) {
      scale.kind = ScaleKind::kZero;
    }
  }
  return table;
}

}  // namespace

Checked<BlockConstants> resolve(const DequantizeJob& job) {
  if (const std::string_view why = cpu::shape_problem(job.format); !why.empty()) {
    return no_path(why);
  }
  if (job.format.scale.has_inf()) return no_path("an infinite scale");
  if (job.format.scale.bias < -300 || job.format.scale.bias > 300)
    return no_path("the scale's range");
  if (way_back_of(job.block.rule) != WayBack::kExact)
    return no_path("the rule rounds on the way back");
  if (const std::string_view why = code_problem(job.format.element); !why.empty()) {
    return no_path(why);
  }
  const Checked<WordConstants> word = resolve_words(job);
  if (!word) return Problem{std::string(word.problem())};
  BlockConstants c{.decode = {code_constants(job.format.element), *word},
                   .block_size = job.format.block_size,
                   .scales = scale_table(job.format.scale)};
  for (Scale& scale : c.scales) {
    if (scale.kind == ScaleKind::kFinite) scale.offset = easy_offset(c.decode, scale.exponent);
  }
  return c;
}

Checked<WordConstants> resolve_words(const DequantizeJob& job) {
  ElementPolicy policy;
  policy.rounding = job.rounding;
  policy.dst_ftz = job.dst_ftz;
  const DequantOverflow overflow = job.block.dequant_overflow;
  if (overflow == DequantOverflow::kWrap) return no_path("dequant_overflow");
  policy.overflow = overflow == DequantOverflow::kSaturate ? Overflow::kSatFiniteKeepInf
                                                           : Overflow::kNoneInfOrNan;
  const Checked<WordConstants> checked = checked_words(job.output, policy);
  if (!checked) return checked;
  WordConstants word = *checked;
  // A NaN has no sign here.
  word.nan[1] = word.nan[0];
  if (overflow == DequantOverflow::kNan) word.overflow[0] = word.overflow[1] = word.nan[0];
  return word;
}

Checked<DequantizeConstants> resolve(const WidenJob& job) {
  if (job.policy.src_ftz != SourceSubnormals::kKeep) return no_path("src_ftz");
  if (job.policy.staging != Staging::kNone) return no_path("staging");
  Checked<DequantizeConstants> c = constants_of(job.source, job.destination, job.policy);
  if (!c) return c;
  DequantizeConstants constants = *c;
  // A format's only NaN is positive.
  if (!job.source.nan_has_sign()) constants.word.nan[1] = constants.word.nan[0];
  return constants;
}

}  // namespace mx::fast::dequantize
