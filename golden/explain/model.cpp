#include "golden/explain/model.hpp"

#include "golden/explain/deciders.hpp"
#include "golden/explain/steps.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/flags.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

/// The grid of magnitudes of a format, continued beyond its largest value as if codes went on:
/// magnitude code m stands for integer * 2^exponent.
struct GridPoint {
  std::uint64_t integer = 0;
  int exponent = 0;
};

GridPoint grid_point(const ElementFormat& f, std::uint64_t m) {
  if (f.is_fixed()) return {m, -f.frac_bits};
  if (f.kind == FormatKind::kTapered) {
    const Unpacked x = decode(f, m);
    return {x.significand, x.exponent - 63};
  }
  const std::uint64_t hidden = std::uint64_t{1} << f.man_bits;
  const auto field = static_cast<int>(m >> f.man_bits);
  const std::uint64_t trailing = m & f.man_mask();
  if (f.zero == ZeroKind::kNone) return {hidden + trailing, field - f.bias - f.man_bits};
  if (field == 0) return {f.has_subnormal ? trailing : 0, 1 - f.bias - f.man_bits};
  return {hidden + trailing, field - f.bias - f.man_bits};
}

std::string_view class_name(const ElementFormat& f, const Unpacked& x) {
  if (x.cls == ValueClass::kNan) return x.signaling ? "signalling NaN" : "NaN";
  return number_class(f, x);
}

/// Neighbours carry the sign of x, so that they can be read beside it.
Tree neighbours_json(const ElementFormat& f, const Trace& t, bool negative) {
  const GridPoint lower = grid_point(f, t.lower);
  const GridPoint upper = grid_point(f, t.upper);
  const auto side = [&](std::uint64_t m, const GridPoint& point) {
    Tree json = value_json(unpack_integer(negative, point.integer, point.exponent));
    json["magnitude_code"] = hex_code(f, m);
    json["is_value"] = m <= f.max_code;
    return json;
  };
  const Unpacked midpoint = unpack_integer(negative, 2 * lower.integer + 1, lower.exponent - 1);
  return {{"lower", side(t.lower, lower)},
          {"midpoint", value_json(midpoint)},
          {"upper", side(t.upper, upper)},
          {"discarded_ulp", fraction_text(t.discarded)},
          {"guard", t.discarded.guard() ? 1 : 0},
          {"sticky", t.discarded.sticky() ? 1 : 0},
          {"lsb", t.odd ? 1 : 0},
          {"rounded_up", t.rounded_up}};
}

}  // namespace

Tree value_json(const Unpacked& x) {
  return {{"hex", hex_float(x)}, {"decimal", exact_decimal(x)}, {"short", short_decimal(x)}};
}

Tree input_json(const ElementFormat& source, const ExplainInput& input) {
  const Unpacked x = decode(source, input.code);
  Tree json = {{"text", input.text},
               {"format", source.name},
               {"bits", hex_code(source, input.code)},
               {"class", class_name(source, x)},
               {"value", value_json(x)}};
  if (input.is_number) json["rounded_into_source"] = input.is_rounded;
  return json;
}

Tree encoding_json(const ElementFormat& f, const ElementPolicy& p, const Trace& t,
                   const Unpacked& x, std::uint32_t random, const Encoded& encoded) {
  Tree json;
  // The codes of a tapered format do not follow each other by value.
  const bool has_grid = t.has_neighbours && f.kind != FormatKind::kTapered;
  if (has_grid) json["neighbours"] = neighbours_json(f, t, x.negative);
  json["decision"] = step_text(p, f, t, x, random, decode(f, encoded.code));
  json["code"] = hex_code(f, encoded.code);
  json["element"] = value_json(decode(f, encoded.code));
  json["flags"] = flag_names(encoded.flags);
  return json;
}

