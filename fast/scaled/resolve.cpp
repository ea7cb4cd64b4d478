#include "fast/scaled/resolve.hpp"

#include <algorithm>

#include "fast/cpu/resolve.hpp"
#include "fast/scaled/chain.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast::scaled {
namespace {

using cpu::no_path;

/// 1 and 1/8 in ue4m3: what nvfp4_modelopt and nvfp4_ct have in place of 0.
constexpr std::uint8_t kOneCode = 0x38;
constexpr std::uint8_t kEighthCode = 0x20;

/// Maxima from which on ggml's differences in binary32 may lose an element's place.
constexpr Real kLost = {1, 32};

Layout layout_of(Source source) {
  if (source == Source::kFp32) return kBinary32;
  return source == Source::kBf16 ? Layout{7, 127} : Layout{10, 15};
}

std::string_view scale_problem(const ScaleFormat& s) {
  const bool is_small_float = s.kind == FormatKind::kFloat && !s.is_signed && s.bits <= 8 &&
                              s.storage_bits == 8 && s.man_bits >= 1 && s.man_bits <= 5;
  const bool has_place = s.max_code < kScales - 1 && s.bias > -64 && s.bias < 64;
  const bool is_plain = s.zero != ZeroKind::kNone && s.has_subnormal && !s.has_inf() &&
                        s.parity == Parity::kCodeLsb &&
                        (s.nan == NanKind::kNone || s.nan == NanKind::kTopCode);
  return is_small_float && has_place && is_plain ? "" : "the scale format";
}

std::string_view block_problem(const BlockJob& job) {
  const BlockPolicy& b = job.block;
  const bool has_candidates = b.rule == ScaleRule::kNvfp44over6;
  if (!is_scaled_rule(b.rule) && !has_candidates) return "the scale rule";
  if (const std::string_view why = shape_problem(job.format); !why.empty()) return why;
  if (b.rule != ScaleRule::kNvfp4Exact && job.format.scale != formats::ue4m3) {
    return "the rule under another scale format";
  }
  if (has_candidates) {
    if (job.format.tile_lines != 1) return "tiles under nvfp4_4over6";
    if (job.element.rounding != Rounding::kTiesToEven) return "nvfp4_4over6 rounds ties_to_even";
  }
  const bool replaces_00 = divides_in_fp32(b.rule);
  if (replaces_00 && b.scale_floor != ScaleFloor::kNone) return "scale_floor under the rule";
  if (b.nan_scale_codes == NanScaleCodes::kAsComputed) return "elem_codes_when_nan_scale";
  if (b.inf_block == InfBlock::kAsTwoTo128) return "inf_block";
  if (b.src_daz_block != BlockFlush::kKeep) return "src_daz_block";
  return b.zero_block_scale == ZeroBlockScale::kMinAmax ? "zero_block_scale" : "";
}

/// The thresholds of the scale, and where the rule clamps.
void find_scales(const BlockJob& job, const Chain& chain, Layout layout, ScaleConstants& c) {
  const ScaleFormat& scale = job.format.scale;
  const auto largest = static_cast<std::uint32_t>(scale.max_code);
  const bool is_torchao = job.block.rule == ScaleRule::kNvfp4Torchao;
  const bool is_ggml = job.block.rule == ScaleRule::kNvfp4Ggml;
  const bool is_modelopt = job.block.rule == ScaleRule::kNvfp4Modelopt;
  const bool is_ct = job.block.rule == ScaleRule::kNvfp4Ct;
  const bool is_cut =
      is_torchao || is_ggml || is_modelopt || is_ct || job.block.rule == ScaleRule::kNvfp44over6;
  c.from.fill(kNever);
  c.from[0] = 0;
  for (std::uint32_t code = 1; code <= largest; ++code) {
    c.from[code] = least_word(layout, chain.maxima_of_code(code));
  }
  const bool has_floor = job.block.scale_floor == ScaleFloor::kMinNormal && !is_ggml;
  if (has_floor || is_torchao) {
    c.clamped_below = least_word(layout, chain.maxima({.least = {1, scale.emin()}}));
    std::fill_n(c.from.begin(), (1U << scale.man_bits) + 1, 0);
  }
  if (is_modelopt) {
    c.in_place_of_00 = kOneCode;
    c.clamped_below = least_word(layout, chain.maxima({.least = code_value(scale, 1)}));
  }
  if (is_ct) {
    c.in_place_of_00 = kEighthCode;
    c.clamped_below = c.from[1];
  }
  const Bound beyond = is_cut ? Bound{.least = code_value(scale, largest), .is_open = true}
                              : code_bound(scale, largest + 1, Rounding::kTiesToEven, false);
  c.clamped_from = least_word(layout, chain.maxima(beyond));
  c.hint_shift = layout.man_bits - 5;
  std::uint32_t code = 0;
  for (std::uint32_t i = 0; i <= layout.infinity() >> c.hint_shift; ++i) {
    while (i << c.hint_shift >= c.from[code + 1]) ++code;
    c.hint.push_back(static_cast<std::uint8_t>(code));
  }
}

/// The scales of blocks that the rule does not see.
void find_special_scales(const BlockJob& job, ScaleConstants& c) {
  const ScaleFormat& scale = job.format.scale;
  const BlockPolicy& b = job.block;
  const auto code8 = [](std::uint64_t code) { return static_cast<std::uint8_t>(code); };
  const int one = scale.bias << scale.man_bits;
  c.zero_by_rule = b.zero_block_scale == ZeroBlockScale::kCode00;
  c.of_zero = c.code_of(0);
  if (b.zero_block_scale == ZeroBlockScale::kMinNormal) c.of_zero = code8(1U << scale.man_bits);
  if (b.zero_block_scale == ZeroBlockScale::kOne) c.of_zero = static_cast<std::uint8_t>(one);
  c.of_nan = code8(scale.has_nan() ? scale.canonical_nan : scale.max_code);
  c.of_infinity = code8(scale.max_code);
  c.infinity_clamps = b.inf_block == InfBlock::kAsE255;
  c.infinity_is_nan = b.inf_block == InfBlock::kScaleNan || b.inf_block == InfBlock::kAllNan;
  c.skips_nan = b.amax_over != AmaxOver::kAll;
  c.skips_infinities = b.amax_over == AmaxOver::kFiniteOnly;
}

std::uint32_t below(std::uint32_t word, Layout layout) {
  return word >= layout.infinity() ? kNever : word - 1;
}

/// The thresholds of elements of one sign.
Row row_of(const BlockJob& job, const Chain::Scaling& scaling, Layout layout, bool negative) {
  Row row;
  row.fill(kNever);
  if (scaling.to_zero) return row;
  // ggml's search takes the first code of least error, so the smaller magnitude in a tie; what
  // lies beyond the largest is no overflow to it.
  const bool searches = job.block.rule == ScaleRule::kNvfp4Ggml;
  const Rounding rounding = searches ? Rounding::kTiesToZero : job.element.rounding;
  for (std::uint32_t code = 1; code <= (searches ? kSteps - 1 : kSteps); ++code) {
    const Bound bound = code_bound(job.format.element, code, rounding, negative);
    row[code - 1] = below(least_word(layout, Chain::elements(scaling, bound)), layout);
  }
  return row;
}

/// False where a scale that blocks can have multiplies elements by infinity.
bool find_rows(const BlockJob& job, const Chain& chain, Layout layout, Constants& c) {
  const auto largest = static_cast<std::uint32_t>(job.format.scale.max_code);
  for (std::uint32_t code = c.scale.first_code(); code <= largest; ++code) {
    const Chain::Scaling scaling = chain.scaling(code);
    if (!scaling.is_usable()) return false;
    const bool multiplies = !scaling.is_exact && !scaling.to_zero;
    const std::uint32_t least_nonzero =
        multiplies ? least_word(layout, reaching(1, scaling.factor, scaling.over)) : 1;
    c.zeroes[code] = scaling.to_zero;
    c.vanishes[code] = scaling.to_zero && !c.searches ? kNever : below(least_nonzero, layout);
    for (const std::size_t sign : {0U, 1U}) {
      const Row row = row_of(job, scaling, layout, sign != 0);
      c.rows[sign][code] = row;
      for (std::size_t k = 0; k < kSteps; ++k) {
        c.short_rows[sign][code][k] = static_cast<std::uint16_t>(std::min(row[k], 0x7FFFU));
      }
    }
    c.signs_differ = c.signs_differ || c.rows[0][code] != c.rows[1][code];
  }
  return true;
}

}  // namespace