namespace {

/// Set where source policies change the value before it is scaled or encoded.
void add_source_policy(Tree& json, const ElementFormat& source, const ElementPolicy& p,
                       const ExplainInput& input, const Unpacked& seen) {
  if (seen == decode(source, input.code)) return;
  json["seen_as"] = value_json(seen);
  json["seen_because"] = filled("src_ftz {}, staging {}", token_of(p.src_ftz), token_of(p.staging));
}

std::string signed_term(int value) {
  return value < 0 ? filled("- {}", -value) : filled("+ {}", value);
}

/// The text of a rule's row, with the numbers of the element it speaks of.
std::string rule_row_text(ScaleRule rule, const ElementFormat& element) {
  std::string text(facts_of(rule).text);
  const auto fill = [&](std::string_view name, const std::string& value) {
    const std::size_t at = text.find(name);
    if (at != std::string::npos) text.replace(at, name.size(), value);
  };
  fill("{bits}", std::to_string(element.rule_man_bits()));
  fill("{max}", short_decimal(decode(element, element.max_code)));
  return text;
}

Tree scale_json(const QuantizerConfig& c, const ScaleTrace& trace, const BlockResult& result,
                std::span<const std::uint64_t> source) {
  const ScaleFormat& scale = c.format.scale;
  Tree json = {{"rule", token_of(c.block.rule)}};
  const bool is_nan_block =
      (result.flags & kBlockHasNan) != 0 && c.block.amax_over == AmaxOver::kAll;
  if (trace.argmax >= 0 && !is_nan_block) {
    json["amax_lane"] = trace.argmax;
    json["amax"] = value_json(trace.amax);
  }
  if (trace.rule_applied && !is_power_rule(c.block.rule)) {
    json["added_because"] = rule_row_text(c.block.rule, c.format.element);
    json["arithmetic"] = filled("amax {} gives", short_decimal(trace.amax));
  } else if (trace.rule_applied && trace.amax.cls == ValueClass::kFinite) {
    const int e_max = c.format.rule_emax.value_or(c.format.element.emax());
    const int added = trace.unclamped - (trace.amax.exponent + scale.bias - e_max);
    json["floor_log2_amax"] = trace.amax.exponent;
    json["e_max"] = e_max;
    json["added"] = added;
    json["added_because"] = rule_row_text(c.block.rule, c.format.element);
    json["unclamped"] = trace.unclamped;
    json["arithmetic"] = filled("floor_log2(amax) {} + {} - e_max {} {} = {}", trace.amax.exponent,
                                scale.bias, e_max, signed_term(added), trace.unclamped);
  } else {
    json["arithmetic"] = special_block_text(c, trace, result);
  }
  json["clamped"] = (result.flags & kBlockScaleClamped) != 0;
  json["decided_by"] = scale_deciders(c, trace, result, source);
  json["code"] = hex_code(c.format.scale_bits(), result.scale_code);
  json["value"] = value_json(decode(scale, result.scale_code & scale.code_mask()));
  if (c.format.tensor_scale != TensorScale::kNone) {
    json["tensor_amax"] = value_json(decode(formats::fp32, c.tensor.amax));
    json["tensor_scale"] = value_json(decode(formats::fp32, c.tensor.scale));
  }
  return json;
}

Tree element_json(const Quantizer& quantizer, const ExplainInput& input, std::size_t lane,
                  const Unpacked& amax, const BlockResult& result, std::uint64_t code) {
  const QuantizerConfig& c = quantizer.config();
  const ElementFormat& element = c.format.element;
  Tree json = {{"input", input_json(c.source, input)}};
  if ((result.flags & kBlockNanScale) != 0) {
    json["decision"] =
        filled("the scale is NaN: elem_codes_when_nan_scale {}", token_of(c.block.nan_scale_codes));
    json["code"] = hex_code(element, code);
    json["masked"] = (result.flags & kBlockCodesMasked) != 0;
    return json;
  }
  ElementPolicy of_source = c.element;
  of_source.staging = Staging::kNone;
  const Unpacked seen = decode_flushed(c.source, of_source, input.code);
  add_source_policy(json, c.source, of_source, input, seen);
  Unpacked scaled = quantizer.scaled_element(input.code, result.scale_code, lane, amax);
  if (scaled.sticky) json["scaled_is_cut"] = true;
  scaled.sticky = false;
  json["scaled"] = value_json(scaled);
  if (c.element.staging != Staging::kNone) json["staging"] = token_of(c.element.staging);
  if (facts_of(c.block.rule).elements == RuleElements::kByPolicy) {
    json["elem_scaling"] = token_of(c.block.elem_scaling);
  }
  if (c.format.sublevels[0] != 0) {
    json["scale"] = value_json(quantizer.scale_value(result.scale_code, lane));
  }
  Trace trace;
  const Encoded encoded =
      quantizer.explain_element(input.code, result.scale_code, input.random, trace, lane, amax);
  json.update(encoding_json(element, c.element, trace, scaled, input.random, encoded));
  if (encoded.code != code) json["code"] = hex_code(element, code);
  return json;
}

/// Says of a part that the profile leaves it open, and by which masks.
void mark_open(const std::string& profile, Masks masks, Tree& part) {
  if (masks == 0) return;
  part["open"] = {
      {"profile", profile}, {"masks", block_mask_tokens(masks)}, {"because", mask_text(masks)}};
}

/// The same of a block's scale and elements.
void mark_open(const ExplainedCase& chosen, std::span<const ExplainInput> inputs, Tree& block) {
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
  for (const ExplainInput& input : inputs) {
    source.push_back(input.code);
    random.push_back(input.random);
  }
  std::vector<std::uint64_t> codes(source.size());
  const BlockResult result =
      Quantizer::make(chosen.config).value().quantize_block(source, random, codes);
  const OpenFields open = open_fields(chosen.masks, chosen.config, source, result);
  mark_open(chosen.profile, open.scale, block["scale"]);
  for (std::size_t i = 0; i < source.size(); ++i) {
    mark_open(chosen.profile, open.elements[i], block["elements"].at(i));
  }
}

}  // namespace