std::string_view shape_problem(const BlockFormat& f) {
  if (f.extent != BlockExtent::kElements) return "blocks of another shape";
  if (f.tile_lines < 1 || f.tile_lines > 128) return "the lines of a tile";
  if (f.block_size < 1 || f.block_size > 1024) return "the block size";
  if (f.sublevels[0] != 0 || f.sublevels[1] != 0) return "sublevels";
  if (f.cut_from != 0 || f.negative_zero != NegativeZeroDatum::kZero) return "cut elements";
  if (f.element != formats::e2m1fn) return "elements other than e2m1fn";
  return f.scale_limit != 0 ? "the scale limit" : scale_problem(f.scale);
}

ScaleConstants resolve_four(const ScaledBlockJob& job) {
  ScaleConstants c;
  const Source source = cpu::source_of(job.blocks.source).value();
  find_scales(job.blocks, Chain(job, Candidate::kFour), layout_of(source), c);
  find_special_scales(job.blocks, c);
  return c;
}

Checked<Constants> resolve(const ScaledBlockJob& job) {
  const BlockJob& blocks = job.blocks;
  if (const std::string_view why = block_problem(blocks); !why.empty()) return no_path(why);
  const Checked<Source> source = cpu::source_of(blocks.source);
  if (!source) return Problem{std::string(source.problem())};
  const bool searches = blocks.block.rule == ScaleRule::kNvfp4Ggml;
  ElementPolicy policy = blocks.element;
  // A search rounds nothing, so that it draws nothing either.
  if (searches) policy.rounding = Rounding::kTiesToZero;
  const Checked<cpu::ElementConstants> element =
      cpu::resolve_element(blocks.format.element, policy);
  if (!element) return Problem{std::string(element.problem())};
  const Chain chain(job);
  if (!chain.is_usable()) return no_path("the tensor scale");
  const Layout layout = layout_of(*source);
  Constants c;
  c.source = *source;
  c.block_size = blocks.format.block_size;
  c.tile_lines = blocks.format.tile_lines;
  c.infinity = layout.infinity();
  c.plain_from = c.infinity;
  c.searches = searches;
  if (c.searches) c.plain_from = least_word(layout, {.least = kLost});
  c.drops_zero_sign = c.searches || element->drops_zero_sign != 0;
  c.drops_input_sign = element->drops_input_sign != 0;
  for (const std::size_t sign : {0U, 1U}) {
    if (c.searches) continue;  // no error is less than another: code 0
    c.nan[sign] = static_cast<std::uint8_t>(element->nan.of[sign]);
    c.infinity_code[sign] = static_cast<std::uint8_t>(element->infinity.of[sign]);
  }
  find_scales(blocks, chain, layout, c.scale);
  find_special_scales(blocks, c.scale);
  if (!find_rows(blocks, chain, layout, c)) return no_path("an infinite factor of the elements");
  return c;
}

}  // namespace mx::fast::scaled