Tree block_scale_json(const QuantizerConfig& config, std::uint64_t code) {
  const ScaleFormat& scale = config.format.scale;
  return {{"code", hex_code(config.format.scale_bits(), code)},
          {"short", short_decimal(decode(scale, code & scale.code_mask()))}};
}

Tree explain_value(const Conversion& convert, const ExplainInput& input) {
  const ConversionConfig& conversion = convert.config();
  const ElementPolicy& p = conversion.policy;
  Tree json = {{"input", input_json(conversion.source, input)}};
  const Unpacked seen = seen_source(conversion, input.code);
  add_source_policy(json, conversion.source, p, input, seen);
  Trace trace;
  const Encoded encoded = convert(input.code, input.random, trace);
  json.update(encoding_json(conversion.destination, p, trace, seen, input.random, encoded));
  return json;
}

Tree explain_block(const Quantizer& quantizer, std::span<const ExplainInput> inputs) {
  const QuantizerConfig& c = quantizer.config();
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
  for (const ExplainInput& input : inputs) {
    source.push_back(input.code);
    random.push_back(input.random);
  }
  std::vector<std::uint64_t> codes(source.size());
  const BlockResult result = quantizer.quantize_block(source, random, codes);
  std::vector<std::uint64_t> values(source.size());
  const ElementFormat& output = *find_format("fp32");
  quantizer.dequantize_block(result.scale_code, codes, output, values);
  const ScaleTrace scale_trace = quantizer.explain_scale(source, random);
  Tree json = {{"scale", scale_json(c, scale_trace, result, source)}};
  json["elements"] = Tree::list();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tree element = element_json(quantizer, inputs[i], i, scale_trace.amax, result, codes[i]);
    element["dequantized"] = value_json(decode(output, values[i]));
    json["elements"].push_back(element);
  }
  json["flags"] = flag_names(result.flags);
  return json;
}

Tree explain_case(const ExplainedCase& chosen, std::span<const ExplainInput> inputs) {
  const QuantizerConfig& config = chosen.config;
  Tree result = {
      {"format", chosen.format}, {"source", config.source.name}, {"profile", chosen.profile}};
  if (!chosen.changes.empty()) result["changes"] = chosen.changes;
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "random_bits") continue;
    result["policies"][std::string(field.name)] = field.read({config.element, config.block});
  }
  if (chosen.masks != 0) result["masks"] = block_mask_tokens(chosen.masks);
  if (chosen.is_block) {
    const bool is_sized = config.format.extent == BlockExtent::kElements;
    result["block_size"] =
        is_sized ? static_cast<std::size_t>(config.format.elements()) : inputs.size();
    result["block"] = explain_block(Quantizer::make(config).value(), inputs);
    mark_open(chosen, inputs, result["block"]);
    return result;
  }
  const Conversion conversion = Conversion::make(chosen.conversion()).value();
  result["values"] = Tree::list();
  for (const ExplainInput& input : inputs) {
    result["values"].push_back(explain_value(conversion, input));
    const OpenFields open = open_fields(chosen.masks, chosen.conversion(), input.code);
    mark_open(chosen.profile, open.elements[0], result["values"].back());
  }
  return result;
}

}  // namespace mx::golden
